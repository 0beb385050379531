/*
 * check-name: with --pass-barriers the loop around a barrier has a marker
 * check-command: heddle cover --show --pass-barriers -- $exe
 * check-exit: 0
 * check-output-contains: every input is covered
 * check-output-contains: marker: loop in 'work'
 * check-output-excludes: marker: barrier
 */
#include "cover_barrier.c"
