/*
 * flips EXE SCRATCH KIND [THEN]: a run of decide.c in which the writer comes first is recorded (by the
 * enforcing image, or by `heddle record` into SCRATCH/recorded if that is there), and the first decision
 * of the second thread taken from its concurrent trace program. Random schedules are then confirmed as
 * flips of it. Prints a line for each: the status, the class, the outcome; and complains where the exit
 * code says otherwise.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "extract/extract.h"
#include "replay/flip.h"
#include "trace/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *word;
	enum flip_kind kind;
	uint64_t events; /* kinds of a CTP that decide so */
} kinds[] = {
	{"if", FLIP_IF, 1ull << CTP_BRANCH | 1ull << CTP_ASSERT},
	{"switch", FLIP_SWITCH, 1ull << CTP_BRANCH | 1ull << CTP_ASSERT},
	{"pointer", FLIP_POINTER, 1ull << CTP_DEREF},
	{"heap", FLIP_POINTER, 1ull << CTP_DEREF},
	{"index", FLIP_INDEX, 1ull << CTP_DEREF},
	{"call", FLIP_CALL, 1ull << CTP_CALL | 1ull << CTP_FIX},
	{"divisor", FLIP_DIVISOR, 1ull << CTP_DIVISOR},
	{"zero", FLIP_DIVISOR, 1ull << CTP_DIVISOR},
	{"try", FLIP_TRY, 1ull << CTP_LOCK | 1ull << CTP_TRYFAIL},
};

static void fail(const char *why)
{
	fprintf(stderr, "flips: %s\n", why);
	exit(1);
}

static void add_thread(struct finding *f, uint32_t parent, uint32_t nth)
{
	vec_push(&f->threads, (struct finding_thread){.parent = parent, .nth = nth});
}

static void set_address(struct finding_flip *fl, const struct ctp *c, const struct ctp_event *e)
{
	struct strbuf b = {0};
	uint32_t gen = e->block != CTP_NONE
			       ? c->blocks.at[e->block].gen
			       : address_generation(c->sync, c->threads.at[2].id, e->index, ctp_recorded(e));

	fl->value = ctp_recorded(e);
	if (address_name(c->trace, c->sync, ctp_recorded(e), gen, &b))
		fl->address = strbuf_detach(&b);
	strbuf_release(&b);
}

/* What the thread decided by, as a finding has it. */
static void set_value(struct finding_flip *fl, const struct ctp *c, const struct ctp_event *e)
{
	switch (fl->kind) {
	case FLIP_IF: fl->value = ctp_decided(e); break;
	case FLIP_SWITCH: fl->value = 3; break;
	case FLIP_DIVISOR: fl->value = 3; break;
	case FLIP_TRY: fl->value = e->kind == CTP_TRYFAIL ? EBUSY : 0; break;
	default: set_address(fl, c, e);
	}
}

static void take_decision(struct finding_flip *fl, const char *dir, uint64_t kinds_of_events)
{
	struct trace *t = trace_open(dir);
	const struct ctp *c = t ? extract(t, &(struct extract_options){.jobs = 1}) : NULL;
	const struct ctp_event *e = NULL;

	if (!c || c->threads.n != 3)
		fail("the run was not extracted");
	for (uint32_t i = 0; i < c->threads.at[2].n && !e; i++)
		if (kinds_of_events >> ctp_at(c, c->threads.at[2].first + i)->kind & 1)
			e = ctp_at(c, c->threads.at[2].first + i);
	if (!e)
		fail("it has no such decision");
	fl->thread = 2;
	fl->func = e->func;
	fl->insn = e->insn;
	fl->index = e->index - 1;
	set_value(fl, c, e);
	ctp_free(c);
	trace_close(t);
}

static void say(const struct finding *f)
{
	printf("%s %s: %s%s%s\n", finding_status_words[f->status], flip_class_words[f->flip.class_],
		f->outcome ? f->outcome : "", f->divergence ? f->divergence : "",
		f->flip.why ? f->flip.why : "");
}

/* The schedule of a run at random as that of the finding. code: of the recorded run. */
static void confirm(struct finding *f, const struct replay_options *opt, uint64_t seed, int code)
{
	struct replay_options o = *opt;
	struct replay_result r = {0};
	bool exits, other;

	o.mode = seed % 2 ? SCHED_RANDOM : SCHED_PCT;
	o.depth = 1;
	o.seed = seed;
	if (replay_run(&o, NULL, &r))
		fail("the program was not run");
	vec_clear(&f->moves);
	vec_each (&r.switches, i)
		vec_push(&f->moves,
			(struct finding_move){r.switches.at[i].thread, r.switches.at[i].until});
	exits = r.out.fate == SCHED_EXITED;
	other = r.out.code != code;
	replay_result_release(&r);
	f->status = FINDING_PREDICTED;
	f->flip.class_ = FLIP_UNCLEAR;
	free(f->flip.why);
	f->flip.why = NULL;
	if (replay_confirm(f, opt))
		fail("the flip was not replayed");
	say(f);
	if (exits && f->flip.kind != FLIP_DIVISOR && other != (f->status == FINDING_CONFIRMED))
		printf("wrong: the exit code is %s\n", other ? "another" : "the same");
}

int main(int argc, char **argv)
{
	struct replay_options opt = {.quiet = true};
	struct replay_result r = {0};
	struct finding *f = finding_new();
	char *dir;
	size_t k = 0;
	int code;

	if (argc < 4)
		fail("usage: flips EXE SCRATCH KIND [THEN]");
	while (k < ARRAY_SIZE(kinds) && strcmp(kinds[k].word, argv[3]))
		k++;
	if (k == ARRAY_SIZE(kinds))
		fail("no such kind");
	f->flip.kind = kinds[k].kind;
	f->exe = xstrdup(argv[1]);
	add_thread(f, UINT32_MAX, UINT32_MAX);
	add_thread(f, 0, 0);
	add_thread(f, 0, 1);
	opt.exe = argv[1];
	opt.argv = (char *[]){argv[1], argv[3], argc > 4 ? argv[4] : NULL, NULL};
	dir = xasprintf("%s/recorded", argv[2]);
	opt.trace = dir;
	f->kind = FAULT_NONE; /* no moves: nothing is to be seen */
	if (!access(dir, F_OK))
		opt.trace = NULL;
	if (replay_run(&opt, f, &r))
		fail("the program was not recorded");
	f->kind = FAULT_BRANCH;
	code = r.out.code;
	replay_result_release(&r);
	opt.trace = NULL;
	take_decision(&f->flip, dir, kinds[k].events);
	printf("decides by %s\n", f->flip.address ? f->flip.address : "a value");
	for (uint64_t seed = 1; seed <= 12; seed++)
		confirm(f, &opt, seed, code);
	free(dir);
	finding_free(f);
	return 0;
}
