/*
 * Reading a trace: maps the files and finds all frames that are as they were written, also after
 * damage.
 */
#include "log/store.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

struct mapped {
	const uint8_t *data;
	size_t n;
	int64_t number; /* N of log.N; 0: `log`; -1: `first` */
};

struct chunk {
	uint32_t thread, seq;
	uint32_t raw, packed, flags;
	const uint8_t *data;
};

struct stream {
	struct store_stream pub;
	uint32_t from; /* index of its first chunk */
	uint32_t head; /* index of the thread's first chunk in the trace */
};

struct store {
	char *dir;
	struct store_meta meta;
	VEC(struct mapped) files;
	VEC(struct chunk) chunks; /* by thread and seq */
	VEC(struct stream) streams;
	uint64_t frames, frame_sum; /* as in struct store_meta, of the frames that were found */
	uint64_t patience;          /* bytes that may still be searched for frames after damage */
	struct strbuf damage;       /* the first place that is damaged; empty: none */
	void *program;
	size_t program_n;
};

/* Limits of work and memory: a short file must not cost much of either. */
enum {
	SEARCH_BYTES = 256 << 20,    /* of damaged files, in all */
	PROGRAM_BYTES = 1 << 30,     /* of bitcode */
	PROGRAM_SMALL = 64 << 20,    /* of bitcode that may be compressed to almost nothing, else */
	PROGRAM_RATIO = 100,         /* times the size of its file */
	HEAD_WORDS = 16 << 20,       /* addresses in the first record of a thread */
};

/* ---- files ------------------------------------------------------------------------------- */

/* -1 and errno; an empty file has data NULL */
static int map_file(int dirfd, const char *name, struct mapped *out)
{
	struct file_map f;

	*out = (struct mapped){0};
	if (file_map_at(&f, dirfd, name))
		return -1;
	*out = (struct mapped){.data = f.n ? f.data : NULL, .n = f.n};
	return 0;
}

static void unmap_file(struct mapped *m)
{
	file_unmap(&(struct file_map){m->data, m->n});
}

static int by_number(const void *a, const void *b)
{
	int64_t x = ((const struct mapped *)a)->number, y = ((const struct mapped *)b)->number;

	return (x > y) - (x < y);
}

static int map_logs(struct store *s, int dirfd)
{
	DIR *d = fdopendir(dup(dirfd));
	struct mapped m;
	struct dirent *e;
	int rc = 0;

	while (d && !rc && (e = readdir(d))) {
		int64_t number = store_log_number(e->d_name);

		if (number < 0 && strcmp(e->d_name, STORE_FIRST))
			continue;
		if (map_file(dirfd, e->d_name, &m)) {
			rc = error_("cannot read '%s/%s': %s", s->dir, e->d_name, strerror(errno));
			break;
		}
		m.number = number;
		vec_push(&s->files, m);
	}
	if (d)
		closedir(d);
	if (s->files.n)
		qsort(s->files.at, s->files.n, sizeof *s->files.at, by_number);
	return rc;
}

/* ---- frames ------------------------------------------------------------------------------ */

static void note_damage(struct store *s, const struct mapped *m, uint64_t at)
{
	if (s->damage.n)
		return;
	strbuf_addf(&s->damage, "'%s/", s->dir);
	if (m->number > 0)
		strbuf_addf(&s->damage, STORE_LOG ".%" PRId64, m->number);
	else
		strbuf_adds(&s->damage, m->number ? STORE_FIRST : STORE_LOG);
	strbuf_addf(&s->damage, "' is damaged at byte %" PRIu64, at);
}

/* Spends bytes of the budget for the search after damage; false if it is used up. */
static bool spend_patience(struct store *s, uint64_t n)
{
	s->patience -= MIN(n, s->patience);
	return s->patience;
}

/* Reads the frame at offset `at`; false if its head or its data is not as it was written. */
static bool frame_at(struct store *s, const struct mapped *m, size_t at, struct store_frame *f)
{
	if (m->n - at < sizeof *f)
		return false;
	memcpy(f, m->data + at, sizeof *f);
	if (f->magic != STORE_MAGIC ||
		f->head != store_check(s->meta.id, f, offsetof(struct store_frame, head)) ||
		f->thread >= LOG_MAX_THREADS || f->raw > LOG_CHUNK_DATA || f->packed > f->raw ||
		f->packed > m->n - at - sizeof *f)
		return false;
	if (store_check(s->meta.id, m->data + at + sizeof *f, f->packed) == f->check)
		return true;
	spend_patience(s, f->packed);
	return false;
}

/* Offset of the first frame at or after `at`; the end of the file if there is none. */
static size_t find_frame(struct store *s, const struct mapped *m, size_t at)
{
	static const uint32_t magic = STORE_MAGIC;
	struct store_frame f;

	while (spend_patience(s, sizeof f)) {
		size_t n = MIN(m->n - at, s->patience);
		const uint8_t *p = memmem(m->data + at, n, &magic, sizeof magic);

		spend_patience(s, p ? (uint64_t)(p - m->data) - at : n);
		if (!p)
			break;
		at = (size_t)(p - m->data);
		if (frame_at(s, m, at, &f))
			return at;
		at++;
	}
	return m->n;
}

/* Finds all frames of a file. If no frame follows the last one, bytes were changed, inserted or
 * removed: the search for the next starts right after its head. */
static void scan_file(struct store *s, const struct mapped *m)
{
	size_t at = 0, last = 0;
	struct store_frame f;

	while (at < m->n) {
		if (!frame_at(s, m, at, &f)) {
			note_damage(s, m, at);
			at = find_frame(s, m, last);
			if (at >= m->n || !frame_at(s, m, at, &f))
				return;
		}
		s->frames++;
		s->frame_sum += f.head;
		vec_push(&s->chunks, (struct chunk){.thread = f.thread,
					     .seq = f.seq,
					     .raw = f.raw,
					     .packed = f.packed,
					     .flags = f.flags,
					     .data = m->data + at + sizeof f});
		last = at + sizeof f;
		at = last + f.packed;
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	/* the complete chunk before partial ones, larger ones first */
	if ((x->flags ^ y->flags) & STORE_PARTIAL)
		return y->flags & STORE_PARTIAL ? -1 : 1;
	if (x->raw != y->raw)
		return x->raw > y->raw ? -1 : 1;
	return (x->data > y->data) - (x->data < y->data);
}

static void sort_chunks(struct store *s)
{
	uint32_t n = 0;

	if (!s->chunks.n)
		return;
	qsort(s->chunks.at, s->chunks.n, sizeof *s->chunks.at, by_thread);
	vec_each (&s->chunks, i) {
		const struct chunk *c = &s->chunks.at[i];

		if (!n || c->thread != s->chunks.at[n - 1].thread ||
			c->seq != s->chunks.at[n - 1].seq)
			s->chunks.at[n++] = *c;
	}
	s->chunks.n = n;
}

/* ---- streams ----------------------------------------------------------------------------- */

/* End of the consecutive chunks from i on. A partial chunk ends them: its rest is missing. */
static uint32_t run_end(const struct store *s, uint32_t i, uint32_t end)
{
	const struct chunk *c = s->chunks.at;

	for (i++; i < end && c[i].seq == c[i - 1].seq + 1; i++)
		if (c[i - 1].flags & STORE_PARTIAL)
			break;
	return i;
}

static bool may_begin(const struct chunk *c)
{
	return !c->seq || c->flags & LOG_CHUNK_STATE;
}

static void add_stream(struct store *s, uint32_t from, uint32_t end)
{
	bool limited = s->meta.limit || s->meta.window;
	const struct chunk *c = s->chunks.at;
	uint32_t to = run_end(s, from, end);
	struct stream st = {.head = from};

	while (limited && to < end) {
		from = to;
		to = run_end(s, from, end);
	}
	/* skip chunks that reading cannot begin at */
	while (from < to && !(limited ? may_begin(&c[from]) : !c[from].seq))
		from++;
	st.from = from;
	st.pub.thread = c[end - 1].thread;
	st.pub.first_seq = from < to ? c[from].seq : 0;
	st.pub.nchunks = to - from;
	st.pub.begins = from < to && !c[from].seq;
	st.pub.first_at = from < to && c[from].seq ? c[from].flags >> LOG_CHUNK_AT : 0;
	st.pub.ends = from < to && c[to - 1].flags & LOG_CHUNK_LAST;
	if (st.pub.ends)
		st.pub.stop = c[to - 1].flags >> LOG_CHUNK_WHY & 0xff;
	for (uint32_t i = from; i < to; i++)
		st.pub.bytes += c[i].raw;
	if (!st.pub.nchunks)
		st.pub.damage = "the beginning of its log is damaged or missing";
	else if (to < end)
		st.pub.damage = "a part of its log is damaged or missing";
	vec_push(&s->streams, st);
}

static void make_streams(struct store *s)
{
	uint32_t from = 0;

	for (uint32_t i = 1; i <= s->chunks.n; i++)
		if (i == s->chunks.n || s->chunks.at[i].thread != s->chunks.at[from].thread) {
			add_stream(s, from, i);
			from = i;
		}
}

/* ---- opening ----------------------------------------------------------------------------- */

static void find_frames(struct store *s)
{
	const struct store_meta *m = &s->meta;

	s->patience = SEARCH_BYTES;
	vec_each (&s->files, i)
		if (s->files.at[i].data)
			scan_file(s, &s->files.at[i]);
	if (!s->damage.n && (s->frames != m->frames || s->frame_sum != m->frame_sum))
		strbuf_addf(&s->damage, "'%s' has %" PRIu64 " frames%s, %" PRIu64 " were written",
			s->dir, s->frames, s->frames == m->frames ? ", not the right ones" : "",
			m->frames);
}

static int read_meta(struct store *s, int dirfd)
{
	char *path = xasprintf("%s/" STORE_META, s->dir);
	struct mapped m;
	int rc;

	if (map_file(dirfd, STORE_META, &m)) {
		rc = error_("'%s' is not a trace of heddle: cannot read '%s': %s", s->dir, path,
			strerror(errno));
	} else {
		rc = store_meta_read(&s->meta, path, m.data ? (const char *)m.data : "", m.n);
		unmap_file(&m);
	}
	if (!rc && s->meta.version != LOG_VERSION)
		rc = error_at((struct diag_pos){.file = path},
			"the trace has version %u, this heddle reads version %u (record again)",
			s->meta.version, LOG_VERSION);
	free(path);
	return rc;
}

struct store *store_open(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct store *s;
	int rc;

	if (fd < 0) {
		error_("cannot open the trace '%s': %s", dir, strerror(errno));
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	s->dir = xstrdup(dir);
	rc = read_meta(s, fd) || map_logs(s, fd);
	close(fd);
	if (rc) {
		store_free(s);
		return NULL;
	}
	find_frames(s);
	sort_chunks(s);
	make_streams(s);
	return s;
}

void store_free(struct store *s)
{
	vec_each (&s->files, i)
		unmap_file(&s->files.at[i]);
	vec_release(&s->files);
	vec_release(&s->chunks);
	vec_release(&s->streams);
	store_meta_release(&s->meta);
	strbuf_release(&s->damage);
	free(s->program);
	free(s->dir);
	free(s);
}

/* ---- entry points ------------------------------------------------------------------------- */

const struct store_meta *store_meta(const struct store *s)
{
	return &s->meta;
}

const char *store_damage(const struct store *s)
{
	return s->meta.complete && s->damage.n ? s->damage.s : NULL;
}

uint32_t store_nthreads(const struct store *s)
{
	return s->streams.n;
}

const struct store_stream *store_stream(const struct store *s, uint32_t i)
{
	return &s->streams.at[i].pub;
}

static int64_t unpack_chunk(const struct chunk *c, uint8_t *buf)
{
	size_t n = c->packed;

	if (c->packed == c->raw)
		memcpy(buf, c->data, n);
	else
		n = ZSTD_decompress(buf, LOG_CHUNK_DATA, c->data, c->packed);
	return ZSTD_isError(n) || n != c->raw ? -1 : (int64_t)n;
}

int64_t store_read(const struct store *s, uint32_t i, uint32_t k, uint8_t *buf)
{
	const struct stream *st = &s->streams.at[i];

	BUG_ON(k >= st->pub.nchunks);
	return unpack_chunk(&s->chunks.at[st->from + k], buf);
}

/* The record may need several chunks. */
int store_head(const struct store *s, uint32_t stream, struct strbuf *out)
{
	const struct stream *st = &s->streams.at[stream];
	uint8_t *buf = xmalloc(LOG_CHUNK_DATA);
	uint64_t have = 0, want = sizeof(struct log_thread);
	size_t from = out->n;
	struct log_thread t;

	for (uint32_t i = 0; st->head + i < s->chunks.n && have < want; i++) {
		const struct chunk *c = &s->chunks.at[st->head + i];
		int64_t n =
			c->thread != st->pub.thread || c->seq != i ? -1 : unpack_chunk(c, buf);

		if (n < 0)
			break;
		strbuf_add(out, buf, (size_t)n);
		have += (uint64_t)n;
		if (i == 0 && have >= sizeof t) {
			uint64_t words;

			memcpy(&t, out->s + from, sizeof t);
			words = (uint64_t)t.ntls + t.nglobals + t.nfuncs;
			want += 8 * words;
			if (words > HEAD_WORDS)
				break;
		}
	}
	free(buf);
	if (have < want || out->s[from] != LOG_THREAD) {
		out->n = from;
		return -1;
	}
	out->n = from + want;
	return 0;
}

static int read_program(struct store *s, const char *path, const struct mapped *m)
{
	struct diag_pos pos = {.file = path};
	struct store_program_head h;
	size_t n;

	if (m->n < sizeof h)
		return error_at(pos, "the file is truncated (record again)");
	memcpy(&h, m->data, sizeof h);
	if (h.magic != STORE_PROGRAM_MAGIC ||
		h.head != store_check(s->meta.id, &h, offsetof(struct store_program_head, head)))
		return error_at(
			pos, "the file is damaged, or belongs to another trace (record again)");
	if (h.packed != m->n - sizeof h)
		return error_at(pos, "the file is truncated (record again)");
	if (store_check(s->meta.id, m->data + sizeof h, h.packed) != h.check)
		return error_at(pos, "the file is damaged (record again)");
	if (h.raw > PROGRAM_BYTES || h.raw > MAX((uint64_t)PROGRAM_SMALL, PROGRAM_RATIO * h.packed))
		return error_at(pos,
			"%" PRIu64 " bytes of bitcode in a file of %zu bytes are not read: the file is "
			"damaged or was made to use up memory (record again)",
			h.raw, m->n);
	s->program = xmalloc(MAX(h.raw, 1));
	n = ZSTD_decompress(s->program, h.raw, m->data + sizeof h, h.packed);
	if (ZSTD_isError(n) || n != h.raw) {
		free(s->program);
		s->program = NULL;
		return error_at(pos, "the file is damaged (record again)");
	}
	s->program_n = n;
	return 0;
}

const void *store_program(struct store *s, size_t *n)
{
	char *path = xasprintf("%s/" STORE_PROGRAM, s->dir);
	struct mapped m;

	if (!s->program) {
		if (map_file(AT_FDCWD, path, &m))
			error_("cannot read '%s': %s", path, strerror(errno));
		else
			(void)read_program(s, path, &m), unmap_file(&m);
	}
	free(path);
	*n = s->program_n;
	return s->program;
}
