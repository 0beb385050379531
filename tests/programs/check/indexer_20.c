/*
 * check-name: 20 indexers count collisions under different locks
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: data race on 'collisions'
 * check-output-contains: assertion failure
 * check-finds: race collisions
 * check-finds: assert sum
 * check-allows: race 'collisions'
 * check-allows: atomicity 'collisions'
 * check-force: SIGABRT
 */
#define THREADS 20
#include "indexer.h"
