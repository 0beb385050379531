/*
 * A trace on disk: a directory with
 *	meta     key=value lines (store.def lists the keys), a check of them at the end
 *	program  the bitcode of the program, zstd
 *	log      frames: a struct store_frame, then its data compressed by zstd, one a chunk
 * With a limit there are log.1, log.2, … in place of log (the newest last; the oldest is removed), and
 * `first` with the chunks that hold the first records of threads. Frames of all threads are
 * mixed, those of one thread are in order. A frame that is damaged ends its thread's stream there, and
 * the frames after it are still found. Checks are made with a number of the trace's own (meta's id), so
 * that frames of another trace are never taken for its own.
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
	uint32_t raw, packed; /* bytes of data, as logged and as stored; equal: not compressed */
	uint32_t flags;       /* LOG_CHUNK_* */
	uint64_t check;       /* over the id and the raw data */
	uint64_t head;        /* over the id and the fields before it */
};
#define STORE_MAGIC 0x6b6e6863u

#define STORE_NO_ADDRESS UINT64_MAX
struct store_crash { /* a fatal signal */
	uint32_t thread;
	int32_t signo;
	uint64_t addr, pc; /* addr: STORE_NO_ADDRESS where the processor does not tell it: it is none */
	uint64_t proven; /* bytes of its stream's last chunk up to its last record; what follows may
	                    end in a segment that was under way */
};

struct store_meta {
	char *exe;            /* path of the executable */
	char *cwd;
	VEC(char *) argv;
	char *image;          /* kind: "record" or "record-window" */
	VEC(char *) exclude;  /* patterns */
	uint64_t id;          /* of the trace; made by the writer */
	uint64_t limit, window; /* as asked for; 0 = none */
	uint64_t bitcode;     /* hash of the program's bitcode */
	uint64_t plan;        /* hash of the plan, as the image had it */
	uint32_t version;     /* LOG_VERSION */
	uint32_t llvm;
	uint64_t tsc_start, ns_start, tsc_end, ns_end, started; /* started: Unix time */
	bool complete;        /* the collector ended in order */
	bool exited;          /* the target ended by itself; else killed */
	int32_t status;       /* as waitpid() gives it */
	uint32_t forks, nthreads;
	uint32_t lost;        /* threads that were not recorded: there were too many */
	uint32_t stop;        /* enum log_stop_why + 1 that the collector gave; 0 */
	uint64_t dropped;     /* chunks thrown away by the limit */
	VEC(struct store_crash) crashes;
	char *turns;          /* of a run under a schedule (log/schedule.h) whose order is known: the names
	                         of its threads but the main one, ';', the segments in which they ran:
	                         "0.0 0.1;0:5 2:3 1:4". NULL: the operating system decided */
	bool open;            /* native objects are part of the program: see facts/plan.h */
};

/* ---- writing --------------------------------------------------------------------------------- */

struct store_writer;
/*
 * Makes the directory, or takes an empty one. An old trace of ours stays until store_settle() (or
 * store_close()) puts the new one in its place; anything else that is there is refused. limit: bytes
 * of log to keep, 0 = all. NULL after error_().
 */
struct store_writer *store_create(const char *dir, uint64_t limit);
/* Of each thread only the newest n chunks are kept; before the first chunk, without a limit. */
void store_set_window(struct store_writer *w, uint64_t n);
bool store_is_limited(const struct store_writer *w); /* by either */
/* The new trace takes the place of the old one. -1 after error_(). */
int store_settle(struct store_writer *w);
/* Nothing of the new trace stays, the old one does. */
void store_abandon(struct store_writer *w);
int store_put_program(struct store_writer *w, const void *bitcode, size_t n);
/* Appends one chunk. STORE_KEEP: a first record, which no limit drops
 * before the last of its thread. -1 once something could not be written (said
 * once, by error_()). */
#define STORE_KEEP (1u << 7)
/* A flag of a frame: the chunk was still being filled. The whole one has the same thread and seq, and
 * comes later, if the writer lives. */
#define STORE_PARTIAL (1u << 6)
int store_put_chunk(struct store_writer *w, uint32_t thread, uint32_t seq, uint32_t flags,
	const uint8_t *data, uint32_t n);
/* Replaces meta; may be called many times. Once it was written there is room for it to grow by some
 * KB, also on a disk that is full by then. The fields id, limit, window and dropped are the
 * writer's. */
int store_put_meta(struct store_writer *w, const struct store_meta *m);
/* Bytes of log on disk, and chunks dropped by the limit. */
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
	uint32_t first_seq, nchunks; /* in order without a gap: the oldest such run; with a limit
	                                the newest, from where reading may begin */
	uint32_t first_at;           /* where in its first chunk: at its first LOG_STATE; 0 if it begins */
	uint64_t bytes;              /* raw */
	bool begins, ends;           /* has chunk 0; has the last one */
	uint32_t stop;               /* ends: enum log_stop_why + 1 if the thread was stopped; 0 */
	const char *damage;          /* why it ends early; NULL */
};
const struct store_stream *store_stream(const struct store *s, uint32_t i);
/* Chunk k of it, unpacked: into buf (LOG_CHUNK_DATA bytes). Bytes, or -1 if it is damaged. Several
 * host threads may read at once. */
int64_t store_read(const struct store *s, uint32_t i, uint32_t k, uint8_t *buf);

/* The first record of the stream's thread with its words, appended to out, also when the stream begins
 * later; -1 if it is not there. */
int store_head(const struct store *s, uint32_t i, struct strbuf *out);

void store_meta_release(struct store_meta *m);

#endif
