/*
 * Plays the collector for one run of the target, and reads its streams into text, one word for each
 * record or value, in order: THREAD(kind), CALLBACK(func), CALLBACK_END, V(value), RETURN,
 * lock(result) and so on with the names of log/sync.def, "..." behind one that goes on; END,
 * STOP(why).
 */
#ifndef TESTS_NATIVE_RECORD_READER_H
#define TESTS_NATIVE_RECORD_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "log/format.h"

struct sync { /* one record of log/sync.def, for checks that words cannot make */
	uint32_t thread;
	struct log_sync s;
	uint32_t hash; /* 0 where the record has none, as with all words */
	int32_t result;
	uint64_t tsc, value;
	uint32_t seq2, extra;
};

struct stream {
	uint8_t *data;
	size_t n, capacity;
	uint32_t chunks;     /* taken so far, in order */
	uint32_t flags;      /* of the last */
	uint32_t first_used; /* bytes of the first */
	uint32_t states;     /* chunks that have one */
	bool taken_from_ctl;
	struct log_thread head;
	uint64_t *tables; /* of the head: addresses */
	char *text;
	size_t text_n, text_capacity;
	const char *bad; /* why it could not be read, with `at` */
	size_t at;
	struct sync *syncs;
	size_t nsyncs;
};

struct run_options {
	uint32_t chunks;     /* so many before the target must wait; 0 = all */
	uint32_t threads;    /* so many before there are no more; 0 = all */
	bool off;            /* no memory file */
	bool gone;           /* no collector: nothing is taken, the pid is one that ended */
	bool lazy;           /* takes chunks only now and then */
	uint32_t stop;       /* told to the target after the first chunk */
	int kill_after_ms;   /* SIGKILL */
	const char *options; /* HEDDLE_OPTIONS */
	bool environment;    /* a small one, in a known order */
};

struct run {
	struct stream *streams; /* by thread number */
	uint32_t nstreams;
	struct log_shared shared; /* as it was at the end */
	struct log_ctl *ctls;
	int status; /* of waitpid */
};

void run_target(
	struct run *r, const char *program, const char *scenario, const struct run_options *opt);
void run_release(struct run *r);
const char *sync_name(uint32_t kind);

#endif
