/*
 * Any bytes as the streams of the threads of a run, up to its trace program. The program is that of
 * tests/mutation/target.c, as heddle-cc made it (trace_program.bc). The input is chunks: the
 * thread, a byte of flags, the size (two bytes, little-endian), the data. `forge_trace --pack`
 * makes one from a trace. The checksums are right, so that what comes after them is reached:
 * whatever the threads did, the trace is refused, or it has a trace program that can be printed.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "extract/extract.h"
#include "import/import.h"
#include "base/vec.h"
#include "log/store.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\n"
	"bitcode_start: .incbin \"" FUZZ_DIR "/trace_program.bc\"\n"
	"bitcode_end: .previous");
extern const uint8_t bitcode_start[], bitcode_end[];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

static uint64_t plan_hash(void)
{
	static uint64_t hash;
	struct ir_program *p;
	struct plan_options opt = {.exclude = (const char *const[]){NULL}};
	struct plan *pl;

	if (hash)
		return hash;
	p = ir_program_new();
	BUG_ON(import_bitcode(
		p, "program", bitcode_start, (size_t)(bitcode_end - bitcode_start), 0));
	pl = plan_new(p, &opt, false);
	hash = pl->hash;
	plan_free(pl);
	ir_program_free(p);
	return hash;
}

static uint32_t put_chunks(struct store_writer *w, const uint8_t *data, size_t n)
{
	uint32_t next[256] = {0}, threads = 0;

	while (n >= 4) {
		uint32_t thread = data[0], flags = data[1] & LOG_CHUNK_LAST;
		size_t size = MIN((size_t)(data[2] | data[3] << 8), n - 4);

		threads += !next[thread];
		store_put_chunk(w, thread, next[thread]++, flags, data + 4, (uint32_t)size);
		data += 4 + size;
		n -= 4 + size;
	}
	return threads;
}

static void write_trace(const char *dir, const uint8_t *data, size_t n)
{
	size_t size = (size_t)(bitcode_end - bitcode_start);
	struct store_writer *w = store_create(dir, 0);
	struct store_meta m = {.version = LOG_VERSION,
		.exe = (char *)"program",
		.cwd = (char *)"/",
		.image = (char *)"record",
		.plan = plan_hash(),
		.bitcode = hash_bytes(bitcode_start, size),
		.tsc_end = 1000000,
		.ns_end = 1000000,
		.complete = true,
		.exited = true};

	BUG_ON(!w);
	vec_push(&m.argv, (char *)"program");
	store_put_program(w, bitcode_start, size);
	m.nthreads = put_chunks(w, data, n);
	store_put_meta(w, &m);
	store_close(w);
	vec_release(&m.argv);
}

static void extract_trace(const char *dir, bool merge)
{
	struct extract_options opt = {
		.jobs = 1, .reduce = !merge, .merge = merge, .max_events = 10000};
	struct trace *t = trace_open(dir);
	const struct ctp *c = t ? extract(t, &opt) : NULL;
	struct strbuf b = {0};

	if (c) {
		ctp_print(c, &b);
		BUG_ON(!b.n);
		ctp_free(c);
	}
	trace_close(t);
	strbuf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *dir;

	diag_set_sink(ignore, NULL);
	dir = temporary_directory("fuzz-trace");
	BUG_ON(!dir);
	write_trace(dir, data, n);
	extract_trace(dir, n % 2);
	remove_directory(dir);
	free(dir);
	return 0;
}
