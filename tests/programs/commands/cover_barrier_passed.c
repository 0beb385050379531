/*
 * check-name: with --pass-barriers the loop around a barrier has a marker
 * check-command: heddle cover --show --pass-barriers -- $exe
 * check-exit: 3
 * check-output-contains: marker: loop in 'work'
 * check-output-excludes: marker: barrier
 */
#include "cover_barrier.c"
