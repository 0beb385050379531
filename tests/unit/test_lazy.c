/*
 * The lazy heap against concrete heaps. Every graph of three pointers and three objects, each of which
 * has a pointer to one of the three, runs a random program of loads, stores and comparisons: the
 * symbolic run that takes the same way must hold the concrete one (nothing is lost), and every model
 * of it must be a run on flat memory (nothing is made up).
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

#include <stdio.h>

enum { N = 3, REGS = 6, STEPS = 8, SIZE = 24, SLOTS = SIZE / 8, MAX_REGIONS = 256 };

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

struct cval { /* of the concrete run: an object, or a number */
	bool is_object;
	uint64_t v;
};

enum what { LOAD, STORE, SAME };

struct did { /* one step, for the flat twin */
	enum what what;
	term_t a, b, out; /* address, value stored or compared, value loaded */
	bool truth;
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
	struct lazy_ops ops;
	term_t start[N];
	uint64_t points_to[N];             /* the graph: the pointers at the start */
	struct cval first[N][SLOTS], now[N][SLOTS];
	uint32_t region_of[N];             /* the object's region, once it has one */
	uint32_t object_of[MAX_REGIONS];   /* and back; IR_NONE: an object that is not there */
	struct opnd reg[REGS];
	struct cval creg[REGS];
	struct did did[STEPS];
	uint32_t ndid;
	VEC(term_t) known;                 /* what the concrete run says of terms */
	bool expect;                       /* the outcome of the next decision */
	bool interior;                     /* pointers may point to any slot; the concrete ones do not */
};

/* ---- the sides of the machine ---------------------------------------------------------------- */

static bool on_fork(void *ctx, struct machine *m, struct thread *t, term_t c)
{
	(void)m, (void)t, (void)c;
	return ((struct test *)ctx)->expect;
}

static void on_incomplete(void *ctx, struct machine *m, struct thread *t, const char *why)
{
	(void)m, (void)t;
	fail_msg("seed %llu: incomplete: %s", (unsigned long long)((struct test *)ctx)->seed, why);
}

static const struct sym_ops sym_ops = {.fork = on_fork, .incomplete = on_incomplete};

static uint64_t address(struct test *x, uint64_t object)
{
	return lazy_get(x->sym.lazy, x->region_of[object])->base;
}

static void says(struct test *x, struct opnd o, struct cval v)
{
	uint64_t number = v.v;

	if (v.is_object) {
		if (x->region_of[v.v] == IR_NONE)
			return;
		number = address(x, v.v);
	}
	vec_push(&x->known, term_eq(x->ts, opnd_term(x->m, o, 64), term_const(x->ts, 64, number)));
}

/* what the concrete run says of the heap as it was at the start */
static void says_start(struct test *x)
{
	vec_clear(&x->known);
	for (uint32_t i = 0; i < N; i++) {
		says(x, (struct opnd){.t = x->start[i]}, (struct cval){true, x->points_to[i]});
		for (uint32_t k = 0; x->region_of[i] != IR_NONE && k < SLOTS; k++) {
			const struct lazy_region *r = lazy_get(x->sym.lazy, x->region_of[i]);
			term_t first = term_read_n(x->ts, r->log ? r->below : r->bytes,
				term_const(x->ts, 64, 8 * k), 8);

			says(x, (struct opnd){.t = first}, x->first[i][k]);
		}
	}
}

/* a term of the symbolic run in the concrete one */
static u128 concrete(struct test *x, term_t t)
{
	uint32_t n = x->sym.path.n;
	u128 v = 0;

	says_start(x);
	vec_each (&x->known, i)
		vec_push(&x->sym.path, x->known.at[i]);
	assert_int_equal(ask_value(x->sym.ask, x->sym.path.at, x->sym.path.n, t, &v), ASK_YES);
	x->sym.path.n = n;
	return v;
}

/* which object the concrete run has where the symbolic one has the term */
static uint64_t object_at(struct test *x, term_t ptr)
{
	uint32_t region;
	term_t offset;
	u128 v;

	for (uint32_t i = 0; i < N; i++)
		if (term_same(x->start[i], ptr))
			return x->points_to[i];
	assert_true(lazy_origin(x->sym.lazy, ptr, &region, &offset));
	v = concrete(x, offset);
	/* not in this object at all, if the offset is out of it */
	return x->object_of[region] == IR_NONE || v >= SIZE ? IR_NONE : x->first[x->object_of[region]][v / 8].v;
}

static void targets(void *ctx, struct machine *m, term_t ptr, struct vec_lazy_target *out)
{
	struct test *x = ctx;
	uint32_t n = lazy_count(m->sym->lazy);
	uint64_t object = object_at(x, ptr), high = x->interior ? SIZE - 8 : 0;

	for (uint32_t i = 0; i < n; i++)
		vec_push(out, (struct lazy_target){.region = i, .high = high, .step = 8});
	vec_push(out, (struct lazy_target){.region = IR_NONE, .high = high, .step = 8,
			      .size = SIZE, .object = IR_NONE});
	assert_true(n < MAX_REGIONS);
	x->object_of[n] = IR_NONE;
	if (object != IR_NONE && x->region_of[object] == IR_NONE) {
		x->region_of[object] = n;
		x->object_of[n] = (uint32_t)object;
	}
}

static void setup(struct test *x, uint64_t graph, uint64_t seed)
{
	char *argv[] = {(char *)"test", NULL}, name[8];

	*x = (struct test){.rng = rng_seed(seed), .seed = seed, .interior = seed & 1};
	x->p = ir_parse("test", text, strlen(text));
	x->m = machine_new(x->p, 1, argv, &x->opt, &x->res);
	x->t = x->m->threads.at[0];
	x->ts = terms_new();
	x->ops = (struct lazy_ops){.targets = targets, .ctx = x};
	x->sym = (struct sym){.ask = ask_new(x->ts, &(struct ask_options){0}),
		.ops = &sym_ops, .ctx = x, .lazy = lazy_new(&x->ops)};
	sym_attach(x->m, &x->sym, x->ts);
	for (uint32_t i = 0; i < N; i++) {
		snprintf(name, sizeof name, "p%u", i);
		x->start[i] = term_sym(x->ts, name, 64);
		lazy_pointer(x->sym.lazy, x->start[i]);
		x->region_of[i] = IR_NONE;
		x->points_to[i] = graph % N;
		graph /= N;
		for (uint32_t k = 1; k < SLOTS; k++)
			x->first[i][k] = (struct cval){false, 1 + rng_below(&x->rng, 3)};
		x->reg[i].t = x->start[i];
		x->creg[i] = (struct cval){true, x->points_to[i]};
	}
	for (uint32_t i = 0; i < N; i++, graph /= N)
		x->first[i][0] = (struct cval){true, graph % N};
	memcpy(x->now, x->first, sizeof x->now);
	for (uint32_t i = N; i < REGS; i++)
		x->reg[i].v.lo = x->creg[i].v = 1 + rng_below(&x->rng, 3);
}

static void teardown(struct test *x)
{
	vec_release(&x->known);
	sym_release(&x->sym);
	lazy_free(x->sym.lazy);
	ask_free(x->sym.ask);
	exec_result_release(&x->res);
	machine_free(x->m);
	terms_free(x->ts);
	ir_program_free(x->p);
}

/* ---- the program ----------------------------------------------------------------------------- */

static uint32_t pick(struct test *x, bool object)
{
	uint32_t r;

	do
		r = rng_below(&x->rng, REGS);
	while (object && !x->creg[r].is_object);
	return r;
}

static void must_go_on(struct test *x, enum step st)
{
	if (st != STEP_NEXT)
		fail_msg("seed %llu: stopped: %s", (unsigned long long)x->seed, x->res.report.s);
}

static void note(struct test *x, enum what what, struct opnd a, struct opnd b, struct opnd out,
	bool truth)
{
	x->did[x->ndid++] = (struct did){what, opnd_term(x->m, a, 64), opnd_term(x->m, b, 64),
		opnd_term(x->m, out, 64), truth};
}

static void step(struct test *x)
{
	uint32_t a = pick(x, true), b = pick(x, false), d = N + rng_below(&x->rng, REGS - N);
	uint64_t slot = rng_below(&x->rng, SLOTS), object = x->creg[a].v;
	struct opnd addr = sym_address(x->m, x->reg[a], (struct opnd){0}, 0, 8 * slot), out = {0};

	x->expect = false; /* no faults */
	switch (rng_below(&x->rng, 3)) {
	case LOAD:
		must_go_on(x, sym_load(x->m, x->t, addr, IR_PTR, &out));
		x->reg[d] = out;
		x->creg[d] = x->now[object][slot];
		note(x, LOAD, addr, out, out, true);
		break;
	case STORE:
		must_go_on(x, sym_store(x->m, x->t, addr, IR_PTR, x->reg[b]));
		x->now[object][slot] = x->creg[b];
		note(x, STORE, addr, x->reg[b], out, true);
		break;
	default:
		b = pick(x, x->creg[a].is_object);
		x->expect = x->creg[a].v == x->creg[b].v;
		note(x, SAME, x->reg[a], x->reg[b], out, x->expect);
		must_go_on(x, sym_decide(x->m, x->t,
				      term_eq(x->ts, opnd_term(x->m, x->reg[a], 64),
					      opnd_term(x->m, x->reg[b], 64)),
				      &x->did[x->ndid - 1].truth));
		assert_int_equal(x->did[x->ndid - 1].truth, x->expect);
	}
}

/* ---- the two checks -------------------------------------------------------------------------- */

/* The concrete run is one of those that the symbolic one stands for. */
static void is_covered(struct test *x)
{
	term_t all = term_bool(x->ts, true);

	says_start(x);
	for (uint32_t i = 0; i < REGS; i++)
		says(x, x->reg[i], x->creg[i]);
	vec_each (&x->known, i)
		all = term_and(x->ts, all, x->known.at[i]);
	if (ask_may(x->sym.ask, x->sym.path.at, x->sym.path.n, all) != ASK_YES)
		fail_msg("seed %llu: the concrete run is not covered", (unsigned long long)x->seed);
}

struct flat {
	uint64_t base[MAX_REGIONS];
	uint64_t slot[MAX_REGIONS][SLOTS];
};

static uint64_t *cell(struct test *x, struct flat *f, uint64_t a)
{
	for (uint32_t i = 0; i < lazy_count(x->sym.lazy); i++)
		if (a - f->base[i] < SIZE && !((a - f->base[i]) % 8))
			return &f->slot[i][(a - f->base[i]) / 8];
	fail_msg("seed %llu: an access at 0x%llx, where nothing is", (unsigned long long)x->seed,
		(unsigned long long)a);
	return NULL;
}

/* A model of the path is a run on flat memory. */
static void is_real(struct test *x, term_t extra)
{
	struct term_assign as;
	struct flat f;

	if (ask_may(x->sym.ask, x->sym.path.at, x->sym.path.n, extra) != ASK_YES)
		return;
	sym_assume(x->m, extra);
	term_assign_init(&as, x->ts);
	assert_int_equal(ask_model(x->sym.ask, x->sym.path.at, x->sym.path.n, &as), ASK_YES);
	for (uint32_t i = 0; i < lazy_count(x->sym.lazy); i++) {
		const struct lazy_region *r = lazy_get(x->sym.lazy, i);

		f.base[i] = r->base;
		for (uint32_t k = 0; k < SLOTS; k++)
			f.slot[i][k] = (uint64_t)term_value(&as, term_read_n(x->ts,
				r->log ? r->below : r->bytes, term_const(x->ts, 64, 8 * k), 8));
	}
	for (uint32_t i = 0; i < x->ndid; i++) {
		struct did *d = &x->did[i];
		uint64_t a = (uint64_t)term_value(&as, d->a), b = (uint64_t)term_value(&as, d->b);

		if (d->what == SAME)
			assert_int_equal(a == b, d->truth);
		else if (d->what == STORE)
			*cell(x, &f, a) = b;
		else if (*cell(x, &f, a) != term_value(&as, d->out))
			fail_msg("seed %llu: step %u loads what is not there",
				(unsigned long long)x->seed, i);
	}
	/* and the regions end as the memory does */
	for (uint32_t i = 0; i < lazy_count(x->sym.lazy); i++)
		for (uint32_t k = 0; k < SLOTS; k++)
			assert_int_equal(f.slot[i][k],
				(uint64_t)term_value(&as, term_read_n(x->ts,
					lazy_get(x->sym.lazy, i)->bytes,
					term_const(x->ts, 64, 8 * k), 8)));
	term_assign_release(&as);
}

static void one(uint64_t graph, uint64_t seed)
{
	struct test x;
	uint32_t i, j, n;

	setup(&x, graph, seed);
	for (n = 0; n < STEPS; n++)
		step(&x);
	is_covered(&x);
	i = rng_below(&x.rng, N);
	j = rng_below(&x.rng, N);
	n = (uint32_t)x.sym.path.n;
	is_real(&x, term_eq(x.ts, x.start[i], x.start[j]));
	x.sym.path.n = n;
	is_real(&x, term_ne(x.ts, x.start[i], x.start[(i + 1) % N]));
	teardown(&x);
}

static void every_small_heap(void **state)
{
	enum { GRAPHS = 27 * 27 };
	uint64_t rounds = getenv("LAZY_ROUNDS") ? strtoull(getenv("LAZY_ROUNDS"), NULL, 10) : 1;

	(void)state;
	for (uint64_t i = 0; i < rounds * GRAPHS; i++)
		one(i % GRAPHS, i);
}

/* A path that uses the pointers in the given order, from the state in `from`. Gives the primary
 * object of each pointer, and of the pointer in the first slot of p0's object. */
static void use(struct test *x, const struct lazy *from, const uint32_t *order, struct lazy_region *made)
{
	const struct vec_lazy_target *v;
	struct opnd first;

	lazy_free(x->sym.lazy);
	x->sym.lazy = lazy_copy(from);
	x->sym.path.n = 0;
	x->expect = false;
	for (uint32_t i = 0; i < N; i++) {
		v = lazy_targets(x->m, x->start[order[i]]);
		made[order[i]] = *lazy_get(x->sym.lazy, v->at[v->n - 1].region);
	}
	first.t = term_read_n(x->ts, made[0].bytes, term_const(x->ts, 64, 0), 8);
	for (uint32_t i = 0; i < lazy_count(x->sym.lazy); i++)
		if (term_same(lazy_get(x->sym.lazy, i)->bytes, made[0].bytes))
			lazy_note_read(x->sym.lazy, first.t, i, term_const(x->ts, 64, 0));
	v = lazy_targets(x->m, first.t);
	made[N] = *lazy_get(x->sym.lazy, v->at[v->n - 1].region);
}

/* Two paths that use the same pointers in another order have the same objects: initial contents and
 * addresses. Different pointers have different ones. */
static void names_do_not_depend_on_the_path(void **state)
{
	static const uint32_t up[N] = {0, 1, 2}, down[N] = {2, 1, 0};
	struct lazy_region a[N + 1], b[N + 1];
	struct lazy *from;
	struct test x;

	(void)state;
	setup(&x, 0, 0);
	from = lazy_copy(x.sym.lazy);
	use(&x, from, up, a);
	use(&x, from, down, b);
	for (uint32_t i = 0; i <= N; i++) {
		assert_int_equal(a[i].base, b[i].base);
		assert_int_equal(a[i].initial.id, b[i].initial.id);
		for (uint32_t k = 0; k < i; k++) {
			assert_int_not_equal(a[i].base, a[k].base);
			assert_int_not_equal(a[i].initial.id, a[k].initial.id);
		}
	}
	lazy_free(from);
	teardown(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_small_heap),
		cmocka_unit_test(names_do_not_depend_on_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
