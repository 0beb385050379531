/*
 * check-name: a fixed twin that has the bug still
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: nothing
 * must-fail: a finding too many
 */
#include "../../programs/check/lost_update.c"
