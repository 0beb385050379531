/*
 * Private to the writer and the reader of a trace: names of files, the checksum, the head of the
 * file `program`, and the text of `meta`.
 */
#ifndef HEDDLE_LOG_STORE_INTERNAL_H
#define HEDDLE_LOG_STORE_INTERNAL_H

#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "log/store.h"

#define STORE_META      "meta"
#define STORE_META_NEW  "meta.new"
#define STORE_PROGRAM   "program"
#define STORE_LOG       "log"
#define STORE_LOG_NEW   "log.new"
#define STORE_FIRST     "first"
#define STORE_META_MARK "heddle-trace=" /* the first bytes of meta; they mark a directory as a trace */
#define STORE_META_HEAD STORE_META_MARK "2\n" /* its first line, with the version of the files */

/* The number of a file log.N; 0 for log; -1 for other names. */
int64_t store_log_number(const char *name);

struct store_program_head { /* followed by the data, compressed by zstd */
	uint64_t magic, raw, packed;
	uint64_t check; /* hash of the id and the data as stored */
	uint64_t head;  /* hash of the id and the fields before it */
};
#define STORE_PROGRAM_MAGIC 0x6d6172676f72706bull

static inline uint64_t store_check(uint64_t id, const void *p, size_t n)
{
	return hash_u64(hash_bytes(p, n) ^ id);
}

void store_meta_write(struct strbuf *out, const struct store_meta *m);
/* -1 after error_at() with the place in `path`; *m must be released in that case, too. */
int store_meta_read(struct store_meta *m, const char *path, const char *text, size_t n);

#endif
