/*
 * Following a recorded stream (the corpus of fuzz_follow): to its end, in both modes alike; and cut
 * off anywhere it gives the same events up to there and no others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "follow/follow.h"
#include "ir/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct strbuf read_file(const char *path)
{
	struct strbuf b = {0};
	FILE *f = fopen(path, "rb");
	char buf[4096];
	size_t n;

	assert_non_null(f);
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		strbuf_add(&b, buf, n);
	fclose(f);
	return b;
}

struct heard {
	const uint8_t *at;
	size_t left, piece;
	bool whole;
	VEC(uint64_t) events; /* a hash of each */
	uint64_t insns;
	struct follow_snapshot *memory;
};

static bool next(void *ctx, const uint8_t **data, size_t *n)
{
	struct heard *h = ctx;
	size_t k = MIN(h->left, h->piece);

	if (h->whole) /* chunks matter: the thread's first record has one of its own */
		h->piece = h->left;
	*data = h->at;
	*n = k;
	h->at += k;
	h->left -= k;
	return k;
}

static void event(void *ctx, struct follow *f, const struct follow_event *e)
{
	struct heard *h = ctx;
	struct follow_frame stack[16] = {0};
	uint32_t depth = follow_stack(f, stack, 16);
	uint64_t x = hash_bytes(stack, MIN(depth, 16u) * sizeof *stack);

	x = hash_u64(x ^ (e->kind | (uint64_t)e->insn << 8 | (uint64_t)e->func << 40));
	x = hash_u64(x ^ e->addr) + e->size * 31 + e->value.lo * 17 + e->old.lo * 5;
	if (e->sync)
		x = hash_u64(x ^ e->object) + e->sync->seq * 7 + e->sync->kind + e->extra;
	vec_push(&h->events, x);
}

static void insn(void *ctx, struct follow *f, uint32_t func, uint32_t at)
{
	(void)f;
	(void)func;
	(void)at;
	((struct heard *)ctx)->insns++;
}

static void snapshot(void *ctx, struct follow_snapshot *s)
{
	((struct heard *)ctx)->memory = s;
}

static size_t head_size(const struct strbuf *stream)
{
	struct log_thread t;

	memcpy(&t, stream->s, sizeof t);
	return sizeof t + 8 * ((size_t)t.ntls + t.nglobals + t.nfuncs);
}

static enum follow_status hear(struct heard *h, const struct plan *pl,
	struct follow_snapshot *memory, const struct strbuf *stream, size_t n, bool careful)
{
	struct follow_options opt = {.kinds = ~0u,
		.event = event,
		.ctx = h,
		.snapshot = snapshot,
		.patience = 100000,
		.insn = careful ? insn : NULL};
	struct follow_result res;
	struct follow *f;

	*h = (struct heard){
		.at = (const uint8_t *)stream->s, .left = n, .piece = 97, .whole = pl->whole};
	if (pl->whole)
		h->piece = head_size(stream);
	f = follow_new(pl, memory, next, h, &opt);
	follow_run(f, &res);
	strbuf_release(&res.reason);
	follow_free(f);
	return res.status;
}

static void forget(struct heard *h)
{
	vec_release(&h->events);
	follow_snapshot_free(h->memory);
}

static void assert_prefix(const struct heard *part, const struct heard *all)
{
	assert_true(part->events.n <= all->events.n);
	vec_each (&part->events, i)
		assert_int_equal(part->events.at[i], all->events.at[i]);
}

static void check(const struct plan *pl, struct follow_snapshot *memory, const struct strbuf *s,
	struct heard *all)
{
	struct heard slow, part;

	assert_int_equal(hear(all, pl, memory, s, s->n, false), FOLLOW_DONE);
	assert_true(all->events.n > 20);
	assert_int_equal(hear(&slow, pl, memory, s, s->n, true), FOLLOW_DONE);
	assert_true(slow.insns > slow.events.n / 2);
	assert_int_equal(slow.events.n, all->events.n);
	assert_prefix(&slow, all);
	forget(&slow);
	for (size_t n = 0; n < s->n; n++) {
		enum follow_status st = hear(&part, pl, memory, s, n, false);

		assert_true(st == FOLLOW_CUT || st == FOLLOW_BAD);
		assert_prefix(&part, all);
		assert_true(part.events.n < all->events.n);
		forget(&part);
	}
}

static void streams(void **state)
{
	struct strbuf text = read_file("tests/fuzz/follow_program.ir");
	struct strbuf main_ = read_file("tests/fuzz/corpus/follow/main.bin");
	struct strbuf thread = read_file("tests/fuzz/corpus/follow/thread.bin");
	struct strbuf whole = read_file("tests/fuzz/corpus/follow/whole.bin");
	struct ir_program *p = ir_parse("follow_program.ir", text.s, text.n);
	struct plan_options everything = {.whole = true};
	struct plan *pl, *wide;
	struct heard a, b, c;

	(void)state;
	assert_non_null(p);
	pl = plan_new(p, NULL, false);
	wide = plan_new(p, &everything, false);
	check(pl, NULL, &main_, &a);
	assert_non_null(a.memory);
	check(pl, a.memory, &thread, &b);
	assert_int_equal(hear(&c, wide, NULL, &whole, whole.n, false), FOLLOW_DONE);
	/* read with a plan that it was not written by, a log gives no end that looks right */
	forget(&c);
	assert_true(hear(&c, wide, NULL, &main_, main_.n, false) != FOLLOW_DONE);
	forget(&a);
	forget(&b);
	forget(&c);
	plan_free(pl);
	plan_free(wide);
	ir_program_free(p);
	strbuf_release(&text);
	strbuf_release(&main_);
	strbuf_release(&thread);
	strbuf_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(streams)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
