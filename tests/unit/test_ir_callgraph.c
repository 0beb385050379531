/* callgraph.c against transitive closure, on random programs that do nothing but call */
#include "base/bitset.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/callgraph.h"
#include "ir/text.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { PROGRAMS = 2000, MOST = 12 };

/* what an indirect call may reach, by a rule the twin can apply again */
static bool may_reach(uint32_t func, uint32_t insn, uint32_t callee)
{
	return hash_u64((uint64_t)func << 40 ^ (uint64_t)insn << 20 ^ callee) % 8 == 0;
}

struct resolver {
	uint32_t nfuncs, asked;
};

static void resolve(
	void *ctx, uint32_t func, uint32_t insn, void (*add)(void *, uint32_t), void *ac)
{
	struct resolver *r = ctx;

	r->asked++;
	for (uint32_t f = r->nfuncs; f-- > 0;)
		if (may_reach(func, insn, f)) {
			add(ac, f);
			add(ac, f);
		}
}

static struct ir_program *make(uint64_t seed)
{
	struct rng r = rng_seed(seed);
	uint32_t n = 1 + rng_below(&r, MOST), indirect = rng_below(&r, 40);
	struct strbuf b = {0};
	struct ir_program *p;

	strbuf_adds(&b, "heddle-ir 1\n");
	for (uint32_t f = 0; f < n; f++) {
		if (f && rng_chance(&r, 10)) {
			strbuf_addf(&b, "extern func @f%u(ptr)\n", f);
			continue;
		}
		strbuf_addf(&b, "func @f%u(%%r0:ptr) {\nb0:\n", f);
		for (uint32_t k = rng_below(&r, 4); k > 0; k--)
			if (rng_chance(&r, indirect))
				strbuf_adds(&b, "\tcall %r0(%r0)\n\tpause\n");
			else
				strbuf_addf(&b, "\tcall @f%u(%%r0)\n", rng_below(&r, n));
		strbuf_adds(&b, "\tret\n}\n");
	}
	p = ir_parse("made", b.s, b.n);
	assert_non_null(p);
	strbuf_release(&b);
	return p;
}

static void check_program(const struct ir_program *p)
{
	bool edge[MOST][MOST] = {0}, reach[MOST][MOST];
	uint32_t n = p->funcs.n, indirect = 0, site = 0;
	struct resolver r = {.nfuncs = n};
	struct callgraph g;

	callgraph_init(&g, p, resolve, &r);
	vec_each (&p->funcs, f) {
		assert_int_equal(g.site_at[f], site);
		vec_each (&p->funcs.at[f].insns, i) {
			const struct ir_insn *in = &p->funcs.at[f].insns.at[i];
			const struct call_site *s = callgraph_site(&g, f, i);
			bool direct = in->op == IR_CALL && !ir_is_reg(in->arg[0]);
			uint32_t k = 0;

			if (in->op != IR_CALL) {
				assert_null(s);
				continue;
			}
			assert_ptr_equal(s, &g.sites.at[site++]);
			assert_int_equal(s->func, f);
			assert_int_equal(s->insn, i);
			assert_int_equal(s->indirect, !direct);
			indirect += !direct;
			for (uint32_t c = 0; c < n; c++) {
				if (direct ? ir_const(&p->funcs.at[f], in->arg[0])->id != c
					   : !may_reach(f, i, c))
					continue;
				assert_true(k < s->n);
				assert_int_equal(g.callees.at[s->first + k++], c);
				edge[f][c] = true;
			}
			assert_int_equal(k, s->n);
		}
	}
	assert_int_equal(r.asked, indirect);
	memcpy(reach, edge, sizeof reach);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				reach[a][b] |= reach[a][k] && reach[k][b];
	for (uint32_t a = 0; a < n; a++) {
		uint32_t callers = 0, members = 0;

		assert_int_equal(g.recursive[a], reach[a][a]);
		for (uint32_t b = 0; b < n; b++) {
			assert_int_equal(
				g.scc_of[a] == g.scc_of[b], a == b || (reach[a][b] && reach[b][a]));
			if (edge[a][b])
				assert_true(g.scc_of[a] >= g.scc_of[b]);
		}
		vec_each (&g.sites, s)
			for (uint32_t k = 0; k < g.sites.at[s].n; k++)
				if (g.callees.at[g.sites.at[s].first + k] == a)
					assert_int_equal(g.callers[g.caller_at[a] + callers++], s);
		assert_int_equal(g.caller_at[a + 1] - g.caller_at[a], callers);
		for (uint32_t k = g.scc_at[g.scc_of[a]]; k < g.scc_at[g.scc_of[a] + 1]; k++)
			members += g.scc_func[k] == a;
		assert_int_equal(members, 1);
	}
	callgraph_release(&g);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct ir_program *p = make(seed);

		check_program(p);
		ir_program_free(p);
	}
}

static void test_without_resolver(void **state)
{
	static const char text[] =
		"heddle-ir 1\n"
		"func @f(%r0:ptr) {\nb0:\n\tcall %r0()\n\tcall null()\n\tret\n}\n";
	struct ir_program *p = ir_parse("text", text, strlen(text));
	struct callgraph g;

	(void)state;
	assert_non_null(p);
	callgraph_init(&g, p, NULL, NULL);
	assert_int_equal(g.sites.n, 2);
	assert_int_equal(g.callees.n, 0);
	assert_true(g.sites.at[1].indirect);
	assert_false(g.recursive[0]);
	callgraph_release(&g);
	ir_program_free(p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_without_resolver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
