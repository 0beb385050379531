#include "replay/trial_judge.h"

#include "base/base.h"
#include "replay/failure.h"
#include "replay/words.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

struct judged {
	const struct testcase *tc;
	const struct rehearsal *r;
	const struct native *nv;
	const struct sched_outcome *o;
	struct strbuf *what;
};

/* ---- what there is to see -------------------------------------------------------------------- */

enum sign {          /* how a fault shows, natively */
	SIGN_NONE,   /* not at all, or as anything */
	SIGN_ASSERT, /* the assertion tells, with its line */
	SIGN_ABORT,
	SIGN_MISUSE, /* the runtime notices: see struct fault */
	SIGN_SELF,   /* a thread waits for itself */
	SIGN_SIGNAL,
	SIGN_ACCESS, /* at a point the runtime looks at the address; else a signal may come */
	SIGN_RACE,   /* the runtime looks at both accesses */
	SIGN_FREE,   /* the runtime or the library notices */
	SIGN_STUCK,  /* the runtime sees that all threads wait in loops */
};

static const struct fault {
	const char *kind;
	enum sign sign;
	uint64_t bits;   /* MISUSE: of enum sched_misuse; SIGNAL, ACCESS: of signals */
	uint32_t memory; /* ACCESS: bits of enum sched_what */
} faults[] = {
#define BIT(n) (1ull << (n))
#define CRASH  (BIT(SIGSEGV) | BIT(SIGBUS))
	{"assertion-failure", SIGN_ASSERT, 0, 0},
	{"abort", SIGN_ABORT, 0, 0},
	{"double-lock", SIGN_SELF, BIT(SCHED_LOCK_OWN), 0},
	{"bad-unlock", SIGN_MISUSE, BIT(SCHED_UNLOCK_FREE) | BIT(SCHED_UNLOCK_OTHERS), 0},
	{"destroy-in-use", SIGN_MISUSE, BIT(SCHED_DESTROY_HELD) | BIT(SCHED_DESTROY_WAITED), 0},
	{"use-of-destroyed-object", SIGN_MISUSE, BIT(SCHED_USE_DESTROYED), 0},
	{"fatal-signal", SIGN_SIGNAL, UINT64_MAX, 0},
	{"division-by-zero", SIGN_SIGNAL, BIT(SIGFPE), 0},
	{"division-overflow", SIGN_SIGNAL, BIT(SIGFPE), 0},
	{"null-dereference", SIGN_ACCESS, CRASH, BIT(SCHED_NULL)},
	{"wild-pointer", SIGN_ACCESS, CRASH, BIT(SCHED_UNMAPPED) | BIT(SCHED_OUTSIDE)},
	{"null-call", SIGN_SIGNAL, CRASH, 0},
	{"wild-call", SIGN_SIGNAL, CRASH | BIT(SIGILL), 0},
	{"write-to-constant", SIGN_SIGNAL, CRASH, 0},
	{"stack-overflow", SIGN_SIGNAL, CRASH, 0},
	{"trap", SIGN_SIGNAL, BIT(SIGILL) | BIT(SIGTRAP), 0},
	{"heap-use-after-free", SIGN_ACCESS, CRASH, BIT(SCHED_FREED)},
	{"heap-buffer-overflow", SIGN_ACCESS, CRASH, BIT(SCHED_OUTSIDE) | BIT(SCHED_UNMAPPED)},
	{"data-race", SIGN_RACE, 0, 0},
	{"double-free", SIGN_FREE, BIT(SCHED_FREE_FREED), 0},
	{"bad-free", SIGN_FREE, 0, 0},
	{"livelock", SIGN_STUCK, 0, 0},
};

static const struct fault *fault_of(const char *kind)
{
	static const struct fault other = {"", SIGN_NONE, 0, 0};

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(faults[i].kind, kind))
			return &faults[i];
	return &other;
}

bool judge_is_failure(const struct testcase *tc)
{
	return tc->fate == EXEC_FAULT || tc->fate == EXEC_DEADLOCK;
}

bool judge_failed(const struct native *nv)
{
	return failure_is(&nv->res) || nv->res.out.misuse.what;
}

/* ---- in words -------------------------------------------------------------------------------- */

void judge_expected(const struct testcase *tc, struct strbuf *what)
{
	switch (tc->fate) {
	case EXEC_EXITED: strbuf_addf(what, "exits with %d", tc->status & 255); break;
	case EXEC_DEADLOCK: strbuf_adds(what, "hangs: deadlock"); break;
	case EXEC_FAULT: strbuf_addf(what, "fails: %s", tc->kind); break;
	case EXEC_STOPPED:
		strbuf_addf(what, "is stopped: %s", tc->kind ? tc->kind : "not known why");
		break;
	}
	if (tc->fate == EXEC_FAULT && tc->file)
		strbuf_addf(what, " at %s:%u", tc->file, tc->line);
}

static void add_fate(const struct judged *j)
{
	const char *words;
	uint32_t kind;

	if ((j->o->fate == SCHED_EXITED || j->o->fate == SCHED_MISUSE) &&
		replay_misuse(&j->nv->res, &kind, &words)) {
		words_thread(j->what, j->r ? j->r->schedule : NULL, j->o->misuse.thread);
		strbuf_addf(j->what, " %s", words);
		return;
	}
	replay_fate(j->r ? j->r->schedule : NULL, &j->nv->res, j->what);
}

/* It ended otherwise. A fault that does not show may be behind anything that comes after the place
 * where it is: then the program has made all its moves, but perhaps the last, on the way to which
 * it lies. */
static enum sight otherwise(const struct judged *j, bool may_be_unseen)
{
	bool there = !j->r || j->o->done + 1 >= j->r->schedule->moves.n;

	add_fate(j);
	return there && may_be_unseen ? SIGHT_UNSEEN : SIGHT_OTHER;
}

/* ---- by fate --------------------------------------------------------------------------------- */

/* What the runtime noticed on the way may be what the program expects, and gets an error code for:
 * to the machine it was no fault. */
static enum sight judge_exit(const struct judged *j)
{
	const char *words;
	uint32_t kind;

	replay_fate(j->r ? j->r->schedule : NULL, &j->nv->res, j->what);
	if (j->o->fate == SCHED_EXITED && replay_misuse(&j->nv->res, &kind, &words)) {
		strbuf_clear(j->what);
		strbuf_addf(j->what, "exited with %d, after ", j->o->code);
		words_thread(j->what, j->r ? j->r->schedule : NULL, j->o->misuse.thread);
		strbuf_addf(j->what, " %s", words);
	}
	return j->o->fate == SCHED_EXITED && j->o->code == (j->tc->status & 255) ? SIGHT_SEEN
										 : SIGHT_OTHER;
}

static const struct sched_wait *wait_of(const struct sched_outcome *o, uint32_t thread)
{
	for (uint32_t i = 0; i < o->nwaits; i++)
		if (o->waits[i].thread == thread)
			return &o->waits[i];
	return NULL;
}

/* Every thread that the machine left waiting waits before the same point, and nobody else does. */
static bool same_waits(const struct judged *j)
{
	uint32_t n = 0;

	vec_each (&j->r->counts, i) {
		const struct sched_wait *w = wait_of(j->o, i);

		if (w && w->point != j->r->counts.at[i])
			return false;
		n += w != NULL;
	}
	return n == j->o->nwaits;
}

static enum sight judge_deadlock(const struct judged *j)
{
	if (j->o->fate != SCHED_DEADLOCK)
		return otherwise(j, false);
	if (j->r && !same_waits(j)) {
		strbuf_adds(j->what, "hung in another deadlock: ");
		add_fate(j);
		return SIGHT_OTHER;
	}
	strbuf_adds(j->what, "hung, deadlock: ");
	for (uint32_t i = 0; i < j->o->nwaits; i++) {
		strbuf_adds(j->what, !i ? "" : i + 1 < j->o->nwaits ? ", " : " and ");
		words_thread(j->what, j->r ? j->r->schedule : NULL, j->o->waits[i].thread);
	}
	strbuf_adds(j->what, j->o->nwaits == 1 ? " waits" : " wait");
	return SIGHT_SEEN;
}

static bool by_signal(const struct judged *j, uint64_t bits)
{
	return j->o->fate == SCHED_SIGNAL && j->o->code > 0 && j->o->code < 64 &&
	       bits >> j->o->code & 1;
}

static bool by_misuse(const struct judged *j, uint64_t bits)
{
	return j->o->misuse.what && j->o->misuse.what < 64 && bits >> j->o->misuse.what & 1;
}

/* By the line, which is all that both know for sure: paths are as the compiler got them. */
static enum sight judge_assert(const struct judged *j)
{
	char line[16];

	if (j->o->fate != SCHED_ASSERT)
		return otherwise(j, false);
	snprintf(line, sizeof line, ":%u:", j->tc->line);
	add_fate(j);
	return !j->tc->line || strstr(j->o->text, line) ? SIGHT_SEEN : SIGHT_OTHER;
}

static enum sight judge_abort(const struct judged *j)
{
	add_fate(j);
	return j->o->fate == SCHED_ASSERT || by_signal(j, BIT(SIGABRT)) ? SIGHT_SEEN : SIGHT_OTHER;
}

static enum sight judge_self(const struct judged *j, const struct fault *f)
{
	for (uint32_t i = 0; i < j->o->nwaits; i++)
		if (j->o->fate == SCHED_DEADLOCK &&
			j->o->waits[i].holder == j->o->waits[i].thread) {
			words_thread(j->what, j->r ? j->r->schedule : NULL, j->o->waits[i].thread);
			strbuf_adds(j->what, " waits for itself");
			return SIGHT_SEEN;
		}
	add_fate(j);
	return by_misuse(j, f->bits) ? SIGHT_SEEN : SIGHT_OTHER;
}

static enum sight judge_access(const struct judged *j, const struct fault *f)
{
	static const char *const words[] = {[SCHED_NULL] = "null",
		[SCHED_FREED] = "freed memory",
		[SCHED_OUTSIDE] = "outside of its block",
		[SCHED_UNMAPPED] = "no memory"};
	const struct sched_memory *mem = &j->o->memory[0];

	if (j->o->goal_seen && f->memory >> mem->what & 1) {
		words_thread(j->what, j->r->schedule, j->r->thread);
		strbuf_addf(j->what, " stands before %s of %llu bytes at %s",
			mem->write ? "a write" : "a read", (unsigned long long)mem->size,
			words[mem->what]);
		return SIGHT_SEEN;
	}
	if (!by_signal(j, f->bits))
		return otherwise(j, true);
	add_fate(j);
	return SIGHT_SEEN;
}

static enum sight judge_race(const struct judged *j)
{
	if (!j->o->goal_seen)
		return otherwise(j, !j->r || !j->r->access);
	strbuf_adds(j->what, "has a data race: ");
	words_thread(j->what, j->r->schedule, j->r->schedule->a);
	strbuf_adds(j->what, " and ");
	words_thread(j->what, j->r->schedule, j->r->schedule->b);
	strbuf_adds(j->what, " stand before accesses to the same memory");
	return SIGHT_SEEN;
}

static enum sight judge_free(const struct judged *j, const struct fault *f)
{
	if (!by_misuse(j, f->bits) && !by_signal(j, BIT(SIGABRT) | CRASH) &&
		j->o->fate != SCHED_ASSERT)
		return otherwise(j, true);
	add_fate(j);
	return SIGHT_SEEN;
}

static enum sight judge_fault(const struct judged *j)
{
	const struct fault *f = fault_of(j->tc->kind);

	switch (f->sign) {
	case SIGN_NONE: return otherwise(j, true);
	case SIGN_ASSERT: return judge_assert(j);
	case SIGN_ABORT: return judge_abort(j);
	case SIGN_SELF: return judge_self(j, f);
	case SIGN_ACCESS: return judge_access(j, f);
	case SIGN_RACE: return judge_race(j);
	case SIGN_FREE: return judge_free(j, f);
	case SIGN_MISUSE:
		if (!by_misuse(j, f->bits))
			return otherwise(j, false);
		add_fate(j);
		return SIGHT_SEEN;
	case SIGN_STUCK:
		if (j->o->fate != SCHED_STUCK)
			return otherwise(j, false);
		add_fate(j);
		return SIGHT_SEEN;
	case SIGN_SIGNAL:
		if (!by_signal(j, f->bits))
			return otherwise(j, false);
		add_fate(j);
		return SIGHT_SEEN;
	}
	BUG("sign %d", f->sign);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The library gives up by abort(), and the runtime hears of it as of any signal; some of it is told
 * by the process only. */
static struct sched_outcome outcome_of(const struct native *nv)
{
	struct sched_outcome o = nv->res.out;

	if (o.fate == SCHED_RUNNING && WIFSIGNALED(nv->res.status)) {
		o.fate = SCHED_SIGNAL;
		o.code = WTERMSIG(nv->res.status);
	}
	if (o.fate == SCHED_MISUSE && WIFEXITED(nv->res.status)) {
		o.fate = SCHED_EXITED;
		o.code = WEXITSTATUS(nv->res.status);
	}
	return o;
}

static bool may_be_stuck(const struct testcase *tc)
{
	return tc->fate == EXEC_DEADLOCK ||
	       (tc->fate == EXEC_FAULT && fault_of(tc->kind)->sign == SIGN_STUCK);
}

static enum sight judge_fate(const struct judged *j)
{
	if (j->o->fate == SCHED_RUNNING || (j->o->fate == SCHED_STUCK && !may_be_stuck(j->tc))) {
		add_fate(j);
		return SIGHT_UNKNOWN;
	}
	switch (j->tc->fate) {
	case EXEC_EXITED: return judge_exit(j);
	case EXEC_DEADLOCK: return judge_deadlock(j);
	case EXEC_FAULT: return judge_fault(j);
	case EXEC_STOPPED: break;
	}
	add_fate(j);
	return SIGHT_UNKNOWN;
}

/* A failure counts however the program came to it; all else was not what was to be tried. */
enum sight judge(const struct testcase *tc, const struct rehearsal *r, const struct native *nv,
	struct strbuf *what)
{
	struct sched_outcome o = outcome_of(nv);
	struct judged j = {tc, r, nv, &o, what};
	enum sight s;

	if (o.diverged && !judge_failed(nv)) {
		strbuf_addf(what, "went another way: %s", o.text);
		return SIGHT_DIVERGED;
	}
	s = judge_fate(&j);
	if (!o.diverged)
		return s;
	strbuf_adds(what, ", after it went another way");
	return s == SIGHT_SEEN ? SIGHT_SEEN : SIGHT_DIVERGED;
}

/* ---- output ---------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *sorted_lines(const char *s, size_t n)
{
	char *copy = xstrndup(s, n), *rest = NULL;
	VEC(char *) lines = {0};
	struct strbuf b = {0};

	for (char *l = strtok_r(copy, "\n", &rest); l; l = strtok_r(NULL, "\n", &rest))
		vec_push(&lines, l);
	qsort(lines.at, lines.n, sizeof *lines.at, by_line);
	vec_each (&lines, i)
		strbuf_addf(&b, "%s\n", lines.at[i]);
	vec_release(&lines);
	free(copy);
	return b.s ? strbuf_detach(&b) : xstrdup("");
}

enum output_match output_compare(const char *a, size_t na, const char *b, size_t nb, bool whole)
{
	char *x, *y;
	bool same;

	if ((na == nb || !whole) && !memcmp(a, b, MIN(na, nb)))
		return OUTPUT_SAME;
	if (na != nb || memchr(a, 0, na) || memchr(b, 0, nb))
		return OUTPUT_OTHER;
	x = sorted_lines(a, na);
	y = sorted_lines(b, nb);
	same = !strcmp(x, y);
	free(x);
	free(y);
	return same ? OUTPUT_ORDER : OUTPUT_OTHER;
}
