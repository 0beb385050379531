/*
 * check-name: the stored set is shown without the program
 * check-command: heddle cover --sym argv[1]:1 -- $exe 3 >cover.txt && heddle cover --show 2.1 && heddle cover --json && heddle cover --dot
 * check-exit: 0
 * check-output-contains: schedule 2.1:
 * check-output-contains: "complete":true,"epochs_total":2,"schedules_total":3
 * check-output-contains: e1 -> e2 [label="1.1"]
 * check-output-excludes: marker:
 */
#include "cover_lockstep.c"
