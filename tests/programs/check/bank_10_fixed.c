/*
 * check-name: bank of 10 tellers, a booking is one lock region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#define THREADS 10
#include "bank_fixed.h"
