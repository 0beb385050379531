/*
 * brute [--switch sync|access] [--runs N] [--program N] PROGRAM LIMIT...: every value of the program's
 * inputs times every schedule, one run of the concrete machine each: the slow, obviously correct
 * twin of `heddle explore`.
 *
 * The inputs are the bytes of the global variable 'in'; LIMIT i says how many values byte i has,
 * from 0. A schedule is the choice of a thread at each place where the machine asks for one
 * (exec.h: pick); schedules are gone through depth first, each run from the start of the program. A
 * run that comes to a state in which that choice was made before says nothing more and is left.
 * --program is the number of a program in a batch (tests/harness/batch.py): N + 1 arguments select it, and its
 * 'in' has a suffix.
 *
 * Prints one JSON object: {"runs": N, "inputs": [{"in": [bytes], "outcomes": [{"fate", "status",
 * "kind", "line", "output"}...], "trace": "hash"}...]}: the different outcomes of each input. The
 * line is that of a fault; output is a string of hexadecimal digits, of runs that exit. The trace
 * is of the branches of the program that the first schedule goes through, in their order. Inputs
 * that a heddle_assume() rules out have no outcomes. Exit code 3: more runs than --runs.
 */
#include "base/base.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "object/exe.h"
#include "cli/models.h"
#include "machine/code.h"
#include "import/import.h"
#include "ir/validate.h"
#include "log/faults.h"
#include "../oracle/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_INPUT = 16, MAX_BATCH = 100 };

struct choice {
	uint32_t taken, n;
};

struct brute {
	struct ir_program *p;
	const char *path;
	int number; /* of the program in a batch; -1 if it is alone */
	struct exec_options opt;
	uint64_t runs, max_runs;
	uint32_t nin, limit[MAX_INPUT];
	uint8_t in[MAX_INPUT];
	VEC(struct choice) choices; /* of the run at hand; a prefix is prescribed */
	uint32_t at;                /* choices made */
	struct map seen;            /* hashes of states in which a choice was made, of this input */
	struct page_hashes hashes;
	bool left;        /* the run at hand need not go on */
	int capture, out; /* what the program prints; our own output */
	uint64_t trace;
};

static struct ir_program *load(const char *path)
{
	struct ir_program *p = ir_program_new();
	struct exe *x = exe_open(path);
	struct exe_section bc;

	if (x && exe_section(x, EXE_BITCODE, &bc) && !import_bitcode(p, path, bc.data, bc.n, 0) &&
		!import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
			IMPORT_MODEL | IMPORT_NEEDED) &&
		!ir_validate(p)) {
		exe_close(x);
		return p;
	}
	if (x)
		exe_close(x);
	ir_program_free(p);
	return NULL;
}

/* ---- one run ------------------------------------------------------------------------------- */

static uint64_t state_hash(struct brute *b, struct machine *m)
{
	uint8_t buf[256];
	ssize_t n = pread(b->capture, buf, sizeof buf, 0);

	return hash_u64(machine_hash(m, &b->hashes) + hash_bytes(buf, n > 0 ? (size_t)n : 0));
}

static uint32_t pick(
	void *ctx, struct machine *m, const uint32_t *ready, uint32_t n, enum exec_pick why)
{
	struct brute *b = ctx;

	if (why == EXEC_PICK_SLICE) /* nobody forks here */
		return m->current;
	if (b->at == b->choices.n) {
		uint64_t *seen = map_put(&b->seen, state_hash(b, m));

		b->left = *seen;
		if (b->left)
			return ready[0];
		*seen = 1;
		vec_push(&b->choices, (struct choice){0, n});
	}
	BUG_ON(b->choices.at[b->at].n != n);
	return ready[b->choices.at[b->at++].taken];
}

static void watch(void *ctx, struct machine *m, struct thread *t, const struct ir_insn *in)
{
	struct brute *b = ctx;
	const struct frame *f = top(t);

	clear_registers(m, t);
	if (!f->code->model && ir_op_is_terminator(in->op))
		b->trace = hash_u64(b->trace + ((uint64_t)f->func << 32 | f->pc));
}

static void set_input(struct brute *b, struct machine *m)
{
	char *name = xasprintf(b->number < 0 ? "in" : "in_p%d", b->number);
	uint32_t g = ir_find_global(b->p, name);
	uint64_t bad;

	free(name);
	if (b->nin && (g == IR_NONE || mem_in(&m->mem, m->globals.addr[g], b->in, b->nin, &bad)))
		BUG("the program has no global 'in'");
}

static void run(struct brute *b, struct machine *m)
{
	struct thread *t = sched_pick(m, m->threads.at[0], false);
	enum step st;

	while (t && !b->left) {
		st = top(t)->careful ? step_run(m, t) : interp_run(m, t);
		if (st == STEP_STOP)
			return;
		if (st == STEP_SWITCH || st == STEP_AGAIN)
			t = sched_pick(m, t, st == STEP_AGAIN);
	}
}

/* The line in "SUMMARY: heddle: TITLE FILE:LINE:COLUMN in FUNCTION"; the column may be missing. */
static unsigned line_of(const struct exec_result *res)
{
	const char *title = fault_words[res->fault].title;
	const char *s = res->report.s ? strstr(res->report.s, "SUMMARY: heddle: ") : NULL;
	char place[512], *colon;
	unsigned last, line;

	if (!s || !(s = strstr(s, title)) || sscanf(s + strlen(title), " %511s", place) != 1)
		return 0;
	colon = strrchr(place, ':');
	if (!colon || sscanf(colon, ":%u", &last) != 1)
		return 0;
	*colon = 0;
	colon = strrchr(place, ':');
	return colon && sscanf(colon, ":%u", &line) == 1 ? line : last;
}

static const char *fate(const struct exec_result *res)
{
	switch (res->fate) {
	case EXEC_EXITED: return "exited";
	case EXEC_FAULT: return "fault";
	case EXEC_DEADLOCK: return "deadlock";
	default: return "stopped";
	}
}

/* An outcome as JSON; empty if the run is of no interest. */
static void describe(struct brute *b, const struct exec_result *res, struct strbuf *o)
{
	uint8_t buf[4096];
	ssize_t n;

	if (res->fate == EXEC_STOPPED && res->stop == STOP_ASSUMPTION)
		return;
	strbuf_addf(o,
		"{\"fate\": \"%s\", \"status\": %d, \"kind\": \"%s\", \"line\": %u, \"output\": \"",
		fate(res), res->fate == EXEC_EXITED ? res->status & 0xff : 0,
		exec_word(res) ? exec_word(res) : "", res->fate == EXEC_FAULT ? line_of(res) : 0);
	lseek(b->capture, 0, SEEK_SET);
	while (res->fate == EXEC_EXITED && (n = read(b->capture, buf, sizeof buf)) > 0)
		for (ssize_t i = 0; i < n; i++)
			strbuf_addf(o, "%02x", buf[i]);
	strbuf_adds(o, "\"}");
}

static void run_once(struct brute *b, struct strbuf *o)
{
	char *argv[MAX_BATCH + 2] = {(char *)b->path};
	struct exec_result res;
	struct machine *m;

	b->at = 0;
	b->trace = 0;
	b->left = false;
	for (int i = 0; i <= b->number; i++)
		argv[i + 1] = "-";
	if (ftruncate(b->capture, 0))
		BUG("memory file");
	lseek(b->capture, 0, SEEK_SET);
	m = machine_new(b->p, b->number + 2, argv, &b->opt, &res);
	BUG_ON(!m);
	m->start_realtime = m->start_monotonic = 1000000000;
	set_input(b, m);
	run(b, m);
	machine_free(m);
	if (!b->left)
		describe(b, &res, o);
	exec_result_release(&res);
	b->runs++;
}

/* ---- all of them --------------------------------------------------------------------------- */

/* The next schedule in depth-first order; false if that was the last. */
static bool next_schedule(struct brute *b)
{
	b->choices.n = b->at;
	while (b->choices.n) {
		struct choice *c = &vec_last(&b->choices);

		if (++c->taken < c->n)
			return true;
		b->choices.n--;
	}
	return false;
}

static bool next_input(struct brute *b)
{
	for (uint32_t i = 0; i < b->nin; i++) {
		if (++b->in[i] < b->limit[i])
			return true;
		b->in[i] = 0;
	}
	return false;
}

static bool known(char **at, uint32_t n, const char *text)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(at[i], text))
			return true;
	return false;
}

/* All schedules of the input at hand; false after too many runs. */
static bool all_schedules(struct brute *b, struct strbuf *json)
{
	VEC(char *) outcomes = {0};
	uint64_t trace = 0;

	vec_clear(&b->choices);
	map_clear(&b->seen);
	do {
		struct strbuf o = {0};

		run_once(b, &o);
		if (!trace)
			trace = b->trace;
		if (o.n && !known(outcomes.at, outcomes.n, o.s))
			vec_push(&outcomes, strbuf_detach(&o));
		strbuf_release(&o);
	} while (next_schedule(b) && b->runs < b->max_runs);
	strbuf_adds(json, "{\"in\": [");
	for (uint32_t i = 0; i < b->nin; i++)
		strbuf_addf(json, "%s%u", i ? ", " : "", b->in[i]);
	strbuf_adds(json, "], \"outcomes\": [");
	vec_each (&outcomes, i) {
		strbuf_addf(json, "%s%s", i ? ", " : "", outcomes.at[i]);
		free(outcomes.at[i]);
	}
	strbuf_addf(json, "], \"trace\": \"%llx\"}", (unsigned long long)trace);
	vec_release(&outcomes);
	return b->runs < b->max_runs;
}

static int brute(struct brute *b)
{
	struct strbuf json = {0};
	bool more = true, first = true;

	b->out = dup(1);
	b->capture = memfd_create("output", MFD_CLOEXEC);
	if (b->out < 0 || b->capture < 0 || dup2(b->capture, 1) < 0 ||
		!freopen("/dev/null", "w", stderr)) {
		perror("brute");
		return 1;
	}
	for (; more; more = next_input(b)) {
		strbuf_adds(&json, first ? "" : ",\n");
		first = false;
		if (!all_schedules(b, &json))
			return 3;
	}
	dprintf(b->out, "{\"runs\": %llu, \"inputs\": [\n%s]}\n", (unsigned long long)b->runs,
		json.s);
	strbuf_release(&json);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: brute [--switch sync|access] [--runs N] [--program N] PROGRAM LIMIT...\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct brute b = {.max_runs = 100000, .number = -1};
	int i = 1, rc;

	b.opt = (struct exec_options){.slow = true,
		.pick = pick,
		.pick_ctx = &b,
		.observe = watch,
		.observe_ctx = &b,
		.max_instructions = 1000000};
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--switch") && i + 1 < argc) {
			b.opt.switches =
				strcmp(argv[++i], "access") ? EXEC_SWITCH_SYNC : EXEC_SWITCH_ACCESS;
		} else if (!strcmp(argv[i], "--program") && i + 1 < argc) {
			b.number = atoi(argv[++i]);
		} else if (!strcmp(argv[i], "--runs") && i + 1 < argc) {
			b.max_runs = strtoull(argv[++i], NULL, 10);
		} else {
			return usage();
		}
	}
	if (i >= argc || argc - i - 1 > MAX_INPUT || b.number >= MAX_BATCH)
		return usage();
	b.path = argv[i];
	for (int k = i + 1; k < argc; k++)
		b.limit[b.nin++] = (uint32_t)strtoul(argv[k], NULL, 10);
	b.p = load(b.path);
	if (!b.p)
		return 1;
	rc = brute(&b);
	vec_release(&b.choices);
	map_release(&b.seen);
	page_hashes_release(&b.hashes);
	ir_program_free(b.p);
	return rc;
}
