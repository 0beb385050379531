/*
 * check-name: Fusion, Fig. 1: where every read has its recorded value, the assertion cannot fail
 * check-command: heddle check --model=mcm --only=assert -- $exe
 * check-exit: 0
 * check-finds: nothing
 * check-force: SIGABRT
 */
#include "fusion_fig1.c"
