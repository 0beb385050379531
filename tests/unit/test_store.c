/*
 * Traces on disk: what is written is read again, whatever happens to the files in between is
 * noticed, limits hold at every moment, and nothing that is not ours is touched.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/store.h"
#include "log/store_internal.h"
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char box[64]; /* in memory where that is possible: thousands of files are written */
static char messages[4096];

static void take_message(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(messages, sizeof messages, "%s", text);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int enter(void **state)
{
	(void)state;
	snprintf(box, sizeof box, "%s/heddle-test-store-XXXXXX",
		access("/dev/shm", W_OK | X_OK) ? "/tmp" : "/dev/shm");
	messages[0] = 0;
	diag_set_sink(take_message, NULL);
	return mkdtemp(box) && !chdir(box) ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	diag_set_sink(NULL, NULL);
	return chdir("/") || nftw(box, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- what is written --------------------------------------------------------------------- */

static const char weird[] = "a\\b\n\tc=\x01\xff\x7f\r ";

static struct store_meta some_meta(void)
{
	struct store_meta m = {.exe = xstrdup("/bin/prog"),
		.cwd = xstrdup(""),
		.image = xstrdup("record"),
		.bitcode = UINT64_MAX,
		.plan = 77,
		.version = LOG_VERSION,
		.llvm = 19,
		.status = -5,
		.complete = true,
		.forks = 3};

	vec_push(&m.argv, xstrdup("./prog"));
	vec_push(&m.argv, xstrdup(""));
	vec_push(&m.argv, xstrdup(weird));
	vec_push(&m.exclude, xstrdup("lib*"));
	vec_push(&m.crashes, (struct store_crash){3, 11, 0xfff, 0x401000, 99});
	return m;
}

/* Chunk `seq` of a thread, the same each time; some compress, some do not. */
static uint32_t fill(uint8_t *buf, uint32_t thread, uint32_t seq, uint32_t n)
{
	uint64_t x = hash_u64(thread * 1000u + seq + 1);

	for (uint32_t i = 0; i < n; i++)
		buf[i] = (uint8_t)(seq % 2 ? hash_u64(x + i) : x >> (i / 16 % 8));
	return n;
}

enum { THREADS = 3, CHUNKS = 4 };

static uint32_t size_of(uint32_t thread, uint32_t seq)
{
	return 20 + thread * 7 + seq * 11;
}

static void write_small(const char *dir)
{
	struct store_writer *w = store_create(dir, 0);
	struct store_meta m = some_meta();
	uint8_t buf[256];

	assert_non_null(w);
	assert_int_equal(store_put_program(w, "bitcode bitcode bitcode", 23), 0);
	for (uint32_t k = 0; k < CHUNKS; k++)
		for (uint32_t t = 0; t < THREADS; t++)
			assert_int_equal(
				store_put_chunk(w, t, k, k == CHUNKS - 1 ? LOG_CHUNK_LAST : 0, buf,
					fill(buf, t, k, size_of(t, k))),
				0);
	assert_int_equal(store_put_meta(w, &m), 0);
	store_meta_release(&m);
	store_close(w);
}

/* Every stream is a prefix of what was written. How many chunks there are. */
static uint32_t check_prefix(struct store *s)
{
	uint8_t *got = xmalloc(LOG_CHUNK_DATA), want[256];
	uint32_t n = 0;

	for (uint32_t i = 0; i < store_nthreads(s); i++) {
		const struct store_stream *st = store_stream(s, i);

		assert_true(st->thread < THREADS && st->nchunks <= CHUNKS && !st->first_seq);
		for (uint32_t k = 0; k < st->nchunks; k++) {
			int64_t size = store_read(s, i, k, got);

			if (size < 0)
				break;
			assert_int_equal(size, size_of(st->thread, k));
			fill(want, st->thread, k, (uint32_t)size);
			assert_memory_equal(got, want, (size_t)size);
			n++;
		}
		if (st->nchunks < CHUNKS)
			assert_true(!st->ends);
	}
	free(got);
	return n;
}

static void test_round_trip(void **state)
{
	const struct store_meta *m;
	struct store *s;
	size_t n;

	(void)state;
	write_small("t/");
	s = store_open("t");
	assert_non_null(s);
	assert_int_equal(store_nthreads(s), THREADS);
	assert_int_equal(check_prefix(s), THREADS * CHUNKS);
	assert_true(store_stream(s, 1)->begins && store_stream(s, 1)->ends);
	assert_null(store_stream(s, 1)->damage);
	assert_null(store_damage(s));
	assert_memory_equal(store_program(s, &n), "bitcode bitcode bitcode", 23);
	assert_int_equal(n, 23);
	m = store_meta(s);
	assert_string_equal(m->exe, "/bin/prog");
	assert_string_equal(m->cwd, "");
	assert_int_equal(m->argv.n, 3);
	assert_string_equal(m->argv.at[2], weird);
	assert_string_equal(m->argv.at[1], "");
	assert_string_equal(m->exclude.at[0], "lib*");
	assert_true(m->bitcode == UINT64_MAX && m->plan == 77 && m->status == -5 && m->complete);
	assert_true(!m->exited && m->forks == 3 && m->llvm == 19 && m->id);
	assert_int_equal(m->crashes.n, 1);
	assert_memory_equal(&m->crashes.at[0], (&(struct store_crash){3, 11, 0xfff, 0x401000, 99}),
		sizeof(struct store_crash));
	store_free(s);
}

/* ---- damage ------------------------------------------------------------------------------ */

static void put_file(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	fclose(f);
}

static bool noticed; /* look(): the log or the program is damaged, or there was an error */

/* An error, or a prefix. How many chunks are still to be had, -1 if it cannot be opened. */
static int look(void)
{
	struct store *s = store_open("t");
	const char *program;
	int n = -1;
	size_t size;

	noticed = true;

	if (!s) {
		assert_string_not_equal(messages, "");
		return -1;
	}
	n = (int)check_prefix(s);
	assert_string_equal(store_meta(s)->argv.at[2], weird);
	program = store_program(s, &size);
	if (program)
		assert_true(size == 23 && !memcmp(program, "bitcode bitcode bitcode", 23));
	noticed = store_damage(s) || !program;
	assert_true(store_damage(s) || n == THREADS * CHUNKS);
	store_free(s);
	return n;
}

static void damage_each_byte(const char *path, int at_least)
{
	struct strbuf whole = {0};
	int n;

	assert_int_equal(strbuf_read_file(&whole, path), 0);
	for (size_t i = 0; i < whole.n; i++) {
		whole.s[i] ^= (char)(1 << i % 8);
		put_file(path, whole.s, whole.n);
		n = look();
		assert_true(n >= at_least && n <= THREADS * CHUNKS);
		assert_true(noticed);
		whole.s[i] ^= (char)(1 << i % 8);
		put_file(path, whole.s, i);
		look();
		/* `meta` has blank lines at its end, which say nothing */
		assert_true(noticed || !strcmp(path, "t/meta"));
	}
	put_file(path, whole.s, whole.n);
	assert_int_equal(look(), THREADS * CHUNKS);
	assert_false(noticed);
	strbuf_release(&whole);
}

static void test_damaged_log(void **state)
{
	(void)state;
	write_small("t");
	/* one frame is lost, and of its thread what comes after it */
	damage_each_byte("t/log", (THREADS - 1) * CHUNKS);
}

static void test_damaged_meta(void **state)
{
	(void)state;
	write_small("t");
	damage_each_byte("t/meta", -1);
}

static void test_damaged_program(void **state)
{
	(void)state;
	write_small("t");
	damage_each_byte("t/program", THREADS * CHUNKS);
}

static void test_bytes_put_in_or_taken_away(void **state)
{
	struct strbuf whole = {0}, changed = {0};

	(void)state;
	write_small("t");
	assert_int_equal(strbuf_read_file(&whole, "t/log"), 0);
	for (size_t i = 0; i < whole.n; i++)
		for (size_t k = 1; k < 40; k += 13) {
			strbuf_clear(&changed);
			strbuf_add(&changed, whole.s, i);
			strbuf_add(&changed, whole.s + (i > k ? i - k : 0),
				whole.n - (i > k ? i - k : 0));
			put_file("t/log", changed.s, changed.n);
			assert_true(look() >= (THREADS - 1) * CHUNKS);
			assert_true(noticed || !i);
			strbuf_clear(&changed);
			strbuf_add(&changed, whole.s, i);
			strbuf_add(&changed, whole.s + MIN(whole.n, i + k),
				whole.n - MIN(whole.n, i + k));
			put_file("t/log", changed.s, changed.n);
			/* up to two neighbouring frames, of two threads */
			assert_true(look() >= (THREADS - 2) * CHUNKS);
			assert_true(noticed);
		}
	strbuf_release(&whole);
	strbuf_release(&changed);
}

/* Whole frames that are missing, doubled or exchanged leave every checksum of a frame right. */
static void test_frames_missing_or_doubled(void **state)
{
	struct strbuf whole = {0}, changed = {0};
	struct store_frame f;
	size_t n;

	(void)state;
	write_small("t");
	assert_int_equal(strbuf_read_file(&whole, "t/log"), 0);
	for (size_t at = 0; at < whole.n; at += n) {
		memcpy(&f, whole.s + at, sizeof f);
		n = sizeof f + f.packed;
		strbuf_clear(&changed);
		strbuf_add(&changed, whole.s, at);
		strbuf_add(&changed, whole.s + at + n, whole.n - at - n);
		put_file("t/log", changed.s, changed.n);
		look();
		assert_true(noticed);
		strbuf_add(&changed, whole.s, n); /* as many frames as before */
		if (at) {
			put_file("t/log", changed.s, changed.n);
			look();
			assert_true(noticed);
		}
		strbuf_clear(&changed);
		strbuf_add(&changed, whole.s, whole.n);
		strbuf_add(&changed, whole.s + at, n);
		put_file("t/log", changed.s, changed.n);
		look();
		assert_true(noticed);
	}
	strbuf_release(&whole);
	strbuf_release(&changed);
}

/* A short file that would need much memory. */
static void test_program_that_grows(void **state)
{
	size_t big = 100 << 20, n;
	char *zeros = xcalloc(1, big);
	struct store_meta m = some_meta();
	struct store_writer *w = store_create("t", 0);
	struct store *s;

	(void)state;
	assert_int_equal(store_put_program(w, zeros, big), 0);
	assert_int_equal(store_put_meta(w, &m), 0);
	store_close(w);
	store_meta_release(&m);
	s = store_open("t");
	assert_non_null(s);
	assert_null(store_program(s, &n));
	assert_non_null(strstr(messages, "t/program"));
	assert_non_null(strstr(messages, "use up memory"));
	store_free(s);
	free(zeros);
}

/* A frame of another trace is not taken for one of this, wherever it stands. */
static void test_another_trace(void **state)
{
	struct strbuf other = {0};

	(void)state;
	write_small("t");
	write_small("u");
	assert_int_equal(strbuf_read_file(&other, "u/log"), 0);
	put_file("t/log", other.s, other.n);
	assert_int_equal(look(), 0);
	strbuf_clear(&other);
	assert_int_equal(strbuf_read_file(&other, "u/program"), 0);
	put_file("t/program", other.s, other.n);
	assert_int_equal(look(), 0);
	assert_non_null(strstr(messages, "t/program"));
	strbuf_release(&other);
}

/* A part of a chunk is of use only while the whole one is not there, and nothing follows it. */
static void test_parts(void **state)
{
	struct store_writer *w = store_create("t", 0);
	struct store_meta m = {.version = LOG_VERSION};
	uint8_t buf[300], got[LOG_CHUNK_DATA];
	struct store *s;

	(void)state;
	store_put_meta(w, &m);
	store_put_chunk(w, 0, 0, STORE_PARTIAL, buf, fill(buf, 0, 0, 100));
	store_put_chunk(w, 0, 0, STORE_PARTIAL, buf, fill(buf, 0, 0, 200));
	s = store_open("t");
	assert_int_equal(store_stream(s, 0)->nchunks, 1);
	assert_int_equal(store_read(s, 0, 0, got), 200);
	store_free(s);
	store_put_chunk(w, 0, 1, 0, buf, fill(buf, 0, 1, 50));
	s = store_open("t");
	assert_int_equal(store_stream(s, 0)->nchunks, 1);
	assert_non_null(store_stream(s, 0)->damage);
	store_free(s);
	store_put_chunk(w, 0, 0, STORE_PARTIAL, buf, fill(buf, 0, 0, 300));
	store_put_chunk(w, 0, 0, 0, buf, fill(buf, 0, 0, 300));
	s = store_open("t");
	assert_int_equal(store_stream(s, 0)->nchunks, 2);
	assert_null(store_stream(s, 0)->damage);
	assert_int_equal(store_read(s, 0, 0, got), 300);
	fill(buf, 0, 0, 300);
	assert_memory_equal(got, buf, 300);
	store_free(s);
	store_close(w);
}

static void test_unknown_keys(void **state)
{
	struct strbuf text = {0};
	struct store_meta m = some_meta(), again;
	const char *at;
	char check[64];

	(void)state;
	store_meta_write(&text, &m);
	store_meta_release(&m);
	at = strstr(text.s, "\ncheck=");
	text.n = (size_t)(at - text.s) + 1;
	strbuf_adds(&text, "colour=blue\n");
	snprintf(check, sizeof check, "check=%016lx\n\n\n", store_check(0, text.s, text.n));
	strbuf_adds(&text, check);
	assert_int_equal(store_meta_read(&again, "meta", text.s, text.n), 0);
	assert_string_equal(again.exe, "/bin/prog");
	store_meta_release(&again);
	strbuf_release(&text);
}

static void test_version(void **state)
{
	struct store_writer *w = store_create("t", 0);
	struct store_meta m = {.version = LOG_VERSION + 1};

	(void)state;
	store_put_meta(w, &m);
	store_close(w);
	assert_null(store_open("t"));
	assert_non_null(strstr(messages, "t/meta: error: the trace has version"));
	assert_null(store_open("nothing"));
	assert_non_null(strstr(messages, "cannot open the trace 'nothing'"));
	assert_null(store_open("."));
	assert_non_null(strstr(messages, "is not a trace of heddle"));
}

/* ---- places ------------------------------------------------------------------------------ */

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static void test_old_trace_stays_until_settled(void **state)
{
	struct store_writer *w;
	struct store *s;
	uint64_t id;

	(void)state;
	write_small("t");
	s = store_open("t");
	id = store_meta(s)->id;
	store_free(s);
	w = store_create("t", 0);
	store_abandon(w);
	assert_int_equal(look(), THREADS * CHUNKS);
	w = store_create("t", 0);
	assert_int_equal(look(), THREADS * CHUNKS);
	assert_int_equal(store_settle(w), 0);
	s = store_open("t");
	assert_true(store_meta(s)->id != id);
	store_free(s);
	/* what is written after it was moved is there too */
	assert_int_equal(store_put_chunk(w, 0, 0, 0, (const uint8_t *)"abc", 3), 0);
	assert_null(store_create("t", 0));
	assert_non_null(strstr(messages, "still being written"));
	store_close(w);
	s = store_open("t");
	assert_int_equal(store_nthreads(s), 1);
	store_free(s);
	assert_int_equal(system("test \"$(ls)\" = t"), 0);
	w = store_create("new", 0);
	store_abandon(w);
	assert_false(exists("new"));
}

static void test_strange_places(void **state)
{
	(void)state;
	mkdir("full", 0777);
	put_file("full/letter", "dear", 4);
	put_file("file", "x", 1);
	mkdir("like", 0777);
	put_file("like/log", "mine", 4);
	assert_null(store_create("full", 0));
	assert_non_null(strstr(messages, "'full' exists and is not a trace of heddle"));
	assert_null(store_create("file", 0));
	assert_non_null(strstr(messages, "'file' exists and is not a trace"));
	assert_null(store_create("like", 0));
	assert_non_null(strstr(messages, "'like' exists and is not a trace"));
	assert_null(store_create("no/such/place", 0));
	assert_non_null(
		strstr(messages, "cannot make the directory 'no/such/place': No such file"));
	write_small("mixed");
	put_file("mixed/notes", "mine", 4);
	assert_null(store_create("mixed", 0));
	assert_true(exists("full/letter") && exists("file") && exists("like/log") &&
		    exists("mixed/notes"));
	mkdir("empty", 0777);
	write_small("empty");
	assert_true(exists("empty/meta"));
}

/* ---- limits ------------------------------------------------------------------------------ */

static uint64_t disk_usage(const char *dir)
{
	char command[256];
	unsigned long n = 0;
	FILE *f;

	snprintf(command, sizeof command, "cat %s/log* %s/first 2>/dev/null | wc -c", dir, dir);
	f = popen(command, "r");
	assert_int_equal(fscanf(f, "%lu", &n), 1);
	pclose(f);
	return n;
}

/* The newest run of a stream, from a chunk with a state on, ends with its newest chunk. */
static void check_newest(const char *dir, uint32_t last, uint32_t at_least)
{
	struct store *s = store_open(dir);
	uint8_t *got = xmalloc(LOG_CHUNK_DATA), *want = xmalloc(LOG_CHUNK_DATA);
	struct strbuf record = {0};

	assert_non_null(s);
	for (uint32_t i = 0; i < store_nthreads(s); i++) {
		const struct store_stream *st = store_stream(s, i);

		assert_true(st->nchunks >= at_least && st->first_seq + st->nchunks == last + 1);
		assert_null(st->damage);
		for (uint32_t k = 0; k < st->nchunks; k++) {
			int64_t n = store_read(s, i, k, got);

			assert_int_equal(n, 60000);
			fill(want, st->thread, st->first_seq + k, 60000);
			if (st->first_seq + k)
				assert_memory_equal(got, want, 60000);
		}
	}
	assert_int_equal(store_head(s, 0, &record), 0);
	assert_int_equal(record.n, sizeof(struct log_thread) + 24);
	strbuf_release(&record);
	store_free(s);
	free(got);
	free(want);
}

/* Writes chunks and closes the store; returns the number of dropped chunks. */
static uint64_t write_many(struct store_writer *w, const char *dir, uint32_t n, uint64_t most)
{
	struct log_thread first = {.tag = LOG_THREAD, .ntls = 1, .nglobals = 1, .nfuncs = 1};
	uint8_t *buf = xmalloc(LOG_CHUNK_DATA);
	struct store_meta m = {.version = LOG_VERSION};
	struct store *s;
	uint64_t dropped;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t t = 0; t < 2; t++) {
			fill(buf, t, k, 60000);
			if (!t && !k)
				memcpy(buf, &first, sizeof first);
			assert_int_equal(
				store_put_chunk(w, t, k,
					LOG_CHUNK_STATE | (!t && !k ? STORE_KEEP : 0), buf, 60000),
				0);
			if (k % 8 == 0)
				assert_true(disk_usage(dir) <= most);
			assert_true(store_written(w) <= most);
		}
	assert_int_equal(store_put_meta(w, &m), 0);
	store_close(w);
	free(buf);
	s = store_open(dir);
	dropped = store_meta(s)->dropped;
	store_free(s);
	return dropped;
}

static void test_limit(void **state)
{
	struct store_writer *w = store_create("t", 1 << 20);

	(void)state;
	assert_true(write_many(w, "t", 100, 1 << 20) > 100);
	assert_true(disk_usage("t") > (1 << 20) * 3 / 4);
	check_newest("t", 99, 10);
}

/* First records of threads that are gone do not add up either. */
static void test_limit_with_many_threads(void **state)
{
	struct store_writer *w = store_create("t", 1 << 20);
	struct log_thread head = {.tag = LOG_THREAD};
	struct store_meta m = {.version = LOG_VERSION};
	struct strbuf record = {0};
	uint8_t buf[2000];
	struct store *s;

	(void)state;
	for (uint32_t t = 0; t < 30000; t++) {
		store_put_chunk(w, t, 0, STORE_KEEP, (const uint8_t *)&head, sizeof head);
		if (t != 5) /* which has not logged more yet */
			store_put_chunk(w, t, 1, LOG_CHUNK_LAST | LOG_CHUNK_STATE, buf,
				fill(buf, t, 1, 200));
		assert_true(store_written(w) <= 1 << 20);
		if (t % 5000 == 0)
			assert_true(disk_usage("t") <= 1 << 20);
	}
	store_put_chunk(w, 5, 1, LOG_CHUNK_LAST | LOG_CHUNK_STATE, buf, fill(buf, 5, 1, 200));
	store_put_meta(w, &m);
	store_close(w);
	s = store_open("t");
	assert_int_equal(store_stream(s, 0)->thread, 5);
	assert_int_equal(store_head(s, 0, &record), 0);
	for (uint32_t i = 1; i < store_nthreads(s); i++)
		if (store_stream(s, i)->nchunks > 1)
			assert_int_equal(store_head(s, i, &record), 0);
	assert_true(store_nthreads(s) > 1000);
	strbuf_release(&record);
	store_free(s);
}

static void test_limit_not_reached(void **state)
{
	struct store_writer *w = store_create("t", 100 << 20);
	struct store *s;

	(void)state;
	assert_int_equal(write_many(w, "t", 10, 100 << 20), 0);
	check_newest("t", 9, 10);
	s = store_open("t");
	assert_true(store_stream(s, 0)->begins && store_stream(s, 1)->begins);
	store_free(s);
}

static void test_window(void **state)
{
	struct store_writer *w = store_create("t", 0);

	(void)state;
	store_set_window(w, 5);
	/* of what is in the window twice and the slack, and the copy beside it */
	assert_true(write_many(w, "t", 200, (3 * 10 * 60000) + (1 << 20) + 200000) > 100);
	check_newest("t", 199, 5);
}

/* ---- a full disk --------------------------------------------------------------------------- */

/* RLIMIT_FSIZE stands for it: writes past that size fail with EFBIG. */
static void test_no_space(void **state)
{
	struct rlimit old, small = {100000, RLIM_INFINITY};
	struct store_writer *w = store_create("t", 0);
	struct store_meta m = some_meta();
	uint8_t *buf = xmalloc(LOG_CHUNK_DATA);
	struct store *s;
	uint32_t k = 1;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	while (!store_put_chunk(w, 0, k - 1, 0, buf, fill(buf, 0, 1, 30000)))
		k++;
	assert_int_equal(k, 4);
	assert_non_null(strstr(messages, "cannot write 't/log': File too large"));
	messages[0] = 0;
	assert_int_equal(store_put_chunk(w, 0, k, 0, buf, 1), -1);
	assert_string_equal(messages, "");
	assert_int_equal(store_put_meta(w, &m), 0);
	setrlimit(RLIMIT_FSIZE, &old);
	store_meta_release(&m);
	store_close(w);
	s = store_open("t");
	assert_int_equal(store_stream(s, 0)->nchunks, 3);
	assert_string_equal(store_meta(s)->argv.at[2], weird);
	store_free(s);
	free(buf);
}

/* The recording was killed before the program's first message. */
static void test_killed_before_the_first_message(void **state)
{
	struct store_writer *w = store_create("killed", 0);
	struct store_meta m = some_meta();

	(void)state;
	m.plan = 0;
	m.complete = false;
	assert_int_equal(store_put_program(w, "bitcode", 7), 0);
	assert_int_equal(store_put_meta(w, &m), 0);
	store_meta_release(&m);
	store_close(w);
	assert_null(trace_open("killed"));
	assert_non_null(strstr(messages, "the main thread's log is missing"));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		T(test_round_trip),
		T(test_damaged_log),
		T(test_damaged_meta),
		T(test_damaged_program),
		T(test_frames_missing_or_doubled),
		T(test_program_that_grows),
		T(test_bytes_put_in_or_taken_away),
		T(test_another_trace),
		T(test_parts),
		T(test_unknown_keys),
		T(test_version),
		T(test_old_trace_stays_until_settled),
		T(test_strange_places),
		T(test_limit),
		T(test_limit_with_many_threads),
		T(test_limit_not_reached),
		T(test_window),
		T(test_no_space),
		T(test_killed_before_the_first_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
