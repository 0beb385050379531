/*
 * Any bytes in the memory that a program shares with the collector, while the collector works and
 * after the program has died: the collector ends, and what it wrote is a trace that can be read. The
 * input is pieces: a place (one byte: head, ctl, head of a chunk, data of a chunk), its number (one
 * byte), an offset and a size (one byte each), the bytes.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/vec.h"
#include "log/collect.h"
#include "log/format.h"
#include "log/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

static uint64_t place_of(uint8_t place, uint8_t number, uint8_t offset)
{
	switch (place % 4) {
	case 0: return (uint64_t)(number * 16u + offset) % sizeof(struct log_shared);
	case 1: return LOG_CTL_AT(number) + offset % sizeof(struct log_ctl);
	case 2: return LOG_CHUNK_AT(number) + offset % sizeof(struct log_chunk);
	default: return LOG_CHUNK_AT(number) + sizeof(struct log_chunk) + offset;
	}
}

static void put_pieces(uint8_t *map, const uint8_t *data, size_t n)
{
	while (n >= 4) {
		uint64_t at = place_of(data[0], data[1], data[2]);
		size_t size = MIN((size_t)data[3], n - 4);

		memcpy(map + at, data + 4, size);
		data += 4 + size;
		n -= 4 + size;
	}
}

/* A process that has ended. */
static int dead_process(void)
{
	static int pidfd = -1;
	pid_t pid;

	if (pidfd >= 0)
		return pidfd;
	pid = fork();
	if (!pid)
		_exit(0);
	BUG_ON(pid < 0);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	BUG_ON(pidfd < 0);
	waitpid(pid, NULL, 0);
	return pidfd;
}

static void collect(struct store_writer *w, const uint8_t *data, size_t n)
{
	struct collector *c = collector_new(w);
	struct store_meta m = {.version = LOG_VERSION, .exe = "/bin/x", .cwd = "/", .image = "record"};
	uint8_t *map;

	BUG_ON(!c);
	map = mmap(NULL, LOG_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		collector_fd(c), 0);
	BUG_ON(map == MAP_FAILED);
	put_pieces(map, data, n);
	collector_run(c, dead_process());
	collector_describe(c, &m);
	store_put_meta(w, &m);
	vec_release(&m.crashes);
	munmap(map, LOG_SHARED_SIZE);
	collector_free(c);
}

static void read_streams(const struct store *s)
{
	uint8_t *bytes = xmalloc(LOG_CHUNK_DATA);

	for (uint32_t i = 0; i < store_nthreads(s); i++)
		for (uint32_t k = 0; k < store_stream(s, i)->nchunks; k++)
			BUG_ON(store_read(s, i, k, bytes) > LOG_CHUNK_DATA);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *dir = temporary_directory("collect"), *trace = xasprintf("%s/trace", dir);
	struct store_writer *w;
	struct store *s;

	diag_set_sink(ignore, NULL);
	w = store_create(trace, 0);
	BUG_ON(!w || store_put_program(w, "bitcode", 7));
	collect(w, data, n);
	store_close(w);
	s = store_open(trace);
	if (s)
		read_streams(s);
	store_free(s);
	diag_set_sink(NULL, NULL);
	remove_directory(dir);
	free(trace);
	free(dir);
	return 0;
}
