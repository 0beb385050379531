/*
 * check-name: a barrier for two that four threads use: heddle says that it did not look at all of it
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-output-contains: the rounds of a barrier that more threads use than it waits
 * check-finds: nothing
 * check-force: SIGABRT
 */
#include "barrier_count.c"
