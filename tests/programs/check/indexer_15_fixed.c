/*
 * check-name: 15 indexers count collisions atomically
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#define THREADS 15
#include "indexer_fixed.h"
