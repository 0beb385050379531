/* Which loops wait: tests/spin/shapes.c says it by the names of its functions. */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "import/import.h"
#include "llvm_text.h"
#include "facts/spin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const words[] = {
	[SPIN_NONE] = "none_",
	[SPIN_READ] = "read_",
	[SPIN_UPDATE] = "update_",
	[SPIN_TRY] = "try_",
	[SPIN_COND] = "cond_",
};

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* The kind that the name says; false: it says none. */
static bool expected(const char *name, enum spin_kind *kind, bool *sure)
{
	*sure = true;
	if (begins(name, "maybe_")) {
		*sure = false;
		name += strlen("maybe_");
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
		if (begins(name, words[i])) {
			*kind = i;
			*sure &= i != SPIN_NONE && i != SPIN_COND;
			return true;
		}
	return false;
}

/* What the branches of the function say: of those in a loop that waits, the first; `leaves`: some has
 * a way out. */
static struct spin ask(struct spins *s, const struct ir_program *p, uint32_t func, bool *leaves)
{
	const struct ir_func *f = &p->funcs.at[func];
	struct spin all = {.kind = SPIN_NONE};

	*leaves = false;
	vec_each (&f->insns, i) {
		struct spin one;

		if (f->insns.at[i].op != IR_CBR && f->insns.at[i].op != IR_SWITCH)
			continue;
		one = spin_of(s, func, i);
		if (one.kind == SPIN_NONE)
			continue;
		assert_true(spin_inside(s, func, one.header, i));
		*leaves |= one.leaves;
		if (all.kind == SPIN_NONE)
			all = one;
		assert_int_equal(all.kind, one.kind);
	}
	return all;
}

/* With every variable in memory less may be sure, but not what is found. */
static void check(const char *passes)
{
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};
	struct spins *s;
	uint32_t n = 0, wrong = 0;

	assert_true(llvm_compile(&bc, "tests/spin/shapes.c", passes));
	assert_int_equal(import_bitcode(p, "shapes.c", bc.s, bc.n, 0), 0);
	s = spins_new(p);
	for (uint32_t f = 0; f < p->funcs.n; f++) {
		const char *name = ir_func_name(p, f);
		enum spin_kind kind;
		struct spin got;
		bool sure, leaves;

		if (!p->funcs.at[f].blocks.n || !expected(name, &kind, &sure))
			continue;
		n++;
		got = ask(s, p, f, &leaves);
		if (got.kind != kind || (got.sure && !sure) || (passes && sure && !got.sure) ||
			(kind != SPIN_NONE && !leaves)) {
			print_error("%s (%s): is %s%s%s\n", name, passes ? passes : "as compiled",
				got.sure ? "" : "not surely ", words[got.kind],
				leaves ? "" : " without a way out");
			wrong++;
		}
	}
	assert_true(n > 40);
	assert_int_equal(wrong, 0);
	spins_free(s);
	strbuf_release(&bc);
	ir_program_free(p);
}

static void test_in_registers(void **state)
{
	(void)state;
	check("sroa");
}

static void test_in_memory(void **state)
{
	(void)state;
	check(NULL);
}

static void test_turned_round(void **state)
{
	(void)state;
	check("sroa,simplifycfg,loop(loop-rotate),simplifycfg");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_registers),
		cmocka_unit_test(test_in_memory),
		cmocka_unit_test(test_turned_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
