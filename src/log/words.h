/* Names and texts of the tables sync.def and stops.def. */
#ifndef HEDDLE_LOG_WORDS_H
#define HEDDLE_LOG_WORDS_H

#include "log/format.h"

#include <stdbool.h>

struct log_sync_fn { /* a function of sync.def */
	const char *name;
	uint8_t kind;  /* enum log_sync_kind */
	int8_t object; /* number of the parameter that points to the object, -1 = none */
	bool timed;    /* fails after a time limit */
};

/* NULL if the function is not in sync.def. Linear search: look a function up once. */
const struct log_sync_fn *log_sync_find(const char *name);
const char *log_sync_text(uint32_t kind);
/* Text of an enum log_stop_why; also for an invalid number. */
const char *log_stop_text(uint32_t why);

#endif
