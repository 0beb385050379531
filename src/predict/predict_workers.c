/*
 * Items over processes (base/workers.h). Workers are forked when all candidates exist, and send the
 * result of an item, with its finding as JSON. A solver that crashes or runs out of memory loses one
 * item, which counts as unknown.
 */
#include "predict/predict_internal.h"

#include "base/base.h"
#include "base/strbuf.h"
#include "base/workers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a worker sends: the result, its pointers invalid; then the finding's JSON, then why. */
struct message {
	struct item_result r;
	uint64_t json, why; /* bytes */
};

struct checking {
	struct prediction *p;
	pid_t caller;
	_Atomic uint8_t *found;      /* by group, shared by all processes: it has a witness */
	struct item_result *results; /* by item */
	uint32_t taken;              /* results that result_take() has */
};

/* ---- in the caller -------------------------------------------------------------------------- */

/* Passes results on in the order of the items. */
static void receive_result(struct checking *ch, uint32_t item, const struct item_result *r)
{
	struct item_result *next;

	ch->results[item] = *r;
	for (; ch->taken < count_items(ch->p); ch->taken++) {
		next = &ch->results[ch->taken];
		if (!next->done && !next->refused)
			break;
		result_take(ch->p, ch->taken, next);
	}
}

static void read_result(void *ctx, uint32_t item, const char *answer, size_t n)
{
	struct message m;
	const char *text = answer + sizeof m;

	if (!n) /* received here */
		return;
	BUG_ON(n < sizeof m);
	memcpy(&m, answer, sizeof m);
	BUG_ON(n != sizeof m + m.json + m.why);
	m.r.finding = m.json ? finding_from_json(text, m.json, "a worker's finding") : NULL;
	m.r.why = m.why ? xstrndup(text + m.json, m.why) : NULL;
	receive_result(ctx, item, &m.r);
}

static void lose_item(void *ctx, uint32_t item, const char *why)
{
	struct item_result r = {.unknown = 1, .done = true, .why = xstrdup(why)};

	receive_result(ctx, item, &r);
}

/* ---- in a worker, or in the caller if it works alone ---------------------------------------- */

static bool is_found(const void *ctx, uint32_t group)
{
	return atomic_load(&((const struct checking *)ctx)->found[group]);
}

static void send_result(struct item_result *r, struct strbuf *out)
{
	struct strbuf json = {0};
	struct message m = {.r = *r, .why = r->why ? strlen(r->why) : 0};

	if (r->finding)
		finding_to_json(r->finding, &json);
	m.json = json.n;
	strbuf_add(out, &m, sizeof m);
	strbuf_add(out, json.s, json.n);
	strbuf_add(out, r->why, m.why);
	strbuf_release(&json);
	if (r->finding)
		finding_free(r->finding);
	free(r->why);
}

static void work_on_item(void *ctx, uint32_t item, struct strbuf *answer)
{
	struct checking *ch = ctx;
	struct item_result r = {0};
	uint32_t group = item_group(ch->p, item);

	if (is_found(ch, group) || group_is_covered(ch->p, group, is_found, ch))
		r.done = true;
	else
		check_item(ch->p, item, &r);
	if (r.finding)
		atomic_store(&ch->found[group], 1);
	if (getpid() == ch->caller)
		receive_result(ch, item, &r);
	else
		send_result(&r, answer);
}

void check_items(struct prediction *p)
{
	struct checking ch = {.p = p, .caller = getpid()};
	uint32_t jobs = MIN(p->opt->jobs, p->groups.n);
	struct workers_do w = {
		.work = work_on_item, .done = read_result, .lost = lose_item, .ctx = &ch};

	if (!p->groups.n)
		return;
	ch.found = mmap(NULL, p->groups.n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ch.found == MAP_FAILED)
		oom_die();
	ch.results = xcalloc(count_items(p), sizeof *ch.results);
	p->memory = asker_memory_share(p->opt->memory, jobs);
	p->died = workers_run(&w, count_items(p), jobs);
	BUG_ON(ch.taken != count_items(p));
	free(ch.results);
	munmap(ch.found, p->groups.n);
}
