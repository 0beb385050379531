/*
 * A trace on disk: a directory with
 *	meta     key=value lines (store.def lists the keys), a checksum at the end
 *	program  the bitcode of the program, zstd
 *	log      frames, one for each chunk: a struct store_frame, then its data compressed by zstd
 * With a limit there are log.1, log.2, … in place of log (the newest last; the oldest is removed).
 * With a limit or a window there is `first`, with the chunks that hold the first records of
 * threads. Frames of all threads are interleaved; those of one thread are in order. Checksums include
 * the id of the trace (in meta), so that frames of another trace are not accepted.
 *
 * store_open() checks every byte of the log. A damaged frame ends its thread's stream; frames after
 * it are still found. A complete trace has the number and the sum of its frames in meta, so that a
 * frame that is missing is noticed, too: store_damage().
 *
 * After a write error (no space), the writer keeps all that it has written and writes no more.
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
	uint64_t check;       /* hash of the id and the data as stored */
	uint64_t head;        /* hash of the id and the fields before it */
};
#define STORE_MAGIC 0x6b6e6863u

#define STORE_NO_ADDRESS UINT64_MAX
struct store_crash { /* a fatal signal */
	uint32_t thread;
	int32_t signo;
	uint64_t addr, pc; /* addr: STORE_NO_ADDRESS if the processor reports none, because the
	                      address is not canonical */
	uint64_t proven; /* bytes of its stream's last chunk up to its last record; the bytes after
	                    it may belong to a segment that was not completed */
};

struct store_meta {
	char *exe;            /* path of the executable */
	char *cwd;
	VEC(char *) argv;
	char *image;          /* kind: "record" or "record-window" */
	VEC(char *) exclude;  /* patterns */
	uint64_t id;          /* of the trace; chosen by the writer */
	uint64_t limit, window; /* in bytes; in chunks of each thread; 0 = none */
	uint64_t bitcode;     /* hash of the program's bitcode */
	uint64_t plan;        /* hash of the plan that the image was built with */
	uint32_t version;     /* LOG_VERSION */
	uint32_t llvm;
	uint64_t tsc_start, ns_start, tsc_end, ns_end, started; /* started: Unix time */
	bool complete;        /* the collector ended normally */
	bool exited;          /* the target ended by itself; else killed */
	int32_t status;       /* in the form of waitpid() */
	uint32_t forks, nthreads;
	uint32_t lost;        /* threads that were not recorded: there were too many */
	uint32_t stop;        /* enum log_stop_why + 1 if the collector stopped the recording; 0 */
	uint64_t dropped;     /* chunks removed because of the limit or window */
	uint64_t frames, frame_sum; /* of the log: their number, and the sum of store_frame.head */
	VEC(struct store_crash) crashes;
	char *turns;          /* of a run under a schedule (log/schedule.h) of known order: names
	                         of its threads but the main one, ';', the segments that they ran:
	                         "0.0 0.1;0:5 2:3 1:4". NULL: scheduled by the operating system */
	bool open;            /* native objects are part of the program: see facts/plan.h */
};

/* ---- writing --------------------------------------------------------------------------------- */

struct store_writer;
/*
 * Makes the directory, or uses an empty one. An old trace stays until store_settle() (or
 * store_close()) replaces it by the new one; a directory with other contents is an error. limit:
 * bytes of log to keep, 0 = all. NULL after error_().
 */
struct store_writer *store_create(const char *dir, uint64_t limit);
/* Keep only the newest n chunks of each thread. To call before the first chunk, without a limit. */
void store_set_window(struct store_writer *w, uint64_t n);
bool store_is_limited(const struct store_writer *w); /* by a limit or a window */
/* Replaces the old trace by the new one. -1 after error_(). */
int store_settle(struct store_writer *w);
/* Removes the new trace and frees the writer; the old trace stays. */
void store_abandon(struct store_writer *w);
int store_put_program(struct store_writer *w, const void *bitcode, size_t n);
/* Appends one chunk. STORE_KEEP: it has a first record, which a limit drops only after all other
 * chunks of its thread. -1 after a write error; error_() reports only the first one. */
#define STORE_KEEP (1u << 7)
/* A flag of a frame: a chunk that was not full yet. The complete chunk, with the same thread and
 * seq, follows later, unless the collector dies. */
#define STORE_PARTIAL (1u << 6)
int store_put_chunk(struct store_writer *w, uint32_t thread, uint32_t seq, uint32_t flags,
	const uint8_t *data, uint32_t n);
/* Replaces meta; may be called many times. The first call reserves some KB, so that meta can grow
 * when the disk is full. The writer sets the fields id, limit, window, dropped, frames and frame_sum
 * itself. */
int store_put_meta(struct store_writer *w, const struct store_meta *m);
/* Bytes of log on disk. */
uint64_t store_written(const struct store_writer *w);
/* Settles the trace and frees the writer. */
void store_close(struct store_writer *w);

/* ---- reading --------------------------------------------------------------------------------- */

struct store;
struct store *store_open(const char *dir); /* NULL after error_at() that names the file */
void store_free(struct store *s);
const struct store_meta *store_meta(const struct store *s);
/* The program's bitcode, valid until store_free(); NULL after error_at(). */
const void *store_program(struct store *s, size_t *n);
uint32_t store_nthreads(const struct store *s);
/* What is damaged or missing in the log of a complete trace, with the file and the place; NULL if
 * every byte is as it was written. A trace that is not complete lacks its end in any case. */
const char *store_damage(const struct store *s);

struct store_stream { /* the readable part of one thread's stream */
	uint32_t thread;
	uint32_t first_seq, nchunks; /* consecutive chunks: the oldest ones; with a limit or window
	                                the newest ones, from the first that reading may begin at */
	uint32_t first_at;           /* offset of the first LOG_STATE in its first chunk, or 0 */
	uint64_t bytes;              /* uncompressed */
	bool begins, ends;           /* has chunk 0; has the last one */
	uint32_t stop;               /* ends: enum log_stop_why + 1 if the thread was stopped; 0 */
	const char *damage;          /* why it ends early; NULL */
};
const struct store_stream *store_stream(const struct store *s, uint32_t i);
/* Decompresses chunk k of stream i into buf (LOG_CHUNK_DATA bytes). Returns its size in bytes, or
 * -1 if that fails, although its checksum is right. Several host threads may read at the same
 * time. */
int64_t store_read(const struct store *s, uint32_t i, uint32_t k, uint8_t *buf);

/* Appends the first record of the stream's thread, with its words, to out, also if the stream
 * lacks its beginning; -1 if the record is missing. */
int store_head(const struct store *s, uint32_t i, struct strbuf *out);

void store_meta_release(struct store_meta *m);

#endif
