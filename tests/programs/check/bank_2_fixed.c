/*
 * check-name: bank of 2 tellers, a booking is one lock region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#define THREADS 2
#include "bank_fixed.h"
