/*
 * Decides by the sign of its fault (log/faults.def) whether a run showed its finding
 * (docs/replay.md). Each judge_*() appends what was seen, or what happened instead, and relies only
 * on what the runtime observed.
 *
 * A finding of exploration has a test case: heddle's machine has executed its fault. So a run that
 * reaches the place of the fault without a sign of it is "machine only", or, if the fault can
 * damage memory and the program crashes there, seen. A predicted fault needs its sign.
 */
#include "replay/replay.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"
#include "finding/testcase.h"
#include "log/format.h"
#include "replay/failure.h"
#include "replay/flip.h"
#include "replay/output.h"
#include "replay/words.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

struct judged {
	const struct finding *f;
	const struct testcase *tc; /* of f; NULL: none */
	const struct replay_result *r;
	const struct sched_outcome *o;
	struct strbuf *why;
};

#define BIT(n) (1ull << (n))
#define CRASH  (BIT(SIGSEGV) | BIT(SIGBUS))

/* ---- runs without the expected sign ---------------------------------------------------------- */

/* Of a test case: as half a sentence whose subject is the program. */
static void add_fate(const struct judged *j)
{
	const char *words;
	uint32_t kind;

	if (!j->tc)
		strbuf_adds(j->why, "the program ");
	if (j->tc && (j->o->fate == SCHED_EXITED || j->o->fate == SCHED_MISUSE) &&
		replay_misuse(j->r, &kind, &words)) {
		words_thread(j->why, j->f, j->o->misuse.thread);
		strbuf_addf(j->why, " %s", words);
		return;
	}
	replay_fate(j->f, j->r, j->why);
}

static enum sight judge_other(const struct judged *j)
{
	add_fate(j);
	return SIGHT_OTHER;
}

/* bits: signals; UINT64_MAX: all, also those that have no bit. */
static bool is_signal(const struct judged *j, uint64_t bits)
{
	if (j->o->fate != SCHED_SIGNAL)
		return false;
	return bits == UINT64_MAX || (j->o->code > 0 && j->o->code < 64 && bits >> j->o->code & 1);
}

/* The process ended in a way that is typical of damaged memory. */
static bool has_crashed(const struct judged *j)
{
	if (j->o->fate == SCHED_ASSERT)
		return !words_assertion(j->o->text, &(size_t){0});
	return is_signal(j, CRASH | BIT(SIGILL) | BIT(SIGABRT));
}

/* The failure is in the thread that the finding names, or the finding names no thread. */
static bool is_expected(const struct judged *j, uint32_t thread)
{
	return j->f->expect_thread == SCHED_NONE || thread == j->f->expect_thread;
}

/* The run has no sign of a fault that need not have one. It reached the place of the fault if it
 * executed all segments but perhaps the last, in which the fault lies. */
static enum sight judge_no_sign(const struct judged *j)
{
	add_fate(j);
	if (!j->tc || j->o->done + 1 < j->f->moves.n)
		return SIGHT_OTHER;
	return has_crashed(j) && is_expected(j, j->o->thread) ? SIGHT_SEEN : SIGHT_MACHINE_ONLY;
}

/* ---- data races ------------------------------------------------------------------------------ */

static void add_access(const struct judged *j, uint32_t thread, const struct sched_memory *m)
{
	words_thread(j->why, j->f, thread);
	strbuf_addf(j->why, " %s %" PRIu64 " byte%s%s", m->write ? "writes" : "reads", m->size,
		m->size == 1 ? "" : "s", m->atomic ? " atomically" : "");
}

/* Without a goal one of the accesses is no scheduling point, so the runtime cannot show the race.
 */
static enum sight judge_race(const struct judged *j)
{
	const struct sched_memory *a = &j->o->memory[0], *b = &j->o->memory[1];

	if (!j->o->goal_seen)
		return j->f->goal == SCHED_GOAL_NONE ? judge_no_sign(j) : judge_other(j);
	if (a->addr >= b->addr + b->size || b->addr >= a->addr + a->size) {
		strbuf_addf(j->why,
			"the two accesses were at different places, 0x%" PRIx64 " and 0x%" PRIx64,
			a->addr, b->addr);
		return SIGHT_OTHER;
	}
	if (!(a->write || b->write) || (a->atomic && b->atomic)) {
		strbuf_addf(j->why, "the two accesses were %s",
			a->atomic ? "both atomic" : "both reads");
		return SIGHT_OTHER;
	}
	strbuf_addf(j->why,
		"both accesses at 0x%" PRIx64 " were next, with no event between them: ",
		MAX(a->addr, b->addr));
	add_access(j, j->f->a, a);
	strbuf_adds(j->why, ", ");
	add_access(j, j->f->b, b);
	return SIGHT_SEEN;
}

/* ---- atomicity ------------------------------------------------------------------------------- */

/* The segment in which the thread passed the point; UINT32_MAX: the thread did not pass it. */
static uint32_t passed_in(const struct replay_result *r, uint32_t thread, uint64_t point)
{
	vec_each (&r->switches, i)
		if (r->switches.at[i].thread == thread && r->switches.at[i].until > point)
			return i;
	return UINT32_MAX;
}

static enum sight judge_atomicity(const struct judged *j)
{
	const struct finding_step *key[3];
	uint32_t n = 0, at[3];

	vec_each (&j->f->steps, i)
		if ((j->f->steps.at[i].flags & STEP_KEY) && n < 3)
			key[n++] = &j->f->steps.at[i];
	if (n < 3) {
		strbuf_adds(j->why, "the finding does not name its three accesses");
		return SIGHT_OTHER;
	}
	for (uint32_t i = 0; i < 3; i++)
		at[i] = passed_in(j->r, key[i]->thread, key[i]->point);
	if (at[2] == UINT32_MAX || !(at[0] < at[1] && at[1] < at[2]))
		return judge_other(j);
	strbuf_adds(j->why, "the three accesses were made in this order");
	return SIGHT_SEEN;
}

/* ---- threads that wait ----------------------------------------------------------------------- */

static const struct sched_wait *wait_of(const struct sched_outcome *o, uint32_t thread)
{
	for (uint32_t i = 0; i < o->nwaits; i++)
		if (o->waits[i].thread == thread)
			return &o->waits[i];
	return NULL;
}

static bool is_cond(const struct sched_wait *w)
{
	return w->kind == LOG_S_COND_WAIT || w->kind == LOG_S_COND_WOKEN;
}

static void add_wait(const struct judged *j, const struct sched_wait *w)
{
	const struct finding_step *s = step_near(j->f, w->thread, w->point);

	words_thread(j->why, j->f, w->thread);
	strbuf_adds(j->why, " waits");
	if (s && (s->place.function || s->place.file)) {
		strbuf_adds(j->why, " at ");
		words_place(j->why, &s->place);
	}
	if (w->holder == w->thread) {
		strbuf_adds(j->why, " for itself");
	} else if (w->holder != SCHED_NONE) {
		strbuf_adds(j->why, " for ");
		words_thread(j->why, j->f, w->holder);
	}
}

/* A wait for a condition variable has two points: the thread may have passed the first one. */
static bool waits_there(const struct sched_wait *w, const struct finding_step *s)
{
	return w->point == s->point || (is_cond(w) && w->point == s->point + 1);
}

static bool leaves_waiting(const struct finding_step *s)
{
	return (s->flags & (STEP_KEY | STEP_LAST)) == (STEP_KEY | STEP_LAST);
}

/* Every thread that waits at the end of the witness waits in this run at the same point. */
static bool same_waits(const struct judged *j)
{
	vec_each (&j->f->steps, i) {
		const struct finding_step *s = &j->f->steps.at[i];
		const struct sched_wait *w = wait_of(j->o, s->thread);

		if (leaves_waiting(s) && (!w || !waits_there(w, s)))
			return false;
	}
	return true;
}

/* Describes the waits of the finding's threads; all: the waits of every thread. */
static void add_waits(const struct judged *j, bool all)
{
	const char *sep = "";

	for (uint32_t i = 0; i < j->o->nwaits; i++) {
		const struct sched_wait *w = &j->o->waits[i];
		const struct finding_step *s = step_near(j->f, w->thread, w->point);

		if (!all && !(s && leaves_waiting(s)))
			continue;
		strbuf_adds(j->why, sep);
		add_wait(j, w);
		sep = ", ";
	}
}

static enum sight judge_deadlock(const struct judged *j)
{
	bool named = false, cond = false, same = same_waits(j);

	if (j->o->fate != SCHED_DEADLOCK && !(j->f->goal == SCHED_GOAL_STUCK && j->o->goal_seen))
		return judge_other(j);
	vec_each (&j->f->steps, i)
		named |= leaves_waiting(&j->f->steps.at[i]);
	if (!same)
		strbuf_adds(j->why, "another deadlock: ");
	add_waits(j, !named || !same);
	if (!same || j->f->kind != FAULT_LOST_WAKEUP)
		return same ? SIGHT_SEEN : SIGHT_OTHER;
	for (uint32_t i = 0; i < j->o->nwaits; i++)
		cond |= is_cond(&j->o->waits[i]);
	if (!cond)
		strbuf_adds(j->why, ", but no thread waits for a condition variable");
	return cond ? SIGHT_SEEN : SIGHT_OTHER;
}

/* A run that does not end may be a deadlock, too; a livelock is not. One that the clock ended may
 * only have been slow. */
static enum sight judge_stuck(const struct judged *j)
{
	if (j->r->killed) {
		add_fate(j);
		return j->tc ? SIGHT_UNKNOWN : SIGHT_OTHER;
	}
	if (j->o->fate != SCHED_STUCK)
		return j->f->kind == FAULT_HANG ? judge_deadlock(j) : judge_other(j);
	strbuf_addf(j->why, "no progress%s%s", *j->o->text ? ": " : "", j->o->text);
	return SIGHT_SEEN;
}

/* ---- failures -------------------------------------------------------------------------------- */

static bool has_line(const struct judged *j, uint32_t line)
{
	char text[16];

	snprintf(text, sizeof text, ":%u:", line);
	return strstr(j->o->text, text);
}

/* Compares the line, of a prediction also the expression; true if there is nothing to compare. The
 * path in the message is the one that the compiler was given, so it is not compared. */
static bool same_assertion(const struct judged *j)
{
	const struct finding_step *key = NULL;
	const char *expression;
	size_t n = 0;

	if (j->tc)
		return !j->tc->line || has_line(j, j->tc->line);
	vec_each (&j->f->steps, i)
		if (j->f->steps.at[i].flags & STEP_KEY)
			key = &j->f->steps.at[i];
	expression = words_assertion(j->o->text, &n);
	if (!key || !expression || (!key->source && !key->place.line))
		return true;
	return (key->place.line && has_line(j, key->place.line)) ||
	       (key->source && memmem(key->source, strlen(key->source), expression, n));
}

/* The thread took the other side of the guard, from which it cannot return: its failure is the
 * predicted one, wherever the program calls abort(). Appends the reason if it did not. */
static bool took_other_side(const struct judged *j)
{
	struct flip_seen seen = {0};
	bool shown = j->r->trace && !flip_look(j->f, j->r, &seen) && seen.flipped;

	if (!shown && seen.why.n)
		strbuf_addf(j->why, "%s; ", seen.why.s);
	flip_seen_release(&seen);
	return shown;
}

static bool is_predicted_failure(const struct judged *j)
{
	if (!is_expected(j, j->o->thread))
		return false;
	if (j->f->kind != FAULT_ASSERT)
		return true;
	return j->f->flip.kind == FLIP_NONE ? same_assertion(j) : took_other_side(j);
}

static enum sight judge_assert(const struct judged *j)
{
	bool traps = j->f->flip.kind != FLIP_NONE &&
		     is_signal(j, BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGABRT));

	if (j->o->fate != SCHED_ASSERT && !traps)
		return judge_other(j);
	if (!is_predicted_failure(j)) {
		strbuf_adds(j->why, "another failure: the program ");
		replay_fate(j->f, j->r, j->why);
		return SIGHT_OTHER;
	}
	words_thread(j->why, j->f, j->o->thread);
	strbuf_adds(j->why, " failed: ");
	if (traps)
		words_signal(j->why, j->o->code);
	else
		strbuf_adds(j->why, *j->o->text ? j->o->text : "the program aborted");
	return SIGHT_SEEN;
}

static bool died_of(const struct judged *j, uint64_t signals)
{
	if (!is_signal(j, signals) || !is_expected(j, j->o->thread))
		return false;
	words_signal(j->why, j->o->code);
	strbuf_adds(j->why, " in ");
	words_thread(j->why, j->f, j->o->thread);
	if (is_signal(j, CRASH))
		strbuf_addf(j->why, " at address 0x%" PRIx64, j->o->addr);
	return true;
}

static enum sight judge_abort(const struct judged *j)
{
	return died_of(j, BIT(SIGABRT)) ? SIGHT_SEEN : judge_assert(j);
}

/* The signals of faults with SIGN_SIGNAL, if they are not those of a bad address. */
static const struct {
	enum fault fault;
	uint64_t signals;
} deaths[] = {
	{FAULT_CRASH, UINT64_MAX},
	{FAULT_FATAL_SIGNAL, UINT64_MAX},
	{FAULT_DIVISION, BIT(SIGFPE)},
	{FAULT_DIVISION_OVERFLOW, BIT(SIGFPE)},
	{FAULT_TRAP, BIT(SIGILL) | BIT(SIGTRAP)},
	{FAULT_WILD_CALL, CRASH | BIT(SIGILL)},
};

static enum sight judge_signal(const struct judged *j)
{
	uint64_t signals = CRASH;

	for (size_t i = 0; i < ARRAY_SIZE(deaths); i++)
		if (deaths[i].fault == j->f->kind)
			signals = deaths[i].signals;
	return died_of(j, signals) ? SIGHT_SEEN : judge_other(j);
}

/* ---- misuse of primitives -------------------------------------------------------------------- */

/* The fault of each misuse that the runtime reports; the only such table. */
static const struct {
	enum fault fault;
	const char *words;
} misuses[] = {
	[SCHED_USED_WELL] = {FAULT_NONE, ""},
	[SCHED_UNLOCK_FREE] = {FAULT_DOUBLE_UNLOCK, "unlocked a lock that no thread held"},
	[SCHED_UNLOCK_OTHERS] = {FAULT_FOREIGN_UNLOCK, "unlocked a lock that another thread held"},
	[SCHED_LOCK_OWN] = {FAULT_DOUBLE_LOCK, "locked a lock that it held"},
	[SCHED_DESTROY_HELD] = {FAULT_DESTROY, "destroyed a lock that was held"},
	[SCHED_DESTROY_WAITED] = {FAULT_DESTROY, "destroyed an object that a thread waited for"},
	[SCHED_USE_DESTROYED] = {FAULT_DESTROY, "used a destroyed object"},
	[SCHED_FREE_FREED] = {FAULT_DOUBLE_FREE, "freed a block twice"},
	[SCHED_RANGE_OUTSIDE] = {FAULT_OVERFLOW, "went beyond the end of a heap block"},
	[SCHED_RANGE_FREED] = {FAULT_USE_AFTER_FREE, "used a freed heap block"},
	[SCHED_END_HOLDING] = {FAULT_RECURSION, "ended with a recursive lock held"},
};

bool replay_misuse(const struct replay_result *r, uint32_t *kind, const char **words)
{
	uint32_t what = r->out.misuse.what;

	if (!what || what >= ARRAY_SIZE(misuses))
		return false;
	*kind = misuses[what].fault;
	*words = misuses[what].words;
	return true;
}

static bool misuse_shows(const struct judged *j)
{
	uint32_t what = j->o->misuse.what;

	if (!what || what >= ARRAY_SIZE(misuses) || !is_expected(j, j->o->misuse.thread))
		return false;
	return misuses[what].fault == j->f->kind ||
	       (what == SCHED_USE_DESTROYED && j->f->kind == FAULT_USE_DESTROYED);
}

static enum sight add_misuse(const struct judged *j)
{
	words_thread(j->why, j->f, j->o->misuse.thread);
	strbuf_addf(j->why, " %s", misuses[j->o->misuse.what].words);
	return SIGHT_SEEN;
}

/* A recursive lock that is left locked can also end in a deadlock. */
static enum sight judge_misuse(const struct judged *j)
{
	if (j->f->kind == FAULT_RECURSION && j->o->fate == SCHED_DEADLOCK)
		return judge_deadlock(j);
	return misuse_shows(j) ? add_misuse(j) : judge_other(j);
}

static enum sight judge_self_wait(const struct judged *j)
{
	for (uint32_t i = 0; i < j->o->nwaits; i++) {
		const struct sched_wait *w = &j->o->waits[i];

		if (j->o->fate == SCHED_DEADLOCK && w->holder == w->thread &&
			is_expected(j, w->thread)) {
			add_wait(j, w);
			return SIGHT_SEEN;
		}
	}
	return judge_misuse(j);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void add_block(const struct judged *j, const struct sched_memory *m)
{
	if (!m->block)
		return;
	if (m->what == SCHED_OUTSIDE)
		strbuf_addf(j->why, ", %+" PRId64 " bytes from a block of %" PRIu64,
			(int64_t)(m->addr - m->block), m->block_size);
	else
		strbuf_addf(j->why, ", in a block of %" PRIu64 " bytes", m->block_size);
	if (m->what == SCHED_FREED && m->freed_by != SCHED_NONE) {
		strbuf_adds(j->why, " that was freed by ");
		words_thread(j->why, j->f, m->freed_by);
	}
}

/* At the end of the schedule thread a was about to execute an access of a kind in `whats` (bits
 * of enum sched_what). */
static bool stood_before(const struct judged *j, uint32_t whats)
{
	const struct sched_memory *m = &j->o->memory[0];

	if (j->f->goal != SCHED_GOAL_ACCESS || !j->o->goal_seen || !(whats >> m->what & 1))
		return false;
	words_thread(j->why, j->f, j->f->a);
	if (j->f->kind == FAULT_DOUBLE_FREE)
		strbuf_addf(j->why, " frees 0x%" PRIx64, m->addr);
	else
		strbuf_addf(j->why, " %s %" PRIu64 " byte%s at 0x%" PRIx64,
			m->write ? "writes" : "reads", m->size, m->size == 1 ? "" : "s", m->addr);
	add_block(j, m);
	return true;
}

/* A use after free and an overflow need not crash, so a crash alone is no sign of them. An address
 * outside of every block is certain to be wrong only if the machine has executed the access. */
static enum sight judge_access(const struct judged *j)
{
	const struct sched_memory *m = &j->o->memory[0];
	uint32_t whats = 1u << SCHED_NULL | 1u << SCHED_UNMAPPED;
	uint64_t signals = CRASH;

	if (j->f->goal == SCHED_GOAL_STACK && j->o->goal_seen) {
		words_thread(j->why, j->f, j->f->a);
		strbuf_addf(j->why, " %s %" PRIu64 " byte%s at 0x%" PRIx64 ", on the stack of ",
			m->write ? "writes" : "reads", m->size, m->size == 1 ? "" : "s", m->addr);
		words_thread(j->why, j->f, j->f->b);
		strbuf_adds(j->why, ", which has left the function of the variable");
		return SIGHT_SEEN;
	}
	if (j->f->kind == FAULT_USE_AFTER_RETURN)
		return judge_no_sign(j);
	if (j->f->kind == FAULT_USE_AFTER_FREE)
		whats = 1u << SCHED_FREED;
	else if (j->f->kind == FAULT_OVERFLOW)
		whats = 1u << SCHED_OUTSIDE | 1u << SCHED_UNMAPPED;
	else if (j->tc && j->f->kind == FAULT_WILD_DEREF)
		whats |= 1u << SCHED_OUTSIDE;
	if (j->f->kind == FAULT_USE_AFTER_FREE || j->f->kind == FAULT_OVERFLOW)
		signals = 0;
	if (stood_before(j, whats) || died_of(j, signals))
		return SIGHT_SEEN;
	return misuse_shows(j) ? add_misuse(j) : judge_no_sign(j);
}

static enum sight judge_free(const struct judged *j)
{
	if (stood_before(j, 1u << SCHED_FREED))
		return SIGHT_SEEN;
	return misuse_shows(j) ? add_misuse(j) : judge_no_sign(j);
}

/* ---- branches -------------------------------------------------------------------------------- */

static enum sight judge_flip(const struct judged *j)
{
	struct flip_seen seen = {0};
	bool shown = false;

	if (!j->r->trace || flip_look(j->f, j->r, &seen))
		strbuf_adds(j->why, "the recording of the replay cannot be read");
	else
		shown = flip_words(j->f, &seen, j->why);
	flip_seen_release(&seen);
	return shown ? SIGHT_SEEN : SIGHT_OTHER;
}

/* ---- test cases ------------------------------------------------------------------------------ */

/* A misuse that the runtime reported does not make the outcome another one: the program may
 * handle the error code, and the machine did not regard the call as a fault. */
static enum sight judge_exit(const struct judged *j)
{
	const char *words;
	uint32_t kind;

	if (j->o->fate == SCHED_EXITED && replay_misuse(j->r, &kind, &words)) {
		strbuf_addf(j->why, "exited with %d, after ", j->o->code);
		words_thread(j->why, j->f, j->o->misuse.thread);
		strbuf_addf(j->why, " %s", words);
	} else {
		replay_fate(j->f, j->r, j->why);
	}
	return j->o->fate == SCHED_EXITED && j->o->code == (j->tc->status & 255) ? SIGHT_SEEN
										 : SIGHT_OTHER;
}

/* The standard output of a test case; of a failure, as far as the program came to print it. */
static enum sight judge_output(const struct judged *j)
{
	const struct testcase *tc = j->tc;
	const struct strbuf *got = &j->r->printed;

	if (tc->noutput < 0)
		return SIGHT_SEEN;
	switch (output_compare(
		tc->output, (size_t)tc->noutput, got->s, got->n, tc->fate == EXEC_EXITED)) {
	case OUTPUT_SAME: return SIGHT_SEEN;
	case OUTPUT_ORDER:
		strbuf_adds(j->why, ", and printed the same lines in another order");
		return SIGHT_SEEN;
	case OUTPUT_MIXED:
	case OUTPUT_OTHER: break;
	}
	strbuf_addf(j->why, ", but it printed different output (%zu bytes, expected %lld)", got->n,
		(long long)tc->noutput);
	return SIGHT_OTHER;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static enum sight judge_fault(const struct judged *j)
{
	enum fault_sign sign = fault_words[j->f->kind].sign;

	switch (sign) {
	case SIGN_ASSERT: return judge_assert(j);
	case SIGN_ABORT: return judge_abort(j);
	case SIGN_MISUSE: return judge_misuse(j);
	case SIGN_SELF_WAIT: return judge_self_wait(j);
	case SIGN_DEADLOCK: return judge_deadlock(j);
	case SIGN_STUCK: return judge_stuck(j);
	case SIGN_SIGNAL: return judge_signal(j);
	case SIGN_ACCESS: return judge_access(j);
	case SIGN_RACE: return judge_race(j);
	case SIGN_FREE: return judge_free(j);
	case SIGN_ORDER: return judge_atomicity(j);
	case SIGN_FLIP: return judge_flip(j);
	case SIGN_NONE: return judge_no_sign(j);
	}
	BUG("sign %d", sign);
}

static enum sight judge_test(const struct judged *j)
{
	bool may_be_stuck =
		j->tc->fate == EXEC_DEADLOCK ||
		(j->tc->fate == EXEC_FAULT && fault_words[j->f->kind].sign == SIGN_STUCK);
	enum sight s = SIGHT_UNKNOWN;

	if (j->o->fate == SCHED_RUNNING || (j->o->fate == SCHED_STUCK && !may_be_stuck) ||
		j->tc->fate == EXEC_STOPPED)
		add_fate(j);
	else
		s = j->tc->fate == EXEC_EXITED ? judge_exit(j) : judge_fault(j);
	return s == SIGHT_SEEN ? judge_output(j) : s;
}

/* The outcome that the runtime reported, of a test case completed from the status of the process: a
 * signal that the runtime did not see, and the exit status after a misuse. */
static struct sched_outcome outcome_of(const struct finding *f, const struct replay_result *r)
{
	struct sched_outcome o = r->out;

	if (f->test && o.fate == SCHED_RUNNING && WIFSIGNALED(r->status)) {
		o.fate = SCHED_SIGNAL;
		o.code = WTERMSIG(r->status);
	}
	if (f->test && o.fate == SCHED_MISUSE && WIFEXITED(r->status)) {
		o.fate = SCHED_EXITED;
		o.code = WEXITSTATUS(r->status);
	}
	return o;
}

/* After a divergence only the expected failure of a test case counts as seen; any other outcome is
 * that of another schedule. */
enum sight replay_judge(const struct finding *f, const struct replay_result *r, struct strbuf *why)
{
	struct sched_outcome o = outcome_of(f, r);
	struct judged j = {f, f->test, r, &o, why};
	enum sight s;

	if (o.diverged && !(f->test && replay_failed(r))) {
		strbuf_addf(why, "the replay diverged from the schedule: %s", o.text);
		return SIGHT_DIVERGED;
	}
	s = f->test ? judge_test(&j) : judge_fault(&j);
	if (!o.diverged)
		return s;
	strbuf_adds(why, ", after the replay diverged from the schedule");
	return s == SIGHT_SEEN ? SIGHT_SEEN : SIGHT_DIVERGED;
}
