/*
 * check-name: 20 indexers count collisions atomically
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#define THREADS 20
#include "indexer_fixed.h"
