/*
 * A trace on disk: a directory with
 *	meta     key=value lines (store.def lists the keys)
 *	program  the bitcode of the program, zstd
 *	log      frames: a struct store_frame, then its data compressed by zstd, one a chunk
 * and, while it is being written and a limit is set, log.1, log.2, … (the newest last; the oldest is
 * removed). Frames of all threads are mixed, those of one thread are in order. A frame that is
 * damaged ends its thread's stream there, and the frames after it are still found.
 *
 * The writer never throws away what it has: a write that fails (no space) is remembered, and
 * nothing more is written.
 *
 * Lifetime: heap, owner the caller.
 */
#ifndef HEDDLE_LOG_STORE_H
#define HEDDLE_LOG_STORE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "log/format.h"

struct store_frame {
	uint32_t magic, thread, seq;
	uint32_t raw, packed; /* bytes of data, as logged and as stored */
	uint32_t flags;       /* LOG_CHUNK_* */
	uint64_t check;       /* over the fields before it and the raw data */
};
#define STORE_MAGIC 0x6b6e6863u

struct store_crash { /* a fatal signal */
	uint32_t thread;
	int32_t signo;
	uint64_t addr, pc;
};

struct store_meta {
	char *exe;            /* path of the executable */
	char *cwd;
	VEC(char *) argv;
	char *image;          /* kind: "record" or "record-window" */
	VEC(char *) exclude;  /* patterns */
	uint64_t bitcode;     /* hash of the program's bitcode */
	uint64_t plan;        /* hash of the plan, as the image had it */
	uint32_t version;     /* LOG_VERSION */
	uint32_t llvm;
	uint64_t tsc_start, ns_start, tsc_end, ns_end, started; /* started: Unix time */
	bool complete;        /* the collector ended in order */
	bool exited;          /* the target ended by itself; else killed */
	int32_t status;       /* as waitpid() gives it */
	uint32_t forks, nthreads;
	uint32_t stop;        /* enum log_stop_why + 1 that the collector gave; 0 */
	uint64_t dropped;     /* chunks thrown away by the limit */
	VEC(struct store_crash) crashes;
	bool open;            /* native objects are part of the program: see facts/plan.h */
};

/* ---- writing --------------------------------------------------------------------------------- */

struct store_writer;
/* Makes the directory (it must not exist, or be an unfinished or old trace of ours). limit: bytes of
 * log to keep, 0 = all. NULL after error_(). */
struct store_writer *store_create(const char *dir, uint64_t limit);
int store_put_program(struct store_writer *w, const void *bitcode, size_t n);
/* Appends one chunk. -1 once something could not be written (said once, by error_()). */
int store_put_chunk(struct store_writer *w, uint32_t thread, uint32_t seq, uint32_t flags,
	const uint8_t *data, uint32_t n);
/* Replaces meta; may be called many times. */
int store_put_meta(struct store_writer *w, const struct store_meta *m);
uint64_t store_written(const struct store_writer *w);
uint64_t store_dropped(const struct store_writer *w);
void store_close(struct store_writer *w);

/* ---- reading --------------------------------------------------------------------------------- */

struct store;
struct store *store_open(const char *dir); /* NULL after error_at() that names the file */
void store_free(struct store *s);
const struct store_meta *store_meta(const struct store *s);
/* The program's bitcode; NULL after error_at(). Lives as long as the store. */
const void *store_program(struct store *s, size_t *n);
uint32_t store_nthreads(const struct store *s);

struct store_stream { /* what there is of one thread */
	uint32_t thread;
	uint32_t first_seq, nchunks; /* in order without a gap */
	uint64_t bytes;              /* raw */
	bool begins, ends;           /* has chunk 0; has the last one */
	const char *damage;          /* why it ends early; NULL */
};
const struct store_stream *store_stream(const struct store *s, uint32_t i);
/* Chunk k of it, unpacked: into buf (LOG_CHUNK_DATA bytes). Bytes, or -1 if it is damaged. Several
 * host threads may read at once. */
int64_t store_read(const struct store *s, uint32_t i, uint32_t k, uint8_t *buf);

void store_meta_release(struct store_meta *m);

#endif
