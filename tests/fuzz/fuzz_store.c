/*
 * Any bytes as a trace. The input is a text for `meta`, a zero byte, and a log. The checks in both
 * are made right where that is possible, so that what they protect is reached: then whatever the
 * reader gives fits its checks, and nothing is read outside the files.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "log/store_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ignore(void *ctx, const char *message)
{
	(void)ctx, (void)message;
}

static void put_file(const char *dir, const char *name, const void *data, size_t n)
{
	char *path = xasprintf("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	BUG_ON(fd < 0 || write(fd, data, n) != (ssize_t)n);
	close(fd);
	free(path);
}

static void remove_dir(const char *dir)
{
	static const char *const names[] = {STORE_META, STORE_LOG, STORE_PROGRAM};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xasprintf("%s/%s", dir, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

/* What is read is written again, and that is read as the same. */
static void read_meta(const char *text, size_t n)
{
	struct strbuf fixed = {0}, once = {0}, twice = {0};
	struct store_meta m;

	strbuf_adds(&fixed, STORE_META_HEAD);
	strbuf_add(&fixed, text, n);
	if (!n || text[n - 1] != '\n')
		strbuf_addc(&fixed, '\n');
	strbuf_addf(&fixed, "check=%016lx\n", store_check(0, fixed.s, fixed.n));
	if (!store_meta_read(&m, "fuzz", fixed.s, fixed.n)) {
		store_meta_write(&once, &m);
		store_meta_release(&m);
		BUG_ON(store_meta_read(&m, "fuzz", once.s, once.n));
		store_meta_write(&twice, &m);
		BUG_ON(once.n != twice.n || memcmp(once.s, twice.s, once.n));
	}
	store_meta_release(&m);
	strbuf_release(&fixed);
	strbuf_release(&once);
	strbuf_release(&twice);
}

static void fix_heads(uint8_t *log, size_t n, uint64_t id)
{
	struct store_frame f;

	for (size_t i = 0; n >= sizeof f && i <= n - sizeof f; i++) {
		memcpy(&f, log + i, sizeof f);
		if (f.magic != STORE_MAGIC)
			continue;
		f.head = store_check(id, &f, offsetof(struct store_frame, head));
		memcpy(log + i, &f, sizeof f);
		i += sizeof f - 1;
	}
}

static void read_trace(const char *dir)
{
	struct store *s = store_open(dir);
	uint8_t *buf = xmalloc(LOG_CHUNK_DATA);
	struct strbuf first = {0};
	size_t size;

	for (uint32_t i = 0; s && i < store_nthreads(s); i++) {
		const struct store_stream *st = store_stream(s, i);

		BUG_ON(st->thread >= LOG_MAX_THREADS || (!st->nchunks && !st->damage));
		BUG_ON(i && store_stream(s, i - 1)->thread >= st->thread);
		for (uint32_t k = 0; k < st->nchunks; k++)
			BUG_ON(store_read(s, i, k, buf) > LOG_CHUNK_DATA);
		store_head(s, i, &first);
	}
	if (s) {
		store_program(s, &size);
		store_free(s);
	}
	strbuf_release(&first);
	free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *end = n ? memchr(data, 0, n) : NULL;
	size_t meta = end ? (size_t)(end - data) : n, log = end ? n - meta - 1 : 0;
	uint8_t *copy = xmalloc(log + 1);
	char dir[] = "/tmp/heddle-fuzz-store-XXXXXX";
	struct store_meta m = {.version = LOG_VERSION, .id = 42, .limit = n % 3 ? 0 : 1};
	struct strbuf text = {0};

	diag_set_sink(ignore, NULL);
	read_meta((const char *)data, meta);
	BUG_ON(!mkdtemp(dir));
	memcpy(copy, data + (end ? meta + 1 : 0), log);
	fix_heads(copy, log, m.id);
	store_meta_write(&text, &m);
	put_file(dir, STORE_META, text.s, text.n);
	put_file(dir, STORE_LOG, copy, log);
	put_file(dir, STORE_PROGRAM, copy, log);
	read_trace(dir);
	remove_dir(dir);
	free(copy);
	strbuf_release(&text);
	diag_set_sink(NULL, NULL);
	return 0;
}
