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

/* ---- signs of faults ------------------------------------------------------------------------- */

#define BIT(n) (1ull << (n))
#define CRASH  (BIT(SIGSEGV) | BIT(SIGBUS))

/* Signals by which the fault can end the process, as bits. */
static uint64_t signals_of(enum fault fault)
{
	switch (fault) {
	case FAULT_CRASH:
	case FAULT_FATAL_SIGNAL: return UINT64_MAX;
	case FAULT_DIVISION:
	case FAULT_DIVISION_OVERFLOW: return BIT(SIGFPE);
	case FAULT_TRAP: return BIT(SIGILL) | BIT(SIGTRAP);
	case FAULT_WILD_CALL: return CRASH | BIT(SIGILL);
	case FAULT_DOUBLE_FREE:
	case FAULT_BAD_FREE: return CRASH | BIT(SIGABRT);
	case FAULT_ABORT: return BIT(SIGABRT);
	case FAULT_NULL_DEREF:
	case FAULT_WILD_DEREF:
	case FAULT_NO_ACCESS:
	case FAULT_NULL_CALL:
	case FAULT_WRITE_CONSTANT:
	case FAULT_CALL_DEPTH:
	case FAULT_USE_AFTER_FREE:
	case FAULT_OVERFLOW: return CRASH;
	case FAULT_ASSERT:
	case FAULT_RACE:
	case FAULT_ATOMICITY:
	case FAULT_DEADLOCK:
	case FAULT_LOST_WAKEUP:
	case FAULT_DOUBLE_LOCK:
	case FAULT_DOUBLE_UNLOCK:
	case FAULT_FOREIGN_UNLOCK:
	case FAULT_RECURSION:
	case FAULT_DESTROY:
	case FAULT_USE_DESTROYED:
	case FAULT_HANG:
	case FAULT_LIVELOCK:
	case FAULT_BRANCH:
	case FAULT_BAD_ARGUMENT:
	case FAULT_WILD_GOTO:
	case FAULT_BAD_LONGJMP:
	case FAULT_UNREACHABLE:
	case FAULT_STACK_OVERRUN:
	case FAULT_GLOBAL_OVERRUN:
	case FAULT_TLS_OVERRUN:
	case FAULT_OVERRUN:
	case FAULT_USE_AFTER_RETURN:
	case FAULT_USE_AFTER_EXIT:
	case FAULT_UNINITIALIZED:
	case FAULT_COPY_OVERLAP:
	case FAULT_NONE: return 0;
	}
	BUG("fault %d", fault);
}

/* The runtime's classification of the accessed address is a sign of the fault. */
static bool address_shows(enum sched_what what, enum fault fault)
{
	switch (what) {
	case SCHED_OK: return false;
	case SCHED_NULL: return fault == FAULT_NULL_DEREF;
	case SCHED_FREED: return fault == FAULT_USE_AFTER_FREE;
	case SCHED_OUTSIDE:
	case SCHED_UNMAPPED: return fault == FAULT_WILD_DEREF || fault == FAULT_OVERFLOW;
	}
	return false;
}

bool judge_is_failure(const struct testcase *tc)
{
	return tc->fate == EXEC_FAULT || tc->fate == EXEC_DEADLOCK;
}

bool judge_failed(const struct native *nv)
{
	return failure_is(&nv->res) || nv->res.out.misuse.what;
}

/* ---- descriptions ---------------------------------------------------------------------------- */

void judge_expected(const struct testcase *tc, struct strbuf *what)
{
	switch (tc->fate) {
	case EXEC_EXITED: strbuf_addf(what, "exits with %d", tc->status & 255); break;
	case EXEC_DEADLOCK: strbuf_adds(what, "hangs: deadlock"); break;
	case EXEC_FAULT: strbuf_addf(what, "fails: %s", fault_words[tc->fault].title); break;
	case EXEC_STOPPED:
		strbuf_addf(what, "is stopped: %s",
			testcase_kind(tc) ? testcase_kind(tc) : "the reason is not known");
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

static bool by_signal(const struct judged *j, uint64_t bits)
{
	return j->o->fate == SCHED_SIGNAL && j->o->code > 0 && j->o->code < 64 &&
	       bits >> j->o->code & 1;
}

/* The process ended in a way that is typical of damaged memory. */
static bool has_crashed(const struct judged *j)
{
	if (j->o->fate == SCHED_ASSERT)
		return !words_assertion(j->o->text, &(size_t){0});
	return by_signal(j, CRASH | BIT(SIGILL) | BIT(SIGABRT));
}

/*
 * The program did not show the sign of the fault. It reached the place of the fault if it executed
 * all segments but perhaps the last, in which the fault lies. If it did, and the fault can be
 * without a sign, the fault was seen on the machine only; but a crash is a sign of damaged memory.
 */
static enum sight judge_no_sign(const struct judged *j, bool need_not_show)
{
	bool there = !j->r || j->o->done + 1 >= j->r->schedule->moves.n;

	add_fate(j);
	if (!there || !need_not_show)
		return SIGHT_OTHER;
	return has_crashed(j) ? SIGHT_SEEN : SIGHT_MACHINE_ONLY;
}

/* ---- judgement by outcome -------------------------------------------------------------------- */

/* A misuse that the runtime reported does not make the outcome another one: the program may
 * handle the error code, and the machine did not regard the call as a fault. */
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

/* Every thread that waits in the run is a thread of the rehearsal, and waits at the point at
 * which the rehearsal left it. */
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
		return judge_no_sign(j, false);
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

static bool by_misuse(const struct judged *j)
{
	return misuse_shows((enum sched_misuse)j->o->misuse.what, j->tc->fault);
}

/* Compares only the line: the path in the message is the one that the compiler was given. */
static enum sight judge_assert(const struct judged *j)
{
	char line[16];

	if (j->o->fate != SCHED_ASSERT)
		return judge_no_sign(j, false);
	snprintf(line, sizeof line, ":%u:", j->tc->line);
	add_fate(j);
	return !j->tc->line || strstr(j->o->text, line) ? SIGHT_SEEN : SIGHT_OTHER;
}

static enum sight judge_abort(const struct judged *j)
{
	add_fate(j);
	return j->o->fate == SCHED_ASSERT || by_signal(j, BIT(SIGABRT)) ? SIGHT_SEEN : SIGHT_OTHER;
}

static enum sight judge_self(const struct judged *j)
{
	for (uint32_t i = 0; i < j->o->nwaits; i++)
		if (j->o->fate == SCHED_DEADLOCK &&
			j->o->waits[i].holder == j->o->waits[i].thread) {
			words_thread(j->what, j->r ? j->r->schedule : NULL, j->o->waits[i].thread);
			strbuf_adds(j->what, " waits for itself");
			return SIGHT_SEEN;
		}
	add_fate(j);
	return by_misuse(j) ? SIGHT_SEEN : SIGHT_OTHER;
}

static enum sight judge_access(const struct judged *j)
{
	static const char *const words[] = {[SCHED_NULL] = "null",
		[SCHED_FREED] = "freed memory",
		[SCHED_OUTSIDE] = "outside of its block",
		[SCHED_UNMAPPED] = "no memory"};
	const struct sched_memory *mem = &j->o->memory[0];

	if (j->o->goal_seen && address_shows((enum sched_what)mem->what, j->tc->fault)) {
		words_thread(j->what, j->r->schedule, j->r->thread);
		strbuf_addf(j->what, " stands before %s of %llu bytes at %s",
			mem->write ? "a write" : "a read", (unsigned long long)mem->size,
			words[mem->what]);
		return SIGHT_SEEN;
	}
	if (!by_signal(j, signals_of(j->tc->fault)))
		return judge_no_sign(j, true);
	add_fate(j);
	return SIGHT_SEEN;
}

static enum sight judge_race(const struct judged *j)
{
	if (!j->o->goal_seen)
		return judge_no_sign(j, !j->r || !j->r->access);
	strbuf_adds(j->what, "has a data race: ");
	words_thread(j->what, j->r->schedule, j->r->schedule->a);
	strbuf_adds(j->what, " and ");
	words_thread(j->what, j->r->schedule, j->r->schedule->b);
	strbuf_adds(j->what, " stand before accesses to the same memory");
	return SIGHT_SEEN;
}

static enum sight judge_free(const struct judged *j)
{
	if (!by_misuse(j) && !by_signal(j, signals_of(j->tc->fault)) &&
		j->o->fate != SCHED_ASSERT)
		return judge_no_sign(j, true);
	add_fate(j);
	return SIGHT_SEEN;
}

static enum sight judge_sign(const struct judged *j, bool shown)
{
	if (!shown)
		return judge_no_sign(j, false);
	add_fate(j);
	return SIGHT_SEEN;
}

static enum sight judge_fault(const struct judged *j)
{
	enum fault_sign sign = fault_words[j->tc->fault].sign;

	switch (sign) {
	case SIGN_ASSERT: return judge_assert(j);
	case SIGN_ABORT: return judge_abort(j);
	case SIGN_SELF_WAIT: return judge_self(j);
	case SIGN_DEADLOCK: return judge_deadlock(j);
	case SIGN_ACCESS: return judge_access(j);
	case SIGN_RACE: return judge_race(j);
	case SIGN_FREE: return judge_free(j);
	case SIGN_MISUSE: return judge_sign(j, by_misuse(j));
	case SIGN_STUCK: return judge_sign(j, j->o->fate == SCHED_STUCK);
	case SIGN_SIGNAL: return judge_sign(j, by_signal(j, signals_of(j->tc->fault)));
	case SIGN_ORDER: /* the machine does not report this fault */
	case SIGN_FLIP:
	case SIGN_NONE: return judge_no_sign(j, true);
	}
	BUG("sign %d", sign);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* The outcome that the runtime reported, completed from the status of the process: a signal that
 * the runtime did not see, and the exit status after a misuse. */
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
	       (tc->fate == EXEC_FAULT && fault_words[tc->fault].sign == SIGN_STUCK);
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

/* After a divergence only the expected failure counts as seen; any other outcome is that of another
 * schedule. */
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
