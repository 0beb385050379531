/* The end of a path: classifies it, and makes its test case and its finding. */
#include "base/base.h"
#include "base/bitset.h"
#include "base/debug.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "explore/explore_internal.h"
#include "explore/from.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum explore_end end_of(const struct exec_result *r)
{
	switch (r->fate) {
	case EXEC_EXITED: return END_EXIT;
	case EXEC_FAULT: return END_FAULT;
	case EXEC_DEADLOCK: return END_DEADLOCK;
	case EXEC_STOPPED: break;
	}
	switch (r->stop) {
	case STOP_ASSUMPTION: return END_ASSUMED;
	case STOP_RETURNED: return END_RETURNED;
	case STOP_BUDGET: return END_BUDGET;
	case STOP_UNMODELLED:
	case STOP_UNKNOWN_CALL:
	case STOP_UNSUPPORTED:
	case STOP_SYMBOLIC_VALUE:
	case STOP_SYMBOLIC_POINTER:
	case STOP_SOLVER:
	case STOP_NONE: return END_STOPPED;
	}
	BUG("stop %d", r->stop);
}

/* ---- the place ------------------------------------------------------------------------------- */

static uint64_t mix_hash(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* The place of the thread's innermost frame that is code of the program. */
static bool place_of(struct machine *m, struct thread *t, struct stack_entry *at)
{
	const struct stack_entry *e;

	if (!stacks_get(&m->stacks, stack_capture(m, t), &e))
		return false;
	*at = *e;
	return true;
}

/* Two failures with the same key are one finding: a hash of the fault and the place; for a
 * deadlock, of the places of all threads. */
static uint64_t key_of(struct explore *ex, struct thread *t, struct explore_path *path)
{
	uint64_t h = 14695981039346656037u;
	struct stack_entry at;

	h = mix_hash(h, path->fault);
	if (path->end != END_DEADLOCK)
		return place_of(ex->m, t, &at) ? mix_hash(h, (uint64_t)at.func << 32 | at.insn) : h;
	vec_each (&ex->m->threads, i) {
		struct thread *u = ex->m->threads.at[i];

		if (u->state != THREAD_DONE && place_of(ex->m, u, &at))
			h += mix_hash(3, (uint64_t)at.func << 32 | at.insn);
	}
	return h;
}

static struct thread *find_culprit(struct machine *m, struct thread *t)
{
	if (t->frames.n)
		return t;
	vec_each (&m->threads, i)
		if (m->threads.at[i]->frames.n)
			return m->threads.at[i];
	return t;
}

static void set_place(struct explore *ex, struct thread *t, struct explore_path *path)
{
	struct stack_entry at;
	struct diag_pos pos;

	if (!t->frames.n || !place_of(ex->m, t, &at))
		return;
	pos = ir_diag_pos(ex->p, ex->p->funcs.at[at.func].insns.at[at.insn].pos);
	path->file = pos.file;
	path->line = pos.line;
}

/* ---- the test case --------------------------------------------------------------------------- */

static char *copy_text(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static void take_output(struct explore *ex, struct testcase *tc)
{
	struct vec_u32 bytes;

	tc->noutput = -1;
	if (!ex->m->world)
		return;
	bytes = world_output(ex->m, 1);
	tc->output = xmalloc(bytes.n + 1u);
	vec_each (&bytes, i)
		tc->output[i] = (char)term_value(&ex->model, (term_t){bytes.at[i]});
	tc->output[bytes.n] = 0;
	tc->noutput = bytes.n;
	vec_release(&bytes);
}

/* Gets a model of the path condition: the example of the report, if it has one. *whole: it gives
 * values to results that decide nothing, too. */
static bool get_model(struct explore *ex, bool *whole)
{
	struct sym *s = &ex->sym;
	uint32_t n = s->path.n;
	enum ask_answer got;

	if (s->example.id)
		sym_assume(ex->m, s->example);
	got = ask_model(ex->ask, s->path.at, s->path.n, &ex->model);
	s->path.n = n;
	*whole = got == ASK_YES && sym_complete_model(ex->m, &ex->model);
	return got == ASK_YES;
}

/* Adds the initial places and values, if the path did not begin at main. */
static void take_initial(struct explore *ex, struct testcase *tc)
{
	const char *places = from_text(ex->opt.from);
	struct strbuf b = {0};

	tc->from = copy_text(places ? places : "");
	from_values(ex->opt.from, ex->sym.path.at, ex->sym.path.n, &ex->model, &b);
	tc->initial = strbuf_detach(&b);
}

/* False if the solver gave no model of the path. */
static bool make_test(struct explore *ex, const struct explore_path *path, struct testcase *tc)
{
	const struct sym *s = &ex->sym;
	bool whole;

	if (!get_model(ex, &whole))
		return false;
	*tc = (struct testcase){.program = copy_text(ex->opt.program),
		.identity = ex->opt.identity,
		.spurious = ex->opt.spurious,
		.switch_access = ex->opt.switches == EXEC_SWITCH_ACCESS,
		.fate = ex->res.fate,
		.status = ex->res.status,
		.fault = path->fault,
		.stop = ex->res.stop,
		.file = copy_text(path->file),
		.line = path->line,
		.incomplete = path->incomplete,
		.picks = s->picks};
	if (path->end == END_FAULT || path->end == END_DEADLOCK)
		tc->report = copy_text(path->report);
	if (path->end == END_EXIT && s->status.id)
		tc->status = (int)term_value(&ex->model, s->status);
	vec_each (&s->switches, i)
		vec_push(&tc->switches, (struct testcase_choice){
						s->switches.at[i].thread, s->switches.at[i].picks});
	bitset_or(&tc->lent, &ex->lent);
	inputs_take(ex->opt.inputs, ex->m, &ex->model, tc);
	take_output(ex, tc);
	if (!whole)
		tc->noutput = -1;
	if (ex->opt.from)
		take_initial(ex, tc);
	return true;
}

static const char *const end_names[] = {
#define END(id, name, text) name,
#include "explore/ends.def"
#undef END
};

static bool wants_file(const struct explore *ex, const struct explore_path *path)
{
	bool failing = path->end == END_FAULT || path->end == END_DEADLOCK;

	if (!ex->opt.out || ex->opt.tests == EXPLORE_TESTS_NONE)
		return false;
	return failing ? path->is_new || ex->opt.tests == EXPLORE_TESTS_ALL
		       : ex->opt.tests == EXPLORE_TESTS_ALL;
}

static char *write_test(
	struct explore *ex, const struct explore_path *path, const struct testcase *tc)
{
	const char *word = path->end == END_FAULT ? path->kind : end_names[path->end];
	char *file;

	if (asprintf(&file, "%s/%06llu-%s.json", ex->opt.out, (unsigned long long)path->number,
		    word) < 0)
		oom_die();
	if (!testcase_write(tc, file))
		return file;
	ex->stats.unwritten++;
	free(file);
	return NULL;
}

/* ---- findings -------------------------------------------------------------------------------- */

static struct explore_finding *find_finding(struct explore *ex, uint64_t key)
{
	vec_each (&ex->findings, i)
		if (ex->findings.at[i].key == key)
			return &ex->findings.at[i];
	return NULL;
}

static void note_finding(struct explore *ex, uint64_t key, const struct explore_path *path)
{
	struct explore_finding *f = find_finding(ex, key);

	if (f) {
		f->count++;
		return;
	}
	vec_push(&ex->findings, (struct explore_finding){.fault = path->fault,
					.file = copy_text(path->file),
					.line = path->line,
					.report = copy_text(path->report),
					.test = copy_text(path->test),
					.tc = path->tc ? testcase_copy(path->tc) : NULL,
					.key = key,
					.count = 1,
					.incomplete = path->incomplete});
}

void outcome(struct explore *ex, struct thread *t)
{
	struct explore_path path = {.number = ++ex->stats.paths,
		.end = end_of(&ex->res),
		.fault = ex->res.fault,
		.kind = exec_word(&ex->res),
		.incomplete = ex->sym.incomplete,
		.depth = ex->sym.forks,
		.instructions = ex->m->instructions,
		.threads = ex->m->threads.n};
	struct testcase tc = {0};
	bool failing = path.end == END_FAULT || path.end == END_DEADLOCK, has_test;
	char *file = NULL;
	uint64_t key = 0;

	ex->stats.threads = MAX(ex->stats.threads, path.threads);
	if (!failing)
		path.fault = FAULT_NONE;
	t = find_culprit(ex->m, t);
	path.report = ex->res.report.s ? ex->res.report.s : "";
	if (path.end != END_EXIT)
		set_place(ex, t, &path);
	if (failing) {
		key = key_of(ex, t, &path);
		path.is_new = !find_finding(ex, key);
	}
	if (path.end == END_STOPPED || (path.end == END_BUDGET && !ex->over))
		explore_reason_add(ex, path.report);
	has_test = make_test(ex, &path, &tc);
	if (!has_test) {
		path.incomplete = true;
		explore_reason_add(ex, "the solver found no inputs for a path");
	}
	path.tc = has_test ? &tc : NULL;
	/* after a test case that could not be written, tries only those of failures */
	if (has_test && wants_file(ex, &path) && (failing || !ex->stats.unwritten))
		path.test = file = write_test(ex, &path, &tc);
	LOG(explore, "path %llu ends after %llu instructions, %llu forks: %s%s%s",
		(unsigned long long)path.number, (unsigned long long)path.instructions,
		(unsigned long long)path.depth, end_names[path.end], path.kind ? ", " : "",
		path.kind ? path.kind : "");
	ex->stats.ends[path.end]++;
	ex->stats.incomplete += path.incomplete && path.end != END_ASSUMED;
	if (failing)
		note_finding(ex, key, &path);
	if (path.end == END_FAULT || path.end == END_ASSUMED)
		omitted_use(ex);
	if (ex->opt.ended)
		ex->opt.ended(ex->opt.ctx, ex, &path);
	if (has_test)
		testcase_release(&tc);
	free(file);
}
