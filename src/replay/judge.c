/*
 * Decides by kind whether a run showed its finding (docs/replay.md). Each judge_*() appends what
 * was seen, or what happened instead, and relies only on what the runtime observed.
 */
#include "replay/replay.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"
#include "log/format.h"
#include "replay/flip.h"
#include "replay/words.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct judged {
	const struct finding *f;
	const struct replay_result *r;
	const struct sched_outcome *o;
	struct strbuf *why;
};

static bool instead(const struct judged *j)
{
	strbuf_adds(j->why, "it did not show: the program ");
	replay_fate(j->f, j->r, j->why);
	return false;
}

/* The failure is in the thread that the finding names, or the finding names no thread. */
static bool by_expected(const struct judged *j)
{
	return j->f->expect_thread == SCHED_NONE || j->o->thread == j->f->expect_thread;
}

/* ---- data races ------------------------------------------------------------------------------ */

static void add_access(const struct judged *j, uint32_t thread, const struct sched_memory *m)
{
	words_thread(j->why, j->f, thread);
	strbuf_addf(j->why, " %s %" PRIu64 " byte%s%s", m->write ? "writes" : "reads", m->size,
		m->size == 1 ? "" : "s", m->atomic ? " atomically" : "");
}

static bool judge_race(const struct judged *j)
{
	const struct sched_memory *a = &j->o->memory[0], *b = &j->o->memory[1];

	if (!j->o->goal_seen)
		return instead(j);
	if (a->addr >= b->addr + b->size || b->addr >= a->addr + a->size) {
		strbuf_addf(j->why,
			"the two accesses were at different places, 0x%" PRIx64 " and 0x%" PRIx64,
			a->addr, b->addr);
		return false;
	}
	if (!(a->write || b->write) || (a->atomic && b->atomic)) {
		strbuf_addf(j->why, "the two accesses were %s",
			a->atomic ? "both atomic" : "both reads");
		return false;
	}
	strbuf_addf(j->why, "both accesses at 0x%" PRIx64 " came next, with nothing between them: ",
		MAX(a->addr, b->addr));
	add_access(j, j->f->a, a);
	strbuf_adds(j->why, ", ");
	add_access(j, j->f->b, b);
	return true;
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

static bool judge_atomicity(const struct judged *j)
{
	const struct finding_step *key[3];
	uint32_t n = 0, at[3];

	vec_each (&j->f->steps, i)
		if ((j->f->steps.at[i].flags & STEP_KEY) && n < 3)
			key[n++] = &j->f->steps.at[i];
	if (n < 3) {
		strbuf_adds(j->why, "the finding does not name its three accesses");
		return false;
	}
	for (uint32_t i = 0; i < 3; i++)
		at[i] = passed_in(j->r, key[i]->thread, key[i]->point);
	if (at[2] == UINT32_MAX || !(at[0] < at[1] && at[1] < at[2]))
		return instead(j);
	strbuf_adds(j->why, "the three accesses were made in this order");
	return true;
}

/* ---- threads that wait ----------------------------------------------------------------------- */

static const struct sched_wait *wait_of(const struct sched_outcome *o, uint32_t thread)
{
	for (uint32_t i = 0; i < MIN(o->nwaits, (uint32_t)SCHED_MAX_WAITS); i++)
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

	for (uint32_t i = 0; i < MIN(j->o->nwaits, (uint32_t)SCHED_MAX_WAITS); i++) {
		const struct sched_wait *w = &j->o->waits[i];
		const struct finding_step *s = step_near(j->f, w->thread, w->point);

		if (!all && !(s && leaves_waiting(s)))
			continue;
		strbuf_adds(j->why, sep);
		add_wait(j, w);
		sep = ", ";
	}
}

static bool judge_deadlock(const struct judged *j)
{
	bool named = false, same = same_waits(j);

	if (j->o->fate != SCHED_DEADLOCK && !(j->f->goal == SCHED_GOAL_STUCK && j->o->goal_seen))
		return instead(j);
	vec_each (&j->f->steps, i)
		named |= leaves_waiting(&j->f->steps.at[i]);
	if (!same)
		strbuf_adds(j->why, "another deadlock: ");
	add_waits(j, !named || !same);
	return same;
}

static bool judge_lost_wakeup(const struct judged *j)
{
	bool cond = false;

	if (!judge_deadlock(j))
		return false;
	for (uint32_t i = 0; i < MIN(j->o->nwaits, (uint32_t)SCHED_MAX_WAITS); i++)
		cond |= is_cond(&j->o->waits[i]);
	if (!cond)
		strbuf_adds(j->why, ", nobody for a condition variable");
	return cond;
}

static bool judge_hang(const struct judged *j)
{
	if (j->o->fate == SCHED_STUCK) {
		strbuf_addf(j->why, "no progress%s%s", *j->o->text ? ": " : "", j->o->text);
		return true;
	}
	return judge_deadlock(j);
}

/* ---- failures -------------------------------------------------------------------------------- */

/* Compares the line, then the expression; true if the finding or the message has neither. */
static bool same_assertion(const struct judged *j)
{
	const struct finding_step *key = NULL;
	const char *expression;
	char line[16];
	size_t n = 0;

	vec_each (&j->f->steps, i)
		if (j->f->steps.at[i].flags & STEP_KEY)
			key = &j->f->steps.at[i];
	expression = words_assertion(j->o->text, &n);
	if (!key || !expression || (!key->source && !key->place.line))
		return true;
	snprintf(line, sizeof line, ":%u:", key->place.line);
	return (key->place.line && strstr(j->o->text, line)) ||
	       (key->source && memmem(key->source, strlen(key->source), expression, n));
}

static bool judge_assert(const struct judged *j)
{
	if (j->o->fate != SCHED_ASSERT)
		return instead(j);
	if (!by_expected(j) || !same_assertion(j)) {
		strbuf_adds(j->why, "another failure: the program ");
		replay_fate(j->f, j->r, j->why);
		return false;
	}
	words_thread(j->why, j->f, j->o->thread);
	strbuf_addf(j->why, " failed: %s", *j->o->text ? j->o->text : "the program aborted");
	return true;
}

static bool died_of(const struct judged *j, uint64_t signals)
{
	if (j->o->fate != SCHED_SIGNAL || !by_expected(j) || !(signals >> j->o->code & 1))
		return false;
	words_signal(j->why, j->o->code);
	strbuf_adds(j->why, " in ");
	words_thread(j->why, j->f, j->o->thread);
	if (signals & (1ull << SIGSEGV))
		strbuf_addf(j->why, " at address 0x%" PRIx64, j->o->addr);
	return true;
}

static bool judge_division(const struct judged *j)
{
	return died_of(j, 1ull << SIGFPE) || instead(j);
}

static bool judge_crash(const struct judged *j)
{
	return died_of(j, UINT64_MAX) || instead(j);
}

/* ---- misuse of primitives -------------------------------------------------------------------- */

/* The fault of each misuse that the runtime reports; the only such table. */
static const struct {
	enum fault fault;
	const char *words;
} misuses[] = {
	[SCHED_USED_WELL] = {FAULT_NONE, ""},
	[SCHED_UNLOCK_FREE] = {FAULT_DOUBLE_UNLOCK, "unlocked what no thread had locked"},
	[SCHED_UNLOCK_OTHERS] = {FAULT_FOREIGN_UNLOCK, "unlocked what another thread had locked"},
	[SCHED_LOCK_OWN] = {FAULT_DOUBLE_LOCK, "locked what it had locked"},
	[SCHED_DESTROY_HELD] = {FAULT_DESTROY, "destroyed a lock that was held"},
	[SCHED_DESTROY_WAITED] = {FAULT_DESTROY, "destroyed what a thread waited for"},
	[SCHED_USE_DESTROYED] = {FAULT_DESTROY, "used what was destroyed"},
	[SCHED_FREE_FREED] = {FAULT_DOUBLE_FREE, "freed a block twice"},
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

bool misuse_shows(enum sched_misuse what, enum fault fault)
{
	if (what >= ARRAY_SIZE(misuses))
		return false;
	return misuses[what].fault == fault ||
	       (what == SCHED_USE_DESTROYED && fault == FAULT_USE_DESTROYED);
}

static bool judge_misuse(const struct judged *j)
{
	const char *words;
	uint32_t kind;

	if (!replay_misuse(j->r, &kind, &words) ||
		!misuse_shows((enum sched_misuse)j->o->misuse.what, j->f->kind) ||
		(j->f->expect_thread != SCHED_NONE && j->o->misuse.thread != j->f->expect_thread))
		return instead(j);
	words_thread(j->why, j->f, j->o->misuse.thread);
	strbuf_addf(j->why, " %s", words);
	return true;
}

static bool judge_double_lock(const struct judged *j)
{
	for (uint32_t i = 0; i < MIN(j->o->nwaits, (uint32_t)SCHED_MAX_WAITS); i++) {
		const struct sched_wait *w = &j->o->waits[i];

		if (j->o->fate == SCHED_DEADLOCK && w->holder == w->thread &&
			(j->f->expect_thread == SCHED_NONE || w->thread == j->f->expect_thread)) {
			add_wait(j, w);
			return true;
		}
	}
	return judge_misuse(j);
}

static bool judge_recursion(const struct judged *j)
{
	return j->o->fate == SCHED_DEADLOCK ? judge_deadlock(j) : judge_misuse(j);
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

static bool judge_pointer(const struct judged *j)
{
	return stood_before(j, 1u << SCHED_NULL | 1u << SCHED_UNMAPPED) ||
	       died_of(j, 1ull << SIGSEGV | 1ull << SIGBUS) || instead(j);
}

static bool judge_freed(const struct judged *j)
{
	if (stood_before(j, 1u << SCHED_FREED))
		return true;
	return j->f->kind == FAULT_DOUBLE_FREE ? judge_misuse(j) : instead(j);
}

static bool judge_outside(const struct judged *j)
{
	return stood_before(j, 1u << SCHED_OUTSIDE) || instead(j);
}

/* ---- branches -------------------------------------------------------------------------------- */

static bool judge_branch(const struct judged *j)
{
	struct flip_seen seen = {0};
	bool shown = false;

	if (!j->r->trace || flip_look(j->f, j->r, &seen))
		strbuf_adds(j->why, "it did not show: the run has no recording that can be read");
	else
		shown = flip_words(j->f, &seen, j->why);
	flip_seen_release(&seen);
	return shown;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static bool judge_kind(const struct judged *j)
{
	switch (j->f->kind) {
	case FAULT_ASSERT:
	case FAULT_ABORT: return judge_assert(j);
	case FAULT_RACE: return judge_race(j);
	case FAULT_ATOMICITY: return judge_atomicity(j);
	case FAULT_DEADLOCK: return judge_deadlock(j);
	case FAULT_LOST_WAKEUP: return judge_lost_wakeup(j);
	case FAULT_DOUBLE_LOCK: return judge_double_lock(j);
	case FAULT_DOUBLE_UNLOCK:
	case FAULT_FOREIGN_UNLOCK:
	case FAULT_DESTROY:
	case FAULT_USE_DESTROYED: return judge_misuse(j);
	case FAULT_RECURSION: return judge_recursion(j);
	case FAULT_USE_AFTER_FREE:
	case FAULT_DOUBLE_FREE: return judge_freed(j);
	case FAULT_NULL_DEREF:
	case FAULT_WILD_DEREF:
	case FAULT_NO_ACCESS: return judge_pointer(j);
	case FAULT_OVERFLOW: return judge_outside(j);
	case FAULT_DIVISION:
	case FAULT_DIVISION_OVERFLOW: return judge_division(j);
	case FAULT_CRASH:
	case FAULT_FATAL_SIGNAL:
	case FAULT_NULL_CALL:
	case FAULT_WILD_CALL:
	case FAULT_TRAP:
	case FAULT_CALL_DEPTH:
	case FAULT_BAD_FREE:
	case FAULT_WRITE_CONSTANT: return judge_crash(j);
	case FAULT_HANG:
	case FAULT_LIVELOCK: return judge_hang(j);
	case FAULT_BRANCH: return judge_branch(j);
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
	case FAULT_COPY_OVERLAP: return instead(j);
	case FAULT_NONE: break;
	}
	BUG("a finding of no fault");
}

bool replay_seen(const struct finding *f, const struct replay_result *r, struct strbuf *why)
{
	struct judged j = {f, r, &r->out, why};

	if (r->out.diverged) {
		strbuf_adds(why, "it did not show: the schedule could not be followed");
		return false;
	}
	return judge_kind(&j);
}
