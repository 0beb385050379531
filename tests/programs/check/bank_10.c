/*
 * check-name: bank of 10 tellers who overwrite each other's bookings
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: assertion failure
 * check-finds: assert total
 * check-allows: atomicity
 * check-force: SIGABRT
 */
#define THREADS 10
#include "bank.h"
