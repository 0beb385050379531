/* Writing a trace: the frames of the log, with a limit or a window; meta; program. */
#include "log/store.h"

#include "base/diag.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/store_internal.h"
#include "log/store_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

/* Faster levels of zstd save little time and cost much space; measurement: docs/formats.md. */
enum { LEVEL_CHUNK = 1, LEVEL_PROGRAM = 3 };
enum { ROTATIONS = 8 };          /* number of files that a limit is divided into */
enum { META_ROOM = 4096 };       /* bytes that meta may grow by on a full disk */
enum { WINDOW_SLACK = 1 << 20 }; /* bytes of log that are kept before old chunks are removed */

struct log_file { /* one of log, log.1, …, first */
	int fd;   /* -1: closed */
	uint32_t number; /* N of log.N; 0: log */
	uint64_t size, frames; /* bytes; number of frames */
	uint64_t sum;          /* of store_frame.head of its frames */
};

struct seen {          /* of a thread */
	uint32_t file; /* number of the newest log file with a frame of it */
	bool ended;    /* its last chunk was written */
};

struct kept { /* a frame that may be copied to a new file */
	uint32_t thread, seq;
	uint64_t at;   /* offset in its file */
	uint32_t size; /* bytes */
};

struct store_writer {
	struct place place;
	uint64_t id, limit, window;
	struct log_file first;
	VEC(struct log_file) logs; /* the last one is open */
	uint64_t total, dropped;   /* bytes of log on disk; chunks removed */
	VEC(struct kept) kept;   /* frames in the log, for the window */
	VEC(struct kept) heads;  /* frames in `first` */
	VEC(struct seen) seen;   /* by thread, for the limit */
	uint64_t sweep_first_at; /* size of `first` at which records without chunks are removed */
	VEC(uint32_t) newest;    /* by thread: largest seq written */
	uint64_t sweep_at;       /* size of the log at which old chunks are removed */
	ZSTD_CCtx *zstd;
	uint8_t *buf, *spare; /* one frame each */
	size_t room;          /* size of meta on disk, in bytes */
	bool failed;          /* a write failed: write no more */
};

static const char *directory_of(const struct store_writer *w)
{
	return w->place.fresh ? w->place.fresh : w->place.dir;
}

/* Reports only the first write error, because no more is written after it. Returns -1. */
static int report_failure(struct store_writer *w, const char *name)
{
	int err = errno;

	if (!w->failed)
		error_("cannot write '%s/%s': %s (the trace has the run up to this point)",
			directory_of(w), name, strerror(err));
	w->failed = true;
	return -1;
}

static int write_all(int fd, const void *data, size_t n, uint64_t at)
{
	const char *p = data;
	ssize_t k;

	for (; n; p += k, n -= (size_t)k, at += (uint64_t)k) {
		k = pwrite(fd, p, n, (off_t)at);
		if (k < 0 && errno == EINTR)
			k = 0;
		if (k < 0)
			return -1;
	}
	return 0;
}

static int create_file(struct store_writer *w, const char *name)
{
	return openat(w->place.fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* ---- meta and program -------------------------------------------------------------------- */

/* Writes a new file and renames it to meta; false if that fails, and then the old one is
 * unchanged. */
static bool replace_meta(struct store_writer *w, const struct strbuf *text)
{
	int fd = create_file(w, STORE_META_NEW);
	bool ok = fd >= 0 && !write_all(fd, text->s, text->n, 0) &&
		  !renameat(w->place.fd, STORE_META_NEW, w->place.fd, STORE_META);

	if (!ok)
		unlinkat(w->place.fd, STORE_META_NEW, 0);
	else
		w->room = text->n;
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool overwrite_meta(struct store_writer *w, const struct strbuf *text)
{
	int fd = openat(w->place.fd, STORE_META, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && !write_all(fd, text->s, w->room, 0);

	if (fd >= 0)
		close(fd);
	return ok;
}

static void meta_text(const struct store_writer *w, const struct store_meta *m, struct strbuf *out)
{
	struct store_meta full = *m;

	full.frames = w->first.frames;
	full.frame_sum = w->first.sum;
	vec_each (&w->logs, i) {
		full.frames += w->logs.at[i].frames;
		full.frame_sum += w->logs.at[i].sum;
	}
	full.id = w->id;
	full.limit = w->limit;
	full.window = w->window;
	full.dropped = w->dropped;
	store_meta_write(out, &full);
}

/* Blank lines after the text reserve space for a longer one. */
int store_put_meta(struct store_writer *w, const struct store_meta *m)
{
	struct strbuf text = {0};
	int rc = 0, err;
	size_t n;

	meta_text(w, m, &text);
	n = text.n;
	while (text.n < MAX(w->room, n + META_ROOM))
		strbuf_addc(&text, '\n');
	if (!replace_meta(w, &text)) {
		err = errno;
		if (n > w->room || !overwrite_meta(w, &text)) {
			errno = err;
			rc = report_failure(w, STORE_META);
		}
	}
	strbuf_release(&text);
	return rc;
}

int store_put_program(struct store_writer *w, const void *bitcode, size_t n)
{
	size_t bound = ZSTD_compressBound(n);
	struct store_program_head *h = xmalloc(sizeof *h + bound);
	size_t packed = ZSTD_compress(h + 1, bound, bitcode, n, LEVEL_PROGRAM);
	int fd, rc = 0;

	BUG_ON(ZSTD_isError(packed));
	*h = (struct store_program_head){.magic = STORE_PROGRAM_MAGIC,
		.raw = n,
		.packed = packed,
		.check = store_check(w->id, h + 1, packed)};
	h->head = store_check(w->id, h, offsetof(struct store_program_head, head));
	fd = create_file(w, STORE_PROGRAM);
	if (fd < 0 || write_all(fd, h, sizeof *h + packed, 0))
		rc = report_failure(w, STORE_PROGRAM);
	if (fd >= 0)
		close(fd);
	free(h);
	return rc;
}

/* ---- a frame in a file ------------------------------------------------------------------- */

static const char *log_name(const struct log_file *f, char *buf, size_t n)
{
	if (!f->number)
		return STORE_LOG;
	snprintf(buf, n, STORE_LOG ".%u", f->number);
	return buf;
}

static size_t pack_frame(struct store_writer *w, uint32_t thread, uint32_t seq, uint32_t flags,
	const uint8_t *data, uint32_t n)
{
	struct store_frame f = {.magic = STORE_MAGIC,
		.thread = thread,
		.seq = seq,
		.raw = n,
		.flags = flags};
	size_t packed = ZSTD_compressCCtx(w->zstd, w->buf + sizeof f,
		ZSTD_compressBound(LOG_CHUNK_DATA), data, n, LEVEL_CHUNK);

	BUG_ON(ZSTD_isError(packed));
	if (packed >= n) {
		packed = n;
		memcpy(w->buf + sizeof f, data, n);
	}
	f.packed = (uint32_t)packed;
	f.check = store_check(w->id, w->buf + sizeof f, packed);
	f.head = store_check(w->id, &f, offsetof(struct store_frame, head));
	memcpy(w->buf, &f, sizeof f);
	return sizeof f + packed;
}

static uint64_t head_of_frame(const struct store_writer *w)
{
	struct store_frame f;

	memcpy(&f, w->buf, sizeof f);
	return f.head;
}

/* Appends the frame in w->buf. A frame that could not be written completely is removed. */
static int append_frame(struct store_writer *w, struct log_file *f, const char *name, size_t n)
{
	int err;

	if (write_all(f->fd, w->buf, n, f->size)) {
		err = errno;
		/* If this fails, too: the reader ignores an incomplete frame at the end. */
		(void)!ftruncate(f->fd, (off_t)f->size);
		errno = err;
		return report_failure(w, name);
	}
	f->size += n;
	f->frames++;
	f->sum += head_of_frame(w);
	w->total += n;
	return 0;
}

static int copy_frame(struct store_writer *w, int from, int to, const struct kept *k, uint64_t at)
{
	ssize_t n = pread(from, w->buf, k->size, (off_t)k->at);

	if (n != (ssize_t)k->size) {
		if (n >= 0)
			errno = EIO;
		return -1;
	}
	return write_all(to, w->buf, k->size, at);
}

/* ---- the limit: the oldest files are removed ------------------------------------------------- */

static int open_log(struct store_writer *w, uint32_t number)
{
	struct log_file f = {.number = number};
	char name[32];

	log_name(&f, name, sizeof name);
	f.fd = create_file(w, number ? name : STORE_LOG);
	if (f.fd < 0)
		return report_failure(w, number ? name : STORE_LOG);
	vec_push(&w->logs, f);
	return 0;
}

static void drop_oldest(struct store_writer *w)
{
	struct log_file f = w->logs.at[0];
	char name[32];

	unlinkat(w->place.fd, log_name(&f, name, sizeof name), 0);
	w->total -= f.size;
	w->dropped += f.frames;
	memmove(w->logs.at, w->logs.at + 1, --w->logs.n * sizeof *w->logs.at);
}

static void make_room(struct store_writer *w, size_t n)
{
	while (w->logs.n > 1 && w->total + n > w->limit)
		drop_oldest(w);
}

/* Makes room for n more bytes: opens a new file if the last is full, removes old ones. */
static int rotate_log(struct store_writer *w, size_t n)
{
	struct log_file *last = &vec_last(&w->logs);

	if (last->frames && last->size + n > w->limit / ROTATIONS) {
		uint32_t number = last->number + 1;

		close(last->fd);
		last->fd = -1;
		if (open_log(w, number))
			return -1;
	}
	make_room(w, n);
	return 0;
}

/* ---- first records ----------------------------------------------------------------------- */

static void note_thread(struct store_writer *w, uint32_t thread, uint32_t flags)
{
	if (thread >= w->seen.n)
		vec_resize(&w->seen, thread + 1);
	w->seen.at[thread] = (struct seen){vec_last(&w->logs).number, flags & LOG_CHUNK_LAST};
}

/* The thread has ended, and its first record is all that is left of it. */
static bool is_gone(const struct store_writer *w, uint32_t thread)
{
	return w->seen.at[thread].ended && w->seen.at[thread].file < w->logs.at[0].number;
}

/* Removes the first records of threads that are gone: a program may create thousands of short
 * threads. */
static int sweep_first(struct store_writer *w)
{
	int fd = create_file(w, STORE_LOG_NEW);
	uint64_t size = 0, sum = 0;
	uint32_t n = 0;
	bool ok = fd >= 0;

	for (uint32_t i = 0; ok && i < w->heads.n; i++) {
		struct kept k = w->heads.at[i];

		if (is_gone(w, k.thread))
			continue;
		ok = !copy_frame(w, w->first.fd, fd, &k, size);
		sum += head_of_frame(w);
		k.at = size;
		size += k.size;
		w->heads.at[n++] = k;
	}
	ok = ok && !renameat(w->place.fd, STORE_LOG_NEW, w->place.fd, STORE_FIRST);
	if (!ok) {
		report_failure(w, STORE_LOG_NEW);
		unlinkat(w->place.fd, STORE_LOG_NEW, 0);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(w->first.fd);
	w->total -= w->first.size - size;
	w->dropped += w->first.frames - n;
	w->first = (struct log_file){.fd = fd, .size = size, .frames = n, .sum = sum};
	w->heads.n = n;
	return 0;
}

static int put_first(struct store_writer *w, uint32_t thread, uint32_t seq, size_t n)
{
	if (w->first.fd < 0)
		w->first.fd = create_file(w, STORE_FIRST);
	if (w->first.fd < 0)
		return report_failure(w, STORE_FIRST);
	if (w->limit) {
		if (w->first.size + n > w->sweep_first_at) {
			memcpy(w->spare, w->buf, n);
			if (sweep_first(w))
				return -1;
			memcpy(w->buf, w->spare, n);
			w->sweep_first_at = MAX(w->limit / ROTATIONS, 2 * w->first.size);
		}
		make_room(w, n);
	}
	vec_push(&w->heads, (struct kept){thread, seq, w->first.size, (uint32_t)n});
	return append_frame(w, &w->first, STORE_FIRST, n);
}

/* ---- the window: the log is copied without old chunks ---------------------------------------- */

static bool in_window(const struct store_writer *w, const struct kept *k)
{
	return k->seq + w->window > w->newest.at[k->thread];
}

/* Copies the chunks in the window to a new log when the log is about twice their size: each byte is
 * written twice on average. If the copy fails, the log is unchanged. */
static int sweep_log(struct store_writer *w)
{
	struct log_file *log = &vec_last(&w->logs);
	int fd = create_file(w, STORE_LOG_NEW);
	uint64_t size = 0, sum = 0;
	uint32_t n = 0;

	if (fd < 0)
		return report_failure(w, STORE_LOG_NEW);
	vec_each (&w->kept, i) {
		struct kept k = w->kept.at[i];

		if (!in_window(w, &k))
			continue;
		if (copy_frame(w, log->fd, fd, &k, size))
			goto failed;
		sum += head_of_frame(w);
		k.at = size;
		size += k.size;
		w->kept.at[n++] = k;
	}
	if (renameat(w->place.fd, STORE_LOG_NEW, w->place.fd, STORE_LOG))
		goto failed;
	close(log->fd);
	w->dropped += log->frames - n;
	w->total = size;
	*log = (struct log_file){.fd = fd, .size = size, .frames = n, .sum = sum};
	w->kept.n = n;
	w->sweep_at = 2 * size + WINDOW_SLACK;
	return 0;
failed:
	report_failure(w, STORE_LOG_NEW);
	close(fd);
	unlinkat(w->place.fd, STORE_LOG_NEW, 0);
	return -1;
}

static int note_kept(struct store_writer *w, uint32_t thread, uint32_t seq, size_t n)
{
	struct log_file *log = &vec_last(&w->logs);

	if (thread >= w->newest.n)
		vec_resize(&w->newest, thread + 1);
	w->newest.at[thread] = MAX(w->newest.at[thread], seq);
	vec_push(&w->kept, (struct kept){thread, seq, log->size - n, (uint32_t)n});
	return log->size > w->sweep_at ? sweep_log(w) : 0;
}

/* ---- entry points ------------------------------------------------------------------------- */

int store_put_chunk(struct store_writer *w, uint32_t thread, uint32_t seq, uint32_t flags,
	const uint8_t *data, uint32_t n)
{
	bool keep = flags & STORE_KEEP && store_is_limited(w);
	struct log_file *log;
	char name[32];
	size_t size;

	BUG_ON(n > LOG_CHUNK_DATA || thread >= LOG_MAX_THREADS);
	if (w->failed)
		return -1;
	size = pack_frame(w, thread, seq, flags & ~STORE_KEEP, data, n);
	if (keep) {
		if (w->limit)
			note_thread(w, thread, flags);
		return put_first(w, thread, seq, size);
	}
	if (w->limit && rotate_log(w, size))
		return -1;
	if (w->limit)
		note_thread(w, thread, flags);
	log = &vec_last(&w->logs);
	if (append_frame(w, log, log_name(log, name, sizeof name), size))
		return -1;
	return w->window ? note_kept(w, thread, seq, size) : 0;
}

static uint64_t new_id(void)
{
	struct timespec t;
	uint64_t id;

	if (getrandom(&id, sizeof id, GRND_NONBLOCK) == sizeof id)
		return id;
	clock_gettime(CLOCK_REALTIME, &t);
	return hash_u64((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) ^
	       (uint64_t)getpid();
}

struct store_writer *store_create(const char *dir, uint64_t limit)
{
	struct store_writer *w = xcalloc(1, sizeof *w);
	struct store_meta none = {.version = LOG_VERSION};

	if (place_take(&w->place, dir)) {
		free(w);
		return NULL;
	}
	w->id = new_id();
	w->limit = limit;
	w->first.fd = -1;
	w->sweep_at = WINDOW_SLACK;
	w->sweep_first_at = limit / ROTATIONS;
	w->zstd = ZSTD_createCCtx();
	w->buf = xmalloc(sizeof(struct store_frame) + ZSTD_compressBound(LOG_CHUNK_DATA));
	w->spare = xmalloc(sizeof(struct store_frame) + LOG_CHUNK_DATA);
	if (!w->zstd)
		oom_die();
	if (store_put_meta(w, &none) || open_log(w, limit ? 1 : 0)) {
		store_abandon(w);
		return NULL;
	}
	return w;
}

void store_set_window(struct store_writer *w, uint64_t n)
{
	BUG_ON(w->limit || w->total);
	w->window = n;
}

bool store_is_limited(const struct store_writer *w)
{
	return w->limit || w->window;
}

int store_settle(struct store_writer *w)
{
	return place_settle(&w->place);
}

uint64_t store_written(const struct store_writer *w)
{
	return w->total;
}

static void writer_free(struct store_writer *w)
{
	vec_each (&w->logs, i)
		if (w->logs.at[i].fd >= 0)
			close(w->logs.at[i].fd);
	if (w->first.fd >= 0)
		close(w->first.fd);
	vec_release(&w->logs);
	vec_release(&w->kept);
	vec_release(&w->newest);
	vec_release(&w->heads);
	vec_release(&w->seen);
	ZSTD_freeCCtx(w->zstd);
	free(w->buf);
	free(w->spare);
	place_release(&w->place);
	free(w);
}

void store_abandon(struct store_writer *w)
{
	place_abandon(&w->place);
	writer_free(w);
}

void store_close(struct store_writer *w)
{
	place_settle(&w->place);
	writer_free(w);
}
