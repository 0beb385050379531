/*
 * cover_oracle [--spoil] [--program N] PROGRAM LIMIT...: the schedules of the program's entry epoch, against
 * one run for every input. --program is as in tests/explore/brute.c.
 *
 * The inputs are the bytes of the global variable 'in', as in tests/explore/brute.c; LIMIT i is the
 * number of values of byte i. For each input that the program does not exclude:
 *  - exactly one schedule of the set has a constraint that holds for the input
 *  - a path that is executed for this input alone has that schedule, or a prefix of it
 *
 * Prints "inputs N schedules N paths N", then a line for each difference; exit status 1 if there are
 * some, 3 with the reasons if the set is incomplete. With --spoil one condition of a constraint is
 * negated, which must be noticed.
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

enum { MAX_INPUT = 16, MAX_BATCH = 100 };

struct oracle {
	struct cover *cover;
	struct epoch *epoch;
	uint32_t nin, limit[MAX_INPUT];
	uint8_t in[MAX_INPUT];
	uint32_t inputs, wrong;
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
	return term_sym(epoch_terms(o->epoch), name, 8);
}

static void tell_wrong(struct oracle *o, const char *what)
{
	printf("input");
	for (uint32_t i = 0; i < o->nin; i++)
		printf(" %u", o->in[i]);
	printf(": %s\n", what);
	o->wrong++;
}

/* How many of the conjunctions hold for the input. */
static uint32_t count_holding(struct oracle *o, const struct covered *c)
{
	struct term_assign as;
	uint32_t n = 0;

	term_assign_init(&as, epoch_terms(o->epoch));
	for (uint32_t i = 0; i < o->nin; i++)
		term_assign_set(&as, symbol_of(o, i), o->in[i]);
	vec_each (&c->when, k) {
		bool all = true;

		vec_each (&c->when.at[k], i)
			all &= term_value(&as, (term_t){c->when.at[k].at[i]}) != 0;
		n += all;
	}
	term_assign_release(&as);
	return n;
}

static void check_input(struct oracle *o)
{
	struct terms *ts = epoch_terms(o->epoch);
	term_t is[MAX_INPUT];
	const struct covered *all, *match = NULL;
	struct schedule *own;
	uint32_t n, holding = 0;

	for (uint32_t i = 0; i < o->nin; i++)
		is[i] = term_eq(ts, symbol_of(o, i), term_const(ts, 8, o->in[i]));
	own = epoch_run(o->epoch, is, o->nin);
	if (!own)
		return; /* excluded by heddle_assume() */
	o->inputs++;
	all = epoch_schedules(o->epoch, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = count_holding(o, &all[i]);

		holding += k;
		if (k)
			match = &all[i];
	}
	if (!holding)
		tell_wrong(o, "no schedule covers it");
	else if (holding > 1)
		tell_wrong(o, "several schedules cover it");
	else if (!schedule_same(own, match->schedule) &&
		 !((own->end == PATH_EXIT || own->end == PATH_FAULT) &&
			 schedule_is_prefix(own, match->schedule)))
		tell_wrong(o, "its own run has another schedule");
	schedule_free(own);
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
	uint32_t n;
	const struct covered *all = epoch_schedules(o->epoch, &n);

	for (uint32_t i = 0; i < n; i++)
		if (all[i].when.n && all[i].when.at[0].n) {
			uint32_t *t = &all[i].when.at[0].at[all[i].when.at[0].n - 1];

			*t = term_not(epoch_terms(o->epoch), (term_t){*t}).id;
			return;
		}
}

static int check_program(
	struct oracle *o, const struct ir_program *p, char *path, int number, bool spoil)
{
	struct inputs inputs;
	char *argv[MAX_BATCH + 2] = {path};
	struct cover_options opt = {
		.epoch = {.inputs = &inputs,
			.argc = number + 2,
			.argv = argv,
			.envp = environ,
			.max_paths = 20000,
			.limits = {.max_steps = 2000000, .deadline = clock_seconds() + 60}}};
	const struct epoch_reason *why;
	uint32_t n;
	int status = 0;

	for (int i = 0; i <= number; i++)
		argv[i + 1] = "-";
	inputs_init(&inputs);
	o->cover = cover_new(p, &opt);
	if (!o->cover)
		return 2;
	o->epoch = cover_entry(o->cover);
	if (cover_run(o->cover)) {
		why = epoch_reasons(o->epoch, &n);
		for (uint32_t i = 0; i < n; i++)
			printf("incomplete: %s\n", why[i].why);
		status = 3;
	} else {
		if (spoil)
			spoil_set(o);
		check_inputs(o, 0);
		epoch_schedules(o->epoch, &n);
		printf("inputs %u schedules %u paths %llu\n", o->inputs, n,
			(unsigned long long)epoch_paths(o->epoch));
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
