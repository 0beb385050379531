/*
 * Runs a program under a schedule that stands on the command line, and prints what became of it,
 * one word and its values a line: drive [--mode steps|random|pct|free] [--seed N] [--depth N]
 *		[--length N] [--thread P.N]…
 *		[--step T:POINT]… [--goal none|race|access|stack|stuck] [--a T:POINT] [--b T:POINT]
 *		[--trace DIR] [--seconds S] [--loud] [--stop] -- EXE ARGS…
 *	drive --count DIR: points of each thread of a trace, as the re-execution counts them
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"
#include "replay/replay.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_word(const char *const *words, int n, const char *word)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return i;
	fprintf(stderr, "drive: bad word '%s'\n", word);
	exit(2);
}

/* ---- counting ---------------------------------------------------------------------------- */

struct counted {
	uint64_t points;
	uint32_t children;
};

struct counter {
	struct trace *t;
	struct counted *threads; /* as trace_thread() numbers them */
	struct {
		uint32_t parent, nth;
	} *names; /* by number of the log */
};

static void on_insn(void *ctx, uint32_t thread, struct follow *f, uint32_t func, uint32_t insn)
{
	struct counter *c = ctx;

	(void)f;
	if (trace_plan(c->t)->funcs[func].insn[insn].flags & PLAN_F_EVENT)
		c->threads[thread].points++;
}

static void on_event(void *ctx, uint32_t thread, struct follow *f, const struct follow_event *e)
{
	struct counter *c = ctx;
	struct counted *n = &c->threads[thread];

	(void)f;
	n->points++;
	if (e->sync->kind == LOG_S_CREATE && !e->sync->result && e->extra != LOG_NONE) {
		c->names[e->extra].parent = trace_thread(c->t, thread)->id;
		c->names[e->extra].nth = n->children++;
	}
}

static int count(const char *dir)
{
	struct counter c = {.t = trace_open(dir)};
	struct trace_observer o = {
		.kinds = FOLLOW_BIT(FOLLOW_SYNC), .event = on_event, .insn = on_insn, .ctx = &c};
	uint32_t n;

	if (!c.t)
		return 1;
	n = trace_nthreads(c.t);
	c.threads = calloc(n, sizeof *c.threads);
	c.names = calloc(LOG_MAX_THREADS, sizeof *c.names);
	trace_follow(c.t, &o, NULL, 1);
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_thread *t = trace_thread(c.t, i);

		printf("counted %u %u %u %u %" PRIu64 " %u\n", t->id, t->kind,
			t->kind == LOG_T_MAIN ? UINT32_MAX : c.names[t->id].parent,
			t->kind == LOG_T_MAIN ? UINT32_MAX : c.names[t->id].nth,
			c.threads[i].points, t->result.status);
		if (t->result.reason.n)
			printf("reason %u %s\n", t->id, t->result.reason.s);
	}
	free(c.threads);
	free(c.names);
	trace_close(c.t);
	return 0;
}

/* ---- running ----------------------------------------------------------------------------- */

static const char *const modes[] = {"steps", "random", "pct", "free"};
static const char *const goals[] = {"none", "race", "access", "stack", "stuck"};
static const char *const fates[] = {
	"running", "exited", "assert", "signal", "deadlock", "misuse", "stuck"};
static const char *const kinds[] = {
#define KIND(id, text) text,
#include "log/sync.def"
};
static const char *const whats[] = {"ok", "null", "freed", "outside", "unmapped"};

static void two(const char *s, char between, uint32_t *a, uint64_t *b)
{
	char *end;

	*a = (uint32_t)strtoul(s, &end, 10);
	if (*end != between) {
		fprintf(stderr, "drive: bad pair '%s'\n", s);
		exit(2);
	}
	*b = strtoull(end + 1, NULL, 10);
}

static void add_thread(struct finding *f, const char *s)
{
	struct finding_thread *t;
	uint64_t nth;

	if (!f->threads.n)
		*vec_add(&f->threads) =
			(struct finding_thread){.parent = UINT32_MAX, .nth = UINT32_MAX};
	t = vec_add(&f->threads);
	two(s, '.', &t->parent, &nth);
	t->nth = (uint32_t)nth;
}

static void option(
	struct replay_options *opt, struct finding *f, const char *name, const char *value)
{
	struct finding_move *m;

	if (!strcmp(name, "--mode"))
		opt->mode = (enum sched_mode)find_word(modes, 4, value);
	else if (!strcmp(name, "--seed"))
		opt->seed = strtoull(value, NULL, 10);
	else if (!strcmp(name, "--depth"))
		opt->depth = (uint32_t)strtoul(value, NULL, 10);
	else if (!strcmp(name, "--length"))
		opt->length = strtoull(value, NULL, 10);
	else if (!strcmp(name, "--seconds"))
		opt->seconds = strtod(value, NULL);
	else if (!strcmp(name, "--trace"))
		opt->trace = value;
	else if (!strcmp(name, "--input"))
		opt->input = value;
	else if (!strcmp(name, "--thread"))
		add_thread(f, value);
	else if (!strcmp(name, "--goal"))
		f->goal = (uint32_t)find_word(goals, ARRAY_SIZE(goals), value);
	else if (!strcmp(name, "--a"))
		two(value, ':', &f->a, &f->at_a);
	else if (!strcmp(name, "--b"))
		two(value, ':', &f->b, &f->at_b);
	else if (!strcmp(name, "--step")) {
		m = vec_add(&f->moves);
		two(value, ':', &m->thread, &m->until);
	} else {
		fprintf(stderr, "drive: bad option '%s'\n", name);
		exit(2);
	}
}

static void print_memory(const struct sched_memory *m)
{
	printf("memory %s addr 0x%" PRIx64 " size %" PRIu64 " write %u atomic %u block 0x%" PRIx64
	       " %" PRIu64 " freed-by %d\n",
		whats[m->what], m->addr, m->size, m->write, m->atomic, m->block, m->block_size,
		(int)m->freed_by);
}

static void print_result(const struct replay_result *r)
{
	const struct sched_outcome *o = &r->out;

	printf("fate %s %d\n", fates[o->fate], o->code);
	printf("thread %d %" PRIu64 "\n", (int)o->thread, o->point);
	printf("done %u\ndiverged %u\nseen %u\nflags %u\n", o->done, o->diverged, o->goal_seen,
		o->flags);
	printf("misuse %u %d %" PRIu64 "\n", o->misuse.what, (int)o->misuse.thread,
		o->misuse.point);
	printf("hash %016" PRIx64 "\npoints %" PRIu64 "\ntext %s\n", o->hash, o->points, o->text);
	print_memory(&o->memory[0]);
	print_memory(&o->memory[1]);
	for (uint32_t i = 0; i < o->nwaits; i++)
		printf("wait %d %s point %" PRIu64 " holder %d\n", (int)o->waits[i].thread,
			kinds[o->waits[i].kind], o->waits[i].point, (int)o->waits[i].holder);
	vec_each (&r->threads, i)
		printf("count %u %u %u %" PRIu64 "\n", i, r->threads.at[i].parent,
			r->threads.at[i].nth, r->counts.at[i]);
	vec_each (&r->switches, i)
		printf("switch %d:%" PRIu64 "\n", (int)r->switches.at[i].thread,
			r->switches.at[i].until);
	printf("status %d\nseconds %.3f\noutput\n", r->status, r->seconds);
	fwrite(r->output.s, 1, r->output.n, stdout);
}

int main(int argc, char **argv)
{
	struct replay_options opt = {.quiet = true};
	struct finding *f = finding_new();
	struct replay_result res;
	int i = 1;

	if (argc == 3 && !strcmp(argv[1], "--count"))
		return count(argv[2]);
	while (i < argc && strcmp(argv[i], "--")) {
		if (!strcmp(argv[i], "--loud"))
			opt.quiet = false;
		else if (!strcmp(argv[i], "--stop"))
			opt.stop_at_switch = true;
		else if (i + 1 < argc)
			option(&opt, f, argv[i], argv[i + 1]), i++;
		i++;
	}
	if (i + 1 >= argc)
		return 2;
	opt.argv = argv + i + 1;
	opt.exe = opt.argv[0];
	if (replay_run(&opt, f, &res))
		return 1;
	print_result(&res);
	replay_result_release(&res);
	finding_free(f);
	return 0;
}
