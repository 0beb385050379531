/*
 * Keeps many states of one program alive: breadth first over its schedules, each state at a choice of
 * threads with a history of its own, until so many are waiting. Prints: states alive, bytes for each
 * (of the whole process, above what it had before), peak memory in bytes, microseconds for a save and
 * for a restore (first touches of pages not included), states made in all, instructions executed, bytes
 * that saved_bytes() tells of one.
 */
#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/models.h"
#include "machine/save.h"
#include "world/world.h"
#include "import/import.h"

#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

struct entry {
	struct saved *saved;
	bool again; /* the current thread must give way */
};

struct bench {
	struct machine *m;
	struct exec_result res;
	VEC(struct entry) queue;
	uint32_t first; /* of the queue that waits */
	uint32_t choice, nready;
	double saving, restoring;
	uint64_t saves, restores, executed, told;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t pick(void *ctx, struct machine *m, const uint32_t *ready, uint32_t n,
	enum exec_pick why)
{
	struct bench *b = ctx;

	(void)m;
	if (why == EXEC_PICK_SLICE)
		return m->current;
	b->nready = n;
	return ready[MIN(b->choice, n - 1)];
}

static void keep(struct bench *b, bool again)
{
	double start = now();

	vec_push(&b->queue, (struct entry){machine_save(b->m), again});
	b->saving += now() - start;
	b->saves++;
	b->told += saved_bytes(vec_last(&b->queue).saved);
}

/* From a choice to the next one. */
static void run(struct bench *b, struct thread *t, bool again)
{
	uint64_t before = b->m->instructions;
	enum step st = again ? STEP_AGAIN : STEP_SWITCH;
	bool chosen = false;

	for (;;) {
		if (st == STEP_SWITCH || st == STEP_AGAIN) {
			if (chosen && b->m->nlive > 1) {
				keep(b, st == STEP_AGAIN);
				break;
			}
			b->nready = 1;
			t = sched_pick(b->m, t, st == STEP_AGAIN);
			chosen = true;
		}
		if (!t)
			break;
		st = top(t)->careful ? step_run(b->m, t) : interp_run(b->m, t);
		if (st == STEP_STOP)
			break;
	}
	exec_result_release(&b->res);
	b->res = (struct exec_result){0};
	b->executed += b->m->instructions - before;
}

static void expand(struct bench *b, struct entry e)
{
	uint32_t n = 1;

	for (b->choice = 0; b->choice < n; b->choice++) {
		double start = now();

		machine_restore(b->m, e.saved);
		b->restoring += now() - start;
		b->restores++;
		run(b, b->m->threads.at[b->m->current], e.again);
		if (!b->choice)
			n = b->nready;
	}
	saved_free(e.saved);
}

static struct ir_program *load(const char *path)
{
	struct ir_program *p = ir_program_new();
	struct strbuf bc = {0};

	if (strbuf_read_file(&bc, path) || import_bitcode(p, path, bc.s, bc.n, 0) ||
		import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
			IMPORT_MODEL | IMPORT_NEEDED))
		return NULL;
	strbuf_release(&bc);
	return p;
}

int main(int argc, char **argv)
{
	struct exec_options opt = {.pick = pick};
	struct bench b = {0};
	struct rusage use;
	struct ir_program *p;
	uint32_t want = argc == 3 ? (uint32_t)atoi(argv[2]) : 0;
	uint64_t before;
	char *args[] = {(char *)"program", NULL};

	if (!want || !(p = load(argv[1]))) {
		fprintf(stderr, "usage: bench_states FILE.bc STATES\n");
		return 2;
	}
	opt.pick_ctx = &b;
	b.m = machine_new(p, 1, args, &opt, &b.res);
	world_attach(b.m, world_new(&(struct world_options){0}));
	run(&b, b.m->threads.at[0], false);
	before = mallinfo2().uordblks;
	while (b.first < b.queue.n && b.queue.n - b.first < want)
		expand(&b, b.queue.at[b.first++]);
	getrusage(RUSAGE_SELF, &use);
	printf("%u %.0f %llu %.2f %.2f %llu %llu %llu\n", b.queue.n - b.first,
		(double)(mallinfo2().uordblks - before) / (b.queue.n - b.first + 1),
		(unsigned long long)use.ru_maxrss * 1024, 1e6 * b.saving / (double)b.saves,
		1e6 * b.restoring / (double)(b.restores + 1), (unsigned long long)b.saves,
		(unsigned long long)b.executed, (unsigned long long)(b.told / b.saves));
	return 0;
}
