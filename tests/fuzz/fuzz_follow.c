/*
 * Following a log must survive any bytes. The program is follow_program.ir (a small one with threads,
 * locks, atomics, callbacks and setjmp); the input is the stream of its main thread, and a second
 * thread is followed on the memory of the first from the same bytes. Every event is asked for, and
 * what observers may ask during one.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "follow/follow.h"
#include "ir/text.h"

#include <string.h>

__asm__(".section .rodata\n"
	"program_text: .incbin \"" FUZZ_DIR "/follow_program.ir\"\n"
	"program_end: .previous");
extern const char program_text[], program_end[];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	(void)message;
}

struct stream {
	const uint8_t *at;
	size_t left;
	struct follow_snapshot *memory;
	uint64_t events;
};

/* in pieces of odd size, so that some end in the middle of a record */
static bool next(void *ctx, const uint8_t **data, size_t *n)
{
	struct stream *s = ctx;
	size_t k = s->left < 509 ? s->left : 509;

	*data = s->at;
	*n = k;
	s->at += k;
	s->left -= k;
	return k;
}

static void event(void *ctx, struct follow *f, const struct follow_event *e)
{
	struct stream *s = ctx;
	struct follow_frame stack[8];
	uint8_t byte;

	s->events++;
	follow_stack(f, stack, 8);
	follow_memory(f, e->addr, &byte, 1);
}

static void snapshot(void *ctx, struct follow_snapshot *memory)
{
	((struct stream *)ctx)->memory = memory;
}

static struct follow_snapshot *follow(const struct plan *pl, struct follow_snapshot *memory,
	const uint8_t *data, size_t n, bool window)
{
	struct stream s = {.at = data, .left = n};
	struct follow_options opt = {.kinds = ~0u, .event = event, .ctx = &s, .snapshot = snapshot,
		.patience = 5000, .window = window};
	struct follow *f = follow_new(pl, memory, next, &s, &opt);
	struct follow_result res;

	follow_run(f, &res);
	strbuf_release(&res.reason);
	follow_free(f);
	return s.memory;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct ir_program *p;
	static struct plan *plans[2];

	diag_set_sink(ignore, NULL);
	if (!p)
		p = ir_parse("follow_program.ir", program_text, (size_t)(program_end - program_text));
	BUG_ON(!p);
	for (int whole = 0; whole < 2; whole++) {
		struct plan_options opt = {.whole = whole};
		struct follow_snapshot *s;

		if (!plans[whole])
			plans[whole] = plan_new(p, &opt, false);
		s = follow(plans[whole], NULL, data, n, whole);
		if (s)
			follow_snapshot_free(follow(plans[whole], s, data, n, false));
		follow_snapshot_free(s);
	}
	return 0;
}
