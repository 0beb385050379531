/*
 * Loads, stores and block operations through symbolic addresses, against memory that is kept byte by
 * byte for every input: each input of a path must see the values, or the fault, that the path says,
 * and no input may be lost between the paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/map.h"
#include "base/vec.h"
#include "symbolic/lazy.h"
#include "ir/text.h"
#include "rng.h"

enum { X_BITS = 3, Y_BITS = 2, INPUTS = 1 << (X_BITS + Y_BITS), OBJECTS = 4, MAX_SIZE = 40 };

static const char text[] =
	"heddle-ir 1\n"
	"func @main() -> i32 {\n"
	"b0:\n"
	"\tret i32 0\n"
	"}\n"
	"func @__heddle_start() {\n"
	"b0:\n"
	"\tret\n"
	"}\n";

struct byte {
	uint8_t v;
	bool known;
};

struct fork { /* what another state has */
	VEC(term_t) path;
};

struct test {
	struct rng rng;
	uint64_t seed;
	struct ir_program *p;
	struct exec_options opt;
	struct exec_result res;
	struct machine *m;
	struct thread *t;
	struct terms *ts;
	struct sym sym;
	term_t x, y;
	VEC(struct fork) forks;
	uint64_t base[OBJECTS];
	uint32_t size[INPUTS][OBJECTS];
	bool freed[OBJECTS];
	struct byte mem[INPUTS][OBJECTS][MAX_SIZE];
	bool alive[INPUTS]; /* the input is on the path */
	bool cut;           /* something was fixed to a value */
};

struct pointer { /* an address and, for each input, the object that it was made from */
	struct opnd o;
	uint8_t object[INPUTS];
};

/* ---- setting up ------------------------------------------------------------------------------ */

static bool on_fork(void *ctx, struct machine *m, struct thread *t, term_t c)
{
	struct test *x = ctx;
	bool truth = rng_chance(&x->rng, 20);
	struct fork *f = vec_add(&x->forks);

	(void)t;
	vec_each (&m->sym->path, i)
		vec_push(&f->path, m->sym->path.at[i]);
	vec_push(&f->path, truth ? term_not(x->ts, c) : c);
	return truth;
}

static void on_incomplete(void *ctx, struct machine *m, struct thread *t, const char *why)
{
	struct test *x = ctx;

	(void)m, (void)t, (void)why;
	x->cut = true;
}

static const struct sym_ops ops = {.fork = on_fork, .incomplete = on_incomplete};

static u128 value(struct test *x, uint32_t input, term_t t, bool ones);

/* a block whose size depends on the input */
static void fill_symbolic(struct test *x, uint32_t k)
{
	term_t size = term_zext(x->ts, rng_chance(&x->rng, 50) ? x->x : x->y, 64);
	bool zero = rng_chance(&x->rng, 50);
	struct opnd at;

	size = term_add(x->ts, size, term_const(x->ts, 64, rng_below(&x->rng, 12)));
	assert_int_equal(sym_alloc(x->m, x->t, (struct opnd){.t = size}, 16, zero, &at), STEP_NEXT);
	x->base[k] = at.v.lo;
	for (uint32_t in = 0; in < INPUTS; in++) {
		x->size[in][k] = (uint32_t)value(x, in, size, false);
		for (uint32_t i = 0; i < MAX_SIZE; i++)
			x->mem[in][k][i] = (struct byte){0, zero};
	}
}

static void fill(struct test *x, uint32_t k)
{
	uint32_t size = 1 + rng_below(&x->rng, rng_chance(&x->rng, 70) ? 12 : MAX_SIZE);

	x->base[k] = heap_alloc(&x->m->heap, &x->m->mem, size, 16, false, 0, (stack_id){0});
	for (uint32_t in = 0; in < INPUTS; in++)
		x->size[in][k] = size;
	for (uint32_t i = 0; i < size; i++) {
		struct byte b = {(uint8_t)rng_u64(&x->rng), rng_chance(&x->rng, 85)};
		uint64_t bad;

		if (b.known)
			assert_int_equal(mem_write(&x->m->mem, x->base[k] + i, &b.v, NULL, 1, &bad),
				MEM_OK);
		for (uint32_t in = 0; in < INPUTS; in++)
			x->mem[in][k][i] = b;
	}
}

static void setup(struct test *x, uint64_t seed)
{
	char *argv[] = {(char *)"test", NULL};

	*x = (struct test){.rng = rng_seed(seed), .seed = seed};
	x->p = ir_parse("test", text, strlen(text));
	assert_non_null(x->p);
	x->m = machine_new(x->p, 1, argv, &x->opt, &x->res);
	x->t = x->m->threads.at[0];
	x->ts = terms_new();
	x->sym = (struct sym){.ask = ask_new(x->ts, &(struct ask_options){0}),
		.ops = &ops, .ctx = x};
	sym_attach(x->m, &x->sym, x->ts);
	x->x = term_sym(x->ts, "x", X_BITS);
	x->y = term_sym(x->ts, "y", Y_BITS);
	for (uint32_t k = 0; k < OBJECTS; k++)
		if (k + 1 == OBJECTS && rng_chance(&x->rng, 70))
			fill_symbolic(x, k);
		else
			fill(x, k);
	memset(x->alive, true, sizeof x->alive);
}

static void teardown(struct test *x)
{
	vec_each (&x->forks, i)
		vec_release(&x->forks.at[i].path);
	vec_release(&x->forks);
	sym_release(&x->sym);
	ask_free(x->sym.ask);
	exec_result_release(&x->res);
	lazy_free(x->sym.lazy);
	machine_free(x->m);
	terms_free(x->ts);
	ir_program_free(x->p);
}

/* ---- the twin -------------------------------------------------------------------------------- */

static u128 value(struct test *x, uint32_t input, term_t t, bool ones)
{
	struct term_assign as;
	u128 v;

	term_assign_init(&as, x->ts);
	term_assign_set(&as, x->x, input & ((1 << X_BITS) - 1));
	term_assign_set(&as, x->y, input >> X_BITS);
	for (uint32_t i = 0; ones && i < terms_n_syms(x->ts); i++) {
		term_t s = terms_sym_at(x->ts, i);

		if (!strncmp(term_name(x->ts, s), SYM_UNKNOWN, strlen(SYM_UNKNOWN)))
			term_assign_set(&as, s, term_mask(term_width(x->ts, s)));
	}
	v = term_value(&as, t);
	term_assign_release(&as);
	return v;
}

static bool holds(struct test *x, uint32_t input, const term_t *path, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!value(x, input, path[i], false))
			return false;
	return true;
}

static u128 number(struct test *x, uint32_t input, struct opnd o)
{
	return o.t.id ? value(x, input, o.t, false) : val_u128(o.v);
}

/* where n bytes at the pointer lie; false = a fault */
static bool place(struct test *x, uint32_t input, const struct pointer *p, uint64_t n, uint64_t *off)
{
	uint32_t k = p->object[input];

	*off = (uint64_t)number(x, input, p->o) - x->base[k];
	return !n || (!x->freed[k] && n <= x->size[input][k] && *off <= x->size[input][k] - n);
}

/* Who is still on the path, and that nobody fell between two. */
static void narrow(struct test *x)
{
	for (uint32_t in = 0; in < INPUTS; in++) {
		bool elsewhere = false;

		if (!x->alive[in] || holds(x, in, x->sym.path.at, x->sym.path.n))
			continue;
		x->alive[in] = false;
		vec_each (&x->forks, i)
			elsewhere |= holds(x, in, x->forks.at[i].path.at, x->forks.at[i].path.n);
		if (!elsewhere && !x->cut)
			fail_msg("seed %llu: input %u is on no path", (unsigned long long)x->seed, in);
	}
}

/* ---- random things --------------------------------------------------------------------------- */

static term_t index_term(struct test *x)
{
	struct terms *ts = x->ts;
	term_t t = rng_chance(&x->rng, 50) ? x->x : x->y;

	t = rng_chance(&x->rng, 30) ? term_sext(ts, t, 32) : term_zext(ts, t, 32);
	switch (rng_below(&x->rng, 6)) {
	case 0: t = term_sub(ts, t, term_const(ts, 32, rng_below(&x->rng, 4))); break;
	case 1: t = term_add(ts, t, term_zext(ts, x->y, 32)); break;
	case 2: t = term_mul(ts, t, term_zext(ts, x->y, 32)); break;
	case 3: t = term_xor(ts, t, term_const(ts, 32, rng_below(&x->rng, 8))); break;
	default: break;
	}
	return rng_chance(&x->rng, 50) ? term_sext(ts, t, 64) : term_zext(ts, t, 64);
}

static term_t condition(struct test *x)
{
	struct terms *ts = x->ts;
	term_t c = term_const(ts, X_BITS, rng_below(&x->rng, 1 << X_BITS));

	return rng_chance(&x->rng, 50) ? term_ult(ts, x->x, c) : term_eq(ts, x->x, c);
}

static struct pointer pointer(struct test *x, int depth)
{
	struct pointer p, q;
	uint32_t k = rng_below(&x->rng, OBJECTS);

	if (depth && rng_chance(&x->rng, 40)) {
		term_t c = condition(x), a, b;

		p = pointer(x, depth - 1);
		q = pointer(x, depth - 1);
		a = opnd_term(x->m, p.o, 64);
		b = opnd_term(x->m, q.o, 64);
		for (uint32_t in = 0; in < INPUTS; in++)
			if (!value(x, in, c, false))
				p.object[in] = q.object[in];
		p.o = opnd_of_term(x->m, term_ite(x->ts, c, a, b));
	} else {
		p.o = (struct opnd){.v = {x->base[k], 0}};
		memset(p.object, (int)k, sizeof p.object);
	}
	if (rng_chance(&x->rng, 70)) {
		struct opnd i = {.t = index_term(x)};
		static const uint32_t scales[] = {1, 2, 3, 4, 8, 12};

		p.o = sym_address(x->m, p.o, opnd_of_term(x->m, i.t), scales[rng_below(&x->rng, 6)],
			rng_below(&x->rng, 4));
	}
	return p;
}

static struct opnd random_value(struct test *x, uint32_t bits)
{
	term_t t;

	if (rng_chance(&x->rng, 40))
		return (struct opnd){.v = val_of(rng_u64(&x->rng) & bits_mask(bits))};
	t = term_mul(x->ts, index_term(x), term_const(x->ts, 64, rng_u64(&x->rng)));
	return opnd_of_term(x->m, term_trunc(x->ts, t, bits));
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Whether the state goes on; every input on the path must agree. */
static bool agree(struct test *x, enum step st, const bool *ok, const char *what)
{
	narrow(x);
	if (st == STEP_STOP && x->res.fate == EXEC_STOPPED)
		fail_msg("seed %llu: %s stopped: %s", (unsigned long long)x->seed, what,
			x->res.report.s);
	for (uint32_t in = 0; in < INPUTS; in++)
		if (x->alive[in] && ok[in] != (st == STEP_NEXT))
			fail_msg("seed %llu: %s with input %u: twin %s\n%s",
				(unsigned long long)x->seed, what, in, ok[in] ? "ok" : "faults",
				st == STEP_STOP ? x->res.report.s : "");
	return st == STEP_NEXT;
}

static bool do_load(struct test *x)
{
	static const ir_type types[] = {8, 16, 32, 64};
	ir_type type = types[rng_below(&x->rng, 4)];
	unsigned n = ir_type_bytes(type);
	struct pointer p = pointer(x, 2);
	struct opnd o = {0};
	bool ok[INPUTS];
	uint64_t off[INPUTS];
	enum step st;

	for (uint32_t in = 0; in < INPUTS; in++)
		ok[in] = place(x, in, &p, n, &off[in]);
	st = sym_load(x->m, x->t, p.o, type, &o);
	if (!agree(x, st, ok, "load"))
		return false;
	for (uint32_t in = 0; in < INPUTS; in++) {
		u128 v, w;

		if (!x->alive[in])
			continue;
		v = number(x, in, o);
		w = o.t.id ? value(x, in, o.t, true) : v;
		for (unsigned i = 0; i < n; i++) {
			struct byte *b = &x->mem[in][p.object[in]][off[in] + i];
			bool unknown = (val_u128(o.u) | (v ^ w)) >> (8 * i) & 0xff;

			if (unknown == b->known || (b->known && b->v != (uint8_t)(v >> (8 * i))))
				fail_msg("seed %llu: load byte %u with input %u: %02x %d, twin %02x %d",
					(unsigned long long)x->seed, i, in,
					(unsigned)(v >> (8 * i)) & 0xff, unknown, b->v, b->known);
		}
	}
	return true;
}

static bool do_store(struct test *x)
{
	static const ir_type types[] = {8, 16, 32, 64};
	ir_type type = types[rng_below(&x->rng, 4)];
	unsigned n = ir_type_bytes(type);
	struct pointer p = pointer(x, 2);
	struct opnd v = random_value(x, ir_type_bits(type));
	bool ok[INPUTS];
	uint64_t off[INPUTS];
	enum step st;

	for (uint32_t in = 0; in < INPUTS; in++)
		ok[in] = place(x, in, &p, n, &off[in]);
	st = sym_store(x->m, x->t, p.o, type, v);
	if (!agree(x, st, ok, "store"))
		return false;
	for (uint32_t in = 0; in < INPUTS; in++)
		for (unsigned i = 0; x->alive[in] && i < n; i++)
			x->mem[in][p.object[in]][off[in] + i] =
				(struct byte){(uint8_t)(number(x, in, v) >> (8 * i)), true};
	return true;
}

static bool do_bulk(struct test *x)
{
	bool set = rng_chance(&x->rng, 40);
	struct ir_insn in_ = {.op = set ? IR_MEMSET : IR_MEMMOVE};
	struct pointer to = pointer(x, 1), from = pointer(x, 1);
	struct opnd n = {.v = {rng_below(&x->rng, 12), 0}}, byte = random_value(x, 8);
	bool ok[INPUTS];
	uint64_t a[INPUTS], b[INPUTS], len[INPUTS];
	enum step st;

	if (rng_chance(&x->rng, 50))
		n = opnd_of_term(x->m, index_term(x));
	for (uint32_t in = 0; in < INPUTS; in++) {
		len[in] = (uint64_t)number(x, in, n);
		ok[in] = place(x, in, &to, len[in], &a[in]);
		ok[in] = (set || place(x, in, &from, len[in], &b[in])) && ok[in];
	}
	st = sym_bulk(x->m, x->t, &in_, to.o, set ? byte : from.o, n);
	if (!agree(x, st, ok, set ? "memset" : "memmove"))
		return false;
	for (uint32_t in = 0; in < INPUTS; in++) {
		struct byte *d = x->mem[in][to.object[in]] + a[in], v;

		if (!x->alive[in] || !len[in])
			continue;
		v = (struct byte){(uint8_t)number(x, in, byte), true};
		if (!set)
			memmove(d, x->mem[in][from.object[in]] + b[in], len[in] * sizeof *d);
		for (uint64_t i = 0; set && i < len[in]; i++)
			d[i] = v;
	}
	return true;
}

static void one(uint64_t seed)
{
	struct test x;
	bool on = true;

	setup(&x, seed);
	for (int i = 0; on && i < 8; i++) {
		uint32_t k = rng_below(&x.rng, 10);

		if (k < 4)
			on = do_load(&x);
		else if (k < 7)
			on = do_store(&x);
		else if (k < 9)
			on = do_bulk(&x);
		else if (!x.freed[0]) {
			heap_free(&x.m->heap, &x.m->mem, heap_find(&x.m->heap, x.base[0]), 0,
				(stack_id){0});
			x.freed[0] = true;
		}
	}
	teardown(&x);
}

static void every_input_sees_its_memory(void **state)
{
	uint64_t n = getenv("HEDDLE_TEST_SEEDS") ? strtoull(getenv("HEDDLE_TEST_SEEDS"), NULL, 10) : 400;

	(void)state;
	for (uint64_t seed = 1; seed <= n; seed++)
		one(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_input_sees_its_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
