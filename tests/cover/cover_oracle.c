/*
 * cover_oracle [--spoil] [--program N] PROGRAM LIMIT...: the schedules of all epochs of the program, against
 * one run for every input. --program is as in tests/explore/brute.c.
 *
 * The inputs are the bytes of the global variable 'in', as in tests/explore/brute.c; LIMIT i is the
 * number of values of byte i. For each input that the program does not exclude, from epoch to epoch
 * until the run ends:
 *  - what the epoch's initial state says about its symbols is true
 *  - exactly one schedule of the epoch has a constraint that holds
 *  - the path of this input alone has that schedule, or a prefix of it, and arrives at the epoch that
 *    follows it, in a state whose shape is known
 *
 * Prints a line for each difference, then "inputs N epochs N schedules N paths N, steps N"; exit status 1 if
 * there are differences, 3 with the reasons if the set is incomplete. With --spoil one condition of a
 * constraint is negated, which must be noticed.
 */
#include "base/base.h"
#include "base/clock.h"
#include "base/vec.h"
#include "cli/models.h"
#include "cover/cover.h"
#include "import/import.h"
#include "ir/validate.h"
#include "object/exe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_INPUT = 16, MAX_LENGTH = 1000, MAX_BATCH = 100 };

struct oracle {
	struct cover *cover;
	struct search *search;
	struct executor *x;
	uint32_t nin, limit[MAX_INPUT];
	uint8_t in[MAX_INPUT];
	uint32_t inputs, wrong, steps;
};

static struct ir_program *load(const char *path)
{
	struct ir_program *p = ir_program_new();
	struct exe *x = exe_open(path);
	struct exe_section bc;
	bool ok = x && exe_section(x, EXE_BITCODE, &bc) &&
		  !import_bitcode(p, path, bc.data, bc.n, 0) &&
		  !import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
			  IMPORT_MODEL | IMPORT_NEEDED) &&
		  !ir_validate(p);

	if (x)
		exe_close(x);
	if (ok)
		return p;
	ir_program_free(p);
	return NULL;
}

/* The symbol of an input byte. */
static term_t symbol_of(struct oracle *o, uint32_t i)
{
	char name[32];

	snprintf(name, sizeof name, "in[%u]", i);
	return term_sym(o->x->ts, name, 8);
}

static void tell_wrong(struct oracle *o, uint32_t epoch, const char *what)
{
	printf("input");
	for (uint32_t i = 0; i < o->nin; i++)
		printf(" %u", o->in[i]);
	printf(", epoch %u: %s\n", epoch + 1, what);
	o->wrong++;
}

/* How many of the conjunctions hold under the assignment. */
static uint32_t count_holding(struct term_assign *as, const struct covered *c)
{
	uint32_t n = 0;

	vec_each (&c->when, k) {
		bool all = true;

		vec_each (&c->when.at[k], i)
			all &= term_value(as, (term_t){c->when.at[k].at[i]}) != 0;
		n += all;
	}
	return n;
}

/* The values of the inputs, and of the symbols of the state at which the run has arrived. */
static void assign_values(struct oracle *o, const struct initial *s, struct term_assign *as)
{
	for (uint32_t i = 0; i < o->nin; i++)
		term_assign_set(as, symbol_of(o, i), o->in[i]);
	for (uint32_t i = 0; s && i < s->symbols.n; i++) {
		term_t v = initial_symbol_value(o->x->m, &s->symbols.at[i]);

		term_assign_set(as, s->symbols.at[i].sym, term_value(as, v));
	}
}

static bool is_inside(const struct initial_symbol *y, u128 v)
{
	unsigned bits = y->at.bits;
	int64_t x = bits <= 64 ? (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits) : 0;
	bool known = !y->targets.n;

	vec_each (&y->targets, i)
		known |= y->targets.at[i] == (uint64_t)v;
	return known && (!y->has_low || y->low <= x) && (!y->has_high || x <= y->high);
}

static void check_facts(
	struct oracle *o, uint32_t epoch, const struct initial *s, struct term_assign *as)
{
	vec_each (&s->facts, i)
		if (!term_value(as, s->facts.at[i]))
			tell_wrong(o, epoch, "a fact of the state does not hold");
	vec_each (&s->symbols, i)
		if (!is_inside(&s->symbols.at[i], term_value(as, s->symbols.at[i].sym)))
			tell_wrong(o, epoch, "a symbol of the state has another value");
}

/* The only schedule that matches, or NULL. */
static const struct covered *find_match(
	struct oracle *o, uint32_t epoch, const struct start *at, struct term_assign *as)
{
	const struct covered *all, *match = NULL;
	uint32_t n, holding = 0;

	all = start_schedules(at, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = count_holding(as, &all[i]);

		holding += k;
		if (k)
			match = &all[i];
	}
	if (holding != 1)
		tell_wrong(
			o, epoch, holding ? "several schedules cover it" : "no schedule covers it");
	return holding == 1 ? match : NULL;
}

/* Follows the run through one epoch; true if it goes on, at *epoch and *start, from *from. */
static bool check_epoch(struct oracle *o, const struct vec_u32 *input, uint32_t *epoch, int *start,
	struct saved **from)
{
	const struct epoch *e = search_epoch(o->search, *epoch);
	const struct epoch_start *at = &e->starts.at[*start];
	const struct covered *match;
	struct term_assign as;
	struct path path = {0};
	struct schedule *own;
	bool on = false;
	int next;

	machine_restore(o->x->m, *from);
	term_assign_init(&as, o->x->ts);
	assign_values(o, at->state, &as);
	if (at->state)
		check_facts(o, *epoch, at->state, &as);
	if (!executor_run(o->x, *from, input, &path) || path.end == PATH_INFEASIBLE) {
		if (*epoch)
			tell_wrong(o, *epoch, "the run stops");
		path_release(&path);
		term_assign_release(&as);
		return false; /* excluded by heddle_assume() */
	}
	o->inputs += !*epoch && at->state == NULL;
	o->steps++;
	match = find_match(o, *epoch, at->start, &as);
	own = schedule_make(&path);
	if (match && !schedule_same(own, match->schedule) &&
		!((own->end == PATH_EXIT || own->end == PATH_FAULT) &&
			schedule_is_prefix(own, match->schedule)))
		tell_wrong(o, *epoch, "its own run has another schedule");
	else if (match && path.end == PATH_EPOCH) {
		next = search_locate(o->search, &path, start);
		if (next < 0 || *start < 0 || next != match->next)
			tell_wrong(o, *epoch, "its own run arrives at another epoch or state");
		else {
			on = true;
			*epoch = (uint32_t)next;
			saved_free(*from);
			*from = machine_save(o->x->m);
		}
	}
	schedule_free(own);
	path_release(&path);
	term_assign_release(&as);
	return on;
}

static void check_input(struct oracle *o)
{
	struct terms *ts = o->x->ts;
	struct vec_u32 is = {0}, none = {0};
	struct saved *from;
	uint32_t epoch = 0, length = 0;
	int start = 0;

	for (uint32_t i = 0; i < o->nin; i++)
		vec_push(&is, term_eq(ts, symbol_of(o, i), term_const(ts, 8, o->in[i])).id);
	machine_restore(o->x->m, o->x->entry);
	from = machine_save(o->x->m);
	while (check_epoch(o, length ? &none : &is, &epoch, &start, &from))
		if (++length > MAX_LENGTH) {
			tell_wrong(o, epoch, "the run does not end");
			break;
		}
	saved_free(from);
	vec_release(&is);
}

static void check_inputs(struct oracle *o, uint32_t at)
{
	if (at == o->nin) {
		check_input(o);
		return;
	}
	for (uint32_t v = 0; v < o->limit[at]; v++) {
		o->in[at] = (uint8_t)v;
		check_inputs(o, at + 1);
	}
}

/* Negates the last condition of one schedule. */
static void spoil_set(struct oracle *o)
{
	for (uint32_t i = 0; i < search_count(o->search); i++)
		vec_each (&search_epoch(o->search, i)->starts, q) {
			uint32_t n;
			const struct covered *all =
				start_schedules(search_epoch(o->search, i)->starts.at[q].start, &n);

			for (uint32_t k = 0; k < n; k++)
				if (all[k].when.n && all[k].when.at[0].n) {
					uint32_t *t =
						&all[k].when.at[0].at[all[k].when.at[0].n - 1];

					*t = term_not(o->x->ts, (term_t){*t}).id;
					return;
				}
		}
}

static void tell_reason(void *ctx, uint32_t epoch, const char *why)
{
	(void)ctx, (void)epoch;
	printf("incomplete: %s\n", why);
}

static void print_counts(struct oracle *o)
{
	uint32_t schedules = 0;

	for (uint32_t i = 0; i < search_count(o->search); i++)
		schedules += search_epoch(o->search, i)->schedules.n;
	printf("inputs %u epochs %u schedules %u paths %llu, steps %u\n", o->inputs,
		search_count(o->search), schedules, (unsigned long long)search_paths(o->search),
		o->steps);
}

static int check_program(
	struct oracle *o, const struct ir_program *p, char *path, int number, bool spoil)
{
	struct inputs inputs;
	char *argv[MAX_BATCH + 2] = {path};
	struct cover_options opt = {.search = {.executor = {.inputs = &inputs,
						       .argc = number + 2,
						       .argv = argv,
						       .envp = environ,
						       .limits = {.max_steps = 2000000,
							       .deadline = clock_seconds() + 60}},
					    .max_paths = 20000}};
	int status = 3;

	for (int i = 0; i <= number; i++)
		argv[i + 1] = "-";
	inputs_init(&inputs);
	o->cover = cover_new(p, &opt);
	if (!o->cover)
		return 2;
	o->search = cover_search(o->cover);
	o->x = search_executor(o->search);
	if (cover_run(o->cover))
		search_each_reason(o->search, tell_reason, NULL);
	else {
		if (spoil)
			spoil_set(o);
		check_inputs(o, 0);
		print_counts(o);
		status = o->wrong != 0;
	}
	cover_free(o->cover);
	inputs_release(&inputs);
	return status;
}

int main(int argc, char **argv)
{
	struct oracle o = {0};
	bool spoil = argc > 1 && !strcmp(argv[1], "--spoil");
	struct ir_program *p;
	int number = -1, status;

	argv += spoil;
	argc -= spoil;
	if (argc > 3 && !strcmp(argv[1], "--program")) {
		number = atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	p = argc > 1 && number < MAX_BATCH ? load(argv[1]) : NULL;
	if (!p)
		return 2;
	for (int i = 2; i < argc && o.nin < MAX_INPUT; i++)
		o.limit[o.nin++] = (uint32_t)atoi(argv[i]);
	status = check_program(&o, p, argv[1], number, spoil);
	ir_program_free(p);
	return status;
}
