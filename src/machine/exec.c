#include "machine/exec.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "machine/code.h"
#include "machine/machine.h"
#include "machine/save.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- set-up ---------------------------------------------------------------------------------- */

static uint64_t clock_ns(clockid_t c)
{
	struct timespec ts;

	clock_gettime(c, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* a NULL-terminated array of strings in the program's memory */
static uint64_t guest_strings(struct machine *m, char *const *v, uint64_t n)
{
	uint64_t at = heap_alloc(&m->heap, &m->mem, (n + 1) * 8, 16, true, 0, (stack_id){0});
	uint64_t bad;

	for (uint64_t i = 0; i < n; i++) {
		size_t k = strlen(v[i]) + 1;
		uint64_t s = heap_alloc(&m->heap, &m->mem, k, 16, true, 0, (stack_id){0});

		mem_in(&m->mem, s, v[i], k, &bad);
		mem_in(&m->mem, at + 8 * i, &s, 8, &bad);
	}
	return at;
}

static void resolve_externals(struct machine *m)
{
	uint32_t n = m->p->funcs.n;

	m->builtins = arena_array(&m->arena, builtin_fn, n);
	m->stubs = arena_array(&m->arena, const struct exec_stub *, n);
	m->codes = arena_array(&m->arena, struct code *, n);
	for (uint32_t f = 0; f < n; f++) {
		const char *name = ir_func_name(m->p, f);

		for (uint32_t k = 0; k < m->opt->nstubs; k++)
			if (!strcmp(m->opt->stubs[k].name, name))
				m->stubs[f] = &m->opt->stubs[k];
		if (m->p->funcs.at[f].flags & IR_FN_EXTERN)
			m->builtins[f] = builtin_find(name);
	}
}

static void machine_init(struct machine *m, const struct ir_program *p, int argc,
	char *const *argv, const struct exec_options *opt, struct exec_result *res)
{
	uint64_t nenv = 0;

	*m = (struct machine){.p = p, .opt = opt, .res = res, .rng = opt->seed};
	arena_init(&m->arena);
	intern_init(&m->names);
	mem_init(&m->mem);
	heap_init(&m->heap, opt->max_memory);
	m->start_realtime = clock_ns(CLOCK_REALTIME);
	m->start_monotonic = clock_ns(CLOCK_MONOTONIC);
	m->slow = opt->slow;
	resolve_externals(m);
	globals_init(&m->globals, &m->mem, p);
	m->nargs = (uint64_t)argc;
	m->args = guest_strings(m, argv, m->nargs);
	while (opt->envp && opt->envp[nenv])
		nenv++;
	m->env = guest_strings(m, opt->envp, nenv);
}

void machine_release_memory(struct machine *m)
{
	vec_each (&m->p->funcs, f)
		if (m->codes[f])
			live_release(&m->codes[f]->live);
	stacks_release(&m->stacks);
	globals_release(&m->globals);
	heap_release(&m->heap);
	mem_release(&m->mem);
	intern_release(&m->names);
	arena_release(&m->arena);
}

void machine_free(struct machine *m)
{
	if (m->saved)
		saved_free(m->saved);
	vec_each (&m->threads, i)
		thread_free(m, m->threads.at[i]);
	vec_release(&m->threads);
	vec_release(&m->queue);
	machine_release_memory(m);
	free(m);
}

struct machine *machine_new(const struct ir_program *p, int argc, char *const *argv,
	const struct exec_options *opt, struct exec_result *res)
{
	uint32_t start = ir_find_func(p, "__heddle_start"), main_ = ir_find_func(p, "main");
	struct machine *m;
	struct thread *t;

	*res = (struct exec_result){0};
	if (main_ == IR_NONE || (p->funcs.at[main_].flags & IR_FN_EXTERN)) {
		error_("the program has no function 'main' that heddle can run (was it "
		       "compiled by heddle-cc?)");
		return NULL;
	}
	if (start == IR_NONE || (p->funcs.at[start].flags & IR_FN_EXTERN)) {
		error_("the models are missing from the program");
		return NULL;
	}
	m = xmalloc(sizeof *m);
	machine_init(m, p, argc, argv, opt, res);
	t = thread_new(m, 0, (stack_id){0});
	if (frame_push(m, t, start, NULL, NULL, NULL, 0) == STEP_STOP)
		BUG("an empty stack overflows");
	top(t)->entered = true;
	return m;
}

/* Writes the buffered bytes of the program's stdout after a run that was stopped. The layout is
 * glibc's struct _IO_FILE, which the models keep because macros of the headers access it. */
static void flush_stdout(struct machine *m)
{
	enum { WRITE_BASE = 0x20, WRITE_PTR = 0x28, FILENO = 0x70, LIMIT = 1 << 20 };
	uint32_t g = ir_find_global(m->p, "stdout");
	uint64_t file = 0, from = 0, to = 0, bad;
	char *text;
	int fd = -1;

	if (g == IR_NONE || !m->globals.addr[g] ||
		mem_out(&m->mem, m->globals.addr[g], &file, 8, &bad) ||
		mem_out(&m->mem, file + WRITE_BASE, &from, 8, &bad) ||
		mem_out(&m->mem, file + WRITE_PTR, &to, 8, &bad) ||
		mem_out(&m->mem, file + FILENO, &fd, sizeof fd, &bad) || to <= from ||
		to - from > LIMIT || fd < 0)
		return;
	text = xmalloc(to - from);
	if (mem_out(&m->mem, from, text, to - from, &bad) == MEM_OK)
		for (uint64_t at = 0, n = to - from; at < n;) {
			ssize_t k = write(fd, text + at, n - at);

			if (k <= 0)
				break;
			at += (uint64_t)k;
		}
	free(text);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void run_main(struct machine *m, struct thread *t)
{
	enum step st;

	t = sched_pick(m, t, false);
	while (t) {
		st = top(t)->careful ? step_run(m, t) : interp_run(m, t);
		switch (st) {
		case STEP_NEXT:
		case STEP_JUMPED: break;
		case STEP_SWITCH: t = sched_pick(m, t, false); break;
		case STEP_AGAIN: t = sched_pick(m, t, true); break;
		case STEP_STOP: return;
		}
	}
}

int exec_run(const struct ir_program *p, int argc, char *const *argv,
	const struct exec_options *opt, struct exec_result *res)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	struct machine *m = machine_new(p, argc, argv, opt, res);

	if (!m)
		return -1;
	sigaction(SIGPIPE, &ignore, &old); /* the model of write() raises it in the program */
	run_main(m, m->threads.at[0]);
	if (res->fate != EXEC_EXITED)
		flush_stdout(m);
	sigaction(SIGPIPE, &old, NULL);
	res->instructions = m->instructions;
	res->threads = m->threads.n;
	machine_free(m);
	return 0;
}

void exec_result_release(struct exec_result *res)
{
	strbuf_release(&res->report);
}

const char *exec_word(const struct exec_result *res)
{
	return exec_end_word(res->fate, res->fault, res->stop);
}
