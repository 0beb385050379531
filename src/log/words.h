/* The tables of log/format.h by name and in words: sync.def and stops.def. */
#ifndef HEDDLE_LOG_WORDS_H
#define HEDDLE_LOG_WORDS_H

#include "log/format.h"

struct log_sync_fn { /* a function of sync.def */
	const char *name;
	uint8_t kind;  /* enum log_sync_kind */
	int8_t object; /* the parameter that names the object, -1 if none does */
};

/* NULL if the function is not in sync.def. Searches the table: look a function up once. */
const struct log_sync_fn *log_sync_find(const char *name);
const char *log_sync_text(uint32_t kind);
/* Why a thread was not recorded to its end; also for a number that is none. */
const char *log_stop_text(uint32_t why);

#endif
