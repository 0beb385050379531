/*
 * check-name: 10 indexers: the counter has no lock, but nobody collides
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#define THREADS 10
#include "indexer.h"
