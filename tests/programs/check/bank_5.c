/*
 * check-name: bank of 5 tellers who overwrite each other's bookings
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert total
 * check-allows: atomicity
 * check-force: SIGABRT
 */
#define THREADS 5
#include "bank.h"
