/*
 * check-name: 25 indexers count collisions atomically
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#define THREADS 25
#include "indexer_fixed.h"
