/*
 * check-name: with --mark-trivial a loop that only waits for a condition variable has a marker
 * check-command: heddle cover --show --mark-trivial -- $exe
 * check-exit: 0
 * check-output-contains: every input is covered
 * check-output-contains: marker: loop in 'wait_for_it'
 */
#include "cover_condition_loop.c"
