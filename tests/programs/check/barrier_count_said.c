/*
 * check-name: a barrier for two that four threads use: heddle says that it did not examine all of it
 * check-command: heddle check -- $exe
 * check-exit: 3
 * check-output-contains: a barrier is used by more threads than its count: the threads of
 * check-finds: nothing
 * check-force: SIGABRT
 */
#include "barrier_count.c"
