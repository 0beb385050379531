#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "sym_run.h"

#include "cli/models.h"
#include "import/import.h"
#include "llvm_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ir_program *sym_compile(const char *source)
{
	char path[] = "/tmp/heddle-sym-XXXXXX.c";
	int fd = mkstemps(path, 2);
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};
	FILE *f = fdopen(fd, "w");

	fputs(source, f);
	fclose(f);
	if (!llvm_compile(&bc, path, "sroa") || import_bitcode(p, path, bc.s, bc.n, 0) ||
		import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
			IMPORT_MODEL | IMPORT_NEEDED))
		abort();
	unlink(path);
	strbuf_release(&bc);
	return p;
}

static void run_threads(struct machine *m)
{
	struct thread *t = sched_pick(m, m->threads.at[0], false);

	while (t) {
		switch (top(t)->careful ? step_run(m, t) : interp_run(m, t)) {
		case STEP_NEXT:
		case STEP_JUMPED: break;
		case STEP_SWITCH: t = sched_pick(m, t, false); break;
		case STEP_AGAIN: t = sched_pick(m, t, true); break;
		case STEP_STOP: return;
		}
	}
}

static struct machine *start(const struct ir_program *p, const struct exec_options *opt,
	struct exec_result *res)
{
	static char *const argv[] = {(char *)"prog", NULL};
	struct world_options wo = {.host_files = true};
	struct machine *m = machine_new(p, 1, argv, opt, res);

	world_attach(m, world_new(&wo));
	return m;
}

static void end(struct machine *m)
{
	world_free(m->world);
	world_attach(m, NULL);
	machine_free(m);
}

enum exec_fate sym_run_known(const struct ir_program *p, const char *input, uint64_t n,
	void (*prepare)(void *ctx, struct machine *m), void *ctx, struct strbuf *out, int *status)
{
	struct exec_options opt = {.max_instructions = 50000000};
	struct exec_result res;
	struct machine *m = start(p, &opt, &res);
	enum exec_fate fate;
	const uint32_t *terms;
	const uint8_t *known;
	uint64_t k;

	if (input)
		world_stdin(m->world, (const uint8_t *)input, NULL, n);
	if (prepare)
		prepare(ctx, m);
	run_threads(m);
	k = world_stream(m, 1, &known, &terms);
	strbuf_add(out, known, k);
	fate = res.fate;
	if (status)
		*status = res.status;
	if (fate != EXEC_EXITED)
		strbuf_add(out, res.report.s, res.report.n);
	end(m);
	exec_result_release(&res);
	return fate;
}

/* ---- symbolic -------------------------------------------------------------------------------- */

struct decisions {
	bool *at;
	uint32_t n;
};

struct runner {
	struct sym_paths *all;
	VEC(struct decisions) todo;
	VEC(bool) taken;
	struct decisions given;
};

static bool on_fork(void *ctx, struct machine *m, struct thread *t, term_t c)
{
	struct runner *r = ctx;
	bool way = true;

	(void)m, (void)t, (void)c;
	if (r->taken.n < r->given.n) {
		way = r->given.at[r->taken.n];
	} else {
		struct decisions other = {xmalloc(r->taken.n + 1), r->taken.n + 1};

		if (r->taken.n)
			memcpy(other.at, r->taken.at, r->taken.n);
		other.at[r->taken.n] = false;
		vec_push(&r->todo, other);
	}
	vec_push(&r->taken, way);
	return way;
}

static void on_incomplete(void *ctx, struct machine *m, struct thread *t, const char *why)
{
	struct runner *r = ctx;

	(void)m, (void)t;
	r->all->incompletes++;
	strbuf_addf(&r->all->why, "%s\n", why);
}

static void one_path(struct runner *r, const struct ir_program *p,
	void (*prepare)(void *ctx, struct machine *m), void *ctx)
{
	static const struct sym_ops ops = {.fork = on_fork, .incomplete = on_incomplete};
	struct exec_options opt = {.max_instructions = 50000000};
	struct exec_result res;
	struct machine *m = start(p, &opt, &res);
	struct sym s = {.ask = r->all->ask, .ops = &ops, .ctx = r};
	struct sym_path *path = vec_add(&r->all->at);

	sym_attach(m, &s, r->all->ts);
	if (prepare)
		prepare(ctx, m);
	run_threads(m);
	vec_each (&s.path, i)
		vec_push(&path->path, s.path.at[i]);
	path->fate = res.fate;
	path->status = res.status;
	path->status_term = s.status;
	path->kind = exec_word(&res) ? xstrdup(exec_word(&res)) : NULL;
	path->report = res.report.n ? xstrdup(res.report.s) : NULL;
	path->output = world_output(m, 1);
	path->incomplete = s.incomplete;
	path->instructions = m->instructions;
	vec_release(&s.path);
	end(m);
	exec_result_release(&res);
}

void sym_run(struct sym_paths *all, const struct ir_program *p,
	void (*prepare)(void *ctx, struct machine *m), void *ctx, uint32_t limit)
{
	struct ask_options ao = {.seconds = 30};
	struct runner r = {.all = all};

	*all = (struct sym_paths){.ts = terms_new()};
	all->ask = ask_new(all->ts, &ao);
	vec_push(&r.todo, (struct decisions){0});
	while (r.todo.n && all->at.n < limit) {
		r.given = vec_pop(&r.todo);
		vec_clear(&r.taken);
		one_path(&r, p, prepare, ctx);
		free(r.given.at);
	}
	all->more = r.todo.n;
	vec_each (&r.todo, i)
		free(r.todo.at[i].at);
	vec_release(&r.todo);
	vec_release(&r.taken);
}

void sym_paths_release(struct sym_paths *all)
{
	vec_each (&all->at, i) {
		vec_release(&all->at.at[i].path);
		vec_release(&all->at.at[i].output);
		free(all->at.at[i].kind);
		free(all->at.at[i].report);
	}
	vec_release(&all->at);
	strbuf_release(&all->why);
	ask_free(all->ask);
	terms_free(all->ts);
}

uint32_t sym_path_of(struct sym_paths *all, struct term_assign *as)
{
	uint32_t found = UINT32_MAX;

	vec_each (&all->at, i) {
		struct sym_path *p = &all->at.at[i];
		bool holds = true;

		for (uint32_t k = 0; holds && k < p->path.n; k++)
			holds = term_value(as, p->path.at[k]);
		if (holds && found != UINT32_MAX)
			return UINT32_MAX;
		if (holds)
			found = i;
	}
	return found;
}
