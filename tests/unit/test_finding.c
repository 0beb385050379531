#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/finding.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct strbuf messages;

static void take(void *ctx, const char *message)
{
	strbuf_adds(ctx, message);
	strbuf_addc(ctx, '\n');
}

static int setup(void **state)
{
	(void)state;
	diag_set_sink(take, &messages);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	diag_set_sink(NULL, NULL);
	strbuf_release(&messages);
	return 0;
}

static void place(struct finding_place *p, const char *file, uint32_t line, const char *function)
{
	*p = (struct finding_place){
		file ? xstrdup(file) : NULL, function ? xstrdup(function) : NULL, line, line % 7};
}

static struct finding *example(void)
{
	struct finding *f = finding_new();
	struct finding_step *s;

	strcpy(f->name, "H3");
	f->kind = FAULT_ATOMICITY;
	f->status = FINDING_CONFIRMED;
	f->fingerprint = 0xfedcba9876543210;
	f->title = xstrdup("atomicity violation on 'a \"quoted\" näme'");
	f->summary = xstrdup("bank.c:31 in 'deposit'");
	vec_push(
		&f->threads, (struct finding_thread){UINT32_MAX, UINT32_MAX, xstrdup("main"), {0}});
	vec_push(&f->threads, (struct finding_thread){0, 4, NULL, {0}});
	place(&f->threads.at[1].created, "bank.c", 50, "main");
	s = vec_add(&f->steps);
	*s = (struct finding_step){.thread = 1, .flags = STEP_KEY | STEP_SWITCHED, .point = 17};
	s->source = xstrdup("\tbalance += \\ 1;\x01\x7f");
	s->what = xstrdup("reads balance = 100");
	s->recorded = xstrdup("");
	place(&s->place, "bank.c", 31, "deposit");
	place(vec_add(&s->stack), "bank.c", 31, "deposit");
	place(vec_add(&s->stack), NULL, 0, "worker");
	vec_push(&f->steps, (struct finding_step){.flags = STEP_LAST, .point = UINT64_MAX});
	vec_push(&f->notes, (struct finding_note){xstrdup("location"), xstrdup("two\nlines")});
	vec_push(&f->moves, (struct finding_move){1, UINT64_MAX - 1});
	vec_push(&f->moves, (struct finding_move){0, 1ull << 63});
	f->goal = 1;
	f->a = 0;
	f->b = 1;
	f->at_a = UINT64_MAX;
	f->at_b = 7;
	f->switches = 2;
	f->expect_thread = UINT32_MAX;
	vec_push(&f->argv, xstrdup("./bank"));
	vec_push(&f->argv, xstrdup("no \xff utf-8 \xc3"));
	vec_push(&f->argv, xstrdup(""));
	vec_push(&f->exclude, xstrdup("lib*"));
	f->flip = (struct finding_flip){.kind = FLIP_SWITCH,
		.class_ = FLIP_BUG,
		.why = xstrdup("the check is stale"),
		.recorded = xstrdup("case 3"),
		.flipped = xstrdup("default"),
		.thread = 1,
		.func = 4,
		.insn = UINT32_MAX,
		.index = UINT64_MAX,
		.value = 1ull << 63,
		.address = xstrdup("global table + 8"),
		.point = 9,
		.instances = 12};
	f->exe = xstrdup("/home/u/bank");
	f->bitcode = 1;
	f->hash = UINT64_MAX;
	return f;
}

/* ---- the round trip ------------------------------------------------------------------------- */

static void same(const struct finding *f)
{
	struct strbuf a = {0}, b = {0};
	struct finding *g;

	finding_to_json(f, &a);
	g = finding_from_json(a.s, a.n, "test");
	assert_non_null(g);
	finding_to_json(g, &b);
	assert_string_equal(a.s, b.s);
	finding_free(g);
	strbuf_release(&a);
	strbuf_release(&b);
}

/* JSON that is equal could have lost the same thing twice: the fields themselves. */
static void test_fields_come_back(void **state)
{
	struct finding *f = example(), *g;
	struct strbuf b = {0};

	(void)state;
	finding_to_json(f, &b);
	g = finding_from_json(b.s, b.n, "test");
	assert_non_null(g);
	assert_string_equal(g->name, "H3");
	assert_int_equal(g->kind, FAULT_ATOMICITY);
	assert_int_equal(g->status, FINDING_CONFIRMED);
	assert_true(g->fingerprint == f->fingerprint && g->hash == f->hash && g->bitcode == 1);
	assert_string_equal(g->title, f->title);
	assert_string_equal(g->summary, f->summary);
	assert_int_equal(g->threads.n, 2);
	assert_int_equal(g->threads.at[0].parent, UINT32_MAX);
	assert_int_equal(g->threads.at[1].nth, 4);
	assert_null(g->threads.at[1].name);
	assert_int_equal(g->threads.at[1].created.line, 50);
	assert_int_equal(g->steps.n, 2);
	assert_int_equal(g->steps.at[0].flags, STEP_KEY | STEP_SWITCHED);
	assert_int_equal(g->steps.at[1].flags, STEP_LAST);
	assert_string_equal(g->steps.at[0].source, f->steps.at[0].source);
	assert_string_equal(g->steps.at[0].recorded, "");
	assert_null(g->steps.at[1].what);
	assert_int_equal(g->steps.at[0].stack.n, 2);
	assert_null(g->steps.at[0].stack.at[1].file);
	assert_true(g->steps.at[1].point == UINT64_MAX);
	assert_string_equal(g->notes.at[0].text, "two\nlines");
	assert_true(g->moves.at[0].until == UINT64_MAX - 1 && g->moves.at[1].until == 1ull << 63);
	assert_true(g->at_a == UINT64_MAX && g->at_b == 7);
	assert_int_equal(g->expect_thread, UINT32_MAX);
	assert_int_equal(g->argv.n, 3);
	assert_string_equal(g->argv.at[1], f->argv.at[1]);
	assert_string_equal(g->argv.at[2], "");
	assert_string_equal(g->exclude.at[0], "lib*");
	assert_null(g->input);
	assert_int_equal(g->flip.kind, FLIP_SWITCH);
	assert_int_equal(g->flip.class_, FLIP_BUG);
	assert_string_equal(g->flip.why, "the check is stale");
	assert_string_equal(g->flip.recorded, "case 3");
	assert_string_equal(g->flip.flipped, "default");
	assert_int_equal(g->flip.thread, 1);
	assert_int_equal(g->flip.func, 4);
	assert_int_equal(g->flip.insn, UINT32_MAX);
	assert_true(g->flip.index == UINT64_MAX && g->flip.value == 1ull << 63);
	assert_string_equal(g->flip.address, "global table + 8");
	assert_true(g->flip.point == 9 && g->flip.instances == 12);
	assert_non_null(strstr(b.s, "\"switch\""));
	assert_non_null(strstr(b.s, "\"bug\""));
	same(f);
	same(g);
	finding_free(f);
	finding_free(g);
	strbuf_release(&b);
}

static void test_empty_comes_back(void **state)
{
	struct finding *f = finding_new();

	(void)state;
	f->title = xstrdup("");
	same(f);
	finding_free(f);
	finding_free(NULL);
}

static void test_every_kind_has_words(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < NFAULTS; i++) {
		struct finding *f = finding_new();

		assert_true(fault_words[i].word[0] && fault_words[i].title[0] &&
			    fault_words[i].about[0]);
		for (uint32_t k = 0; k < i; k++)
			assert_string_not_equal(fault_words[i].word, fault_words[k].word);
		f->kind = i;
		f->status = i % FINDING_NSTATUSES;
		f->title = xstrdup(fault_words[i].title);
		same(f);
		finding_free(f);
	}
}

/* ---- damage --------------------------------------------------------------------------------- */

#define HEAD "\"kind\":\"race\",\"status\":\"predicted\",\"fingerprint\":\"0x1\",\"title\":\"t\""
#define MAIN "\"threads\":[{\"parent\":null,\"nth\":null}]"

static void refused(const char *text, const char *why)
{
	strbuf_clear(&messages);
	strbuf_adds(&messages, "");
	assert_null(finding_from_json(text, strlen(text), "x.json"));
	assert_non_null(strstr(messages.s, "'x.json'"));
	if (!strstr(messages.s, why))
		fail_msg("'%s' says: %s", text, messages.s);
}

static void test_damage_is_named(void **state)
{
	struct finding *f;

	(void)state;
	refused("", "line 1");
	refused("{", "line 1");
	refused("[]", "is not an object");
	refused("{}", "'kind' is missing");
	refused("{\"kind\":\"rice\"}", "'kind' is unknown");
	refused("{\"kind\":7}", "'kind'");
	refused("{\"kind\":\"race\",\"status\":\"predicted\",\"fingerprint\":\"0x1\","
		"\"title\":null}",
		"'title' is missing");
	refused("{\"kind\":\"race\",\"status\":\"predicted\",\"fingerprint\":\"1\"}",
		"'fingerprint' is not a number");
	refused("{\"kind\":\"race\",\"status\":\"predicted\",\"fingerprint\":"
		"\"0x10000000000000000\"}",
		"'fingerprint'");
	refused("{\"kind\":\"race\",\"status\":\"predicted\",\"fingerprint\":\"0x-1\"}",
		"'fingerprint'");
	refused("{" HEAD ",\"goal\":-1}", "'goal' is not a number");
	refused("{" HEAD ",\"goal\":4294967296}", "'goal' is too large");
	refused("{" HEAD ",\"goal\":1.5}", "'goal' is not a number");
	refused("{" HEAD ",\"steps\":{}}", "'steps' is not a list");
	refused("{" HEAD ",\"steps\":[{}]}", "'steps[0].thread' is missing");
	refused("{" HEAD ",\"steps\":[{\"thread\":0}]}", "thread that does not exist");
	refused("{" HEAD "," MAIN ",\"steps\":[{\"thread\":0},{\"thread\":1}]}", "does not exist");
	refused("{" HEAD "," MAIN ",\"moves\":[{\"thread\":1,\"until\":1}]}", "does not exist");
	refused("{" HEAD "," MAIN ",\"steps\":[{\"thread\":0,\"place\":{\"line\":\"x\"}}]}",
		"'steps[0].place.line' is not a number");
	refused("{" HEAD "," MAIN ",\"steps\":[{\"thread\":0,\"key\":1}]}", "'steps[0].key'");
	refused("{" HEAD ",\"argv\":[\"a\",null]}", "'argv[1]' is not a string");
	refused("{" HEAD ",\"argv\":[{\"hex\":\"4\"}]}", "'argv[0]'");
	refused("{" HEAD ",\"argv\":[{\"hex\":\"4g\"}]}", "'argv[0]'");
	refused("{" HEAD ",\"argv\":[{\"hex\":\"4100\"}]}", "'argv[0]'");
	refused("{" HEAD ",\"exe\":\"a\\u0000b\"}", "u0000");
	refused("{" HEAD ",\"name\":\"0123456789abcdef\"}", "'name'");
	f = finding_from_json("{" HEAD "," MAIN ",\"later\":[1]}",
		strlen("{" HEAD "," MAIN ",\"later\":[1]}"), "x.json");
	assert_non_null(f);
	finding_free(f);
}

/* Every prefix, and random bytes changed: an error with words, or a finding that comes back. */
static void test_any_damage(void **state)
{
	struct finding *f = example(), *g;
	struct strbuf b = {0};
	struct rng rng = rng_seed(1);
	uint32_t whole = 0;

	(void)state;
	finding_to_json(f, &b);
	for (size_t n = 0; n < b.n; n++) {
		strbuf_clear(&messages);
		assert_null(finding_from_json(b.s, n, "x"));
		assert_true(messages.n > 0);
	}
	for (uint32_t i = 0; i < 5000; i++) {
		char *text = xstrndup(b.s, b.n);

		text[rng_below(&rng, (uint32_t)b.n)] = (char)rng_below(&rng, 128);
		strbuf_clear(&messages);
		g = finding_from_json(text, b.n, "x");
		assert_true(g || messages.n);
		whole += g != NULL;
		if (g)
			same(g);
		finding_free(g);
		free(text);
	}
	assert_true(whole > 100 && whole < 4900);
	finding_free(f);
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_come_back),
		cmocka_unit_test(test_empty_comes_back),
		cmocka_unit_test(test_every_kind_has_words),
		cmocka_unit_test(test_damage_is_named),
		cmocka_unit_test(test_any_damage),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
