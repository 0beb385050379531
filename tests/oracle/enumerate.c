/*
 * enumerate PROGRAM TRACE: every interleaving of a small program along the paths that a recorded
 * run took, everything that goes wrong on the way, and every decision that a thread on its path makes
 * otherwise than recorded. The slow, obviously correct twin of prediction.
 *
 *	--all        every interleaving of the program, whatever paths its threads take: the twin of
 *	             check --deep. The trace says only what the arguments are. Loops are followed until
 *	             nothing new comes: a state is looked at once
 *	--states N   give up beyond so many states (exit code 3); default 200000
 *	--every      go through every schedule, also where they meet in the same state; for tests of
 *	             the memory of states; not with --all
 *
 * Prints one JSON object:
 *	"states"
 *	"schedules"   how many there are, as a decimal; with --all those in which no state comes twice
 *	"violations"  array of {"kind", "lines"}: the kind (the words of log/faults.def) and the
 *	              source lines of what makes it, rising
 *	"flips"       array of {"what", "line", "col", "func", "insn"}
 *	"finals"      --all: array of {"status", "globals": {name: bytes as hex, …}}: how the program ends
 *	              when main returns, with the values of its variables of at most 16 bytes
 */
#include "base/base.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "watch.h"

#include "object/exe.h"
#include "cli/models.h"
#include "import/import.h"
#include "ir/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	struct world *w;
	struct map seen; /* hash of a state -> schedules from there + 1 */
	uint64_t states, limit;
	bool every, full, all;
	VEC(struct sighting) sightings;
	VEC(struct flip) flips;
	VEC(char *) finals;
};

static void keep_sighting(void *ctx, const struct sighting *s)
{
	struct search *se = ctx;

	vec_each (&se->sightings, i) {
		const struct sighting *o = &se->sightings.at[i];

		if (!strcmp(o->kind, s->kind) && o->n == s->n &&
			!memcmp(o->line, s->line, s->n * sizeof *s->line))
			return;
	}
	vec_push(&se->sightings, *s);
}

static void keep_flip(void *ctx, const struct flip *f)
{
	struct search *se = ctx;

	vec_each (&se->flips, i)
		if (se->flips.at[i].func == f->func && se->flips.at[i].insn == f->insn)
			return;
	vec_push(&se->flips, *f);
}

/* main has returned: the values of the program's own variables. */
static void keep_final(struct search *se)
{
	struct world *w = se->w;
	uint32_t n = trace_program(w->paths->trace)->globals.n;
	struct strbuf b = {0};
	const char *comma = "";
	uint8_t bytes[16];
	uint64_t bad;

	strbuf_addf(&b, "{\"status\": %d, \"globals\": {", w->res.status);
	for (uint32_t g = 0; g < n; g++) {
		const struct ir_global *gl = &w->p->globals.at[g];

		if (gl->size > sizeof bytes || gl->flags & (IR_G_CONST | IR_G_TLS) ||
			mem_out(&w->m->mem, w->m->globals.addr[g], bytes,
				gl->size, &bad) != MEM_OK)
			continue;
		strbuf_addf(&b, "%s\"%s\": \"", comma, ir_str(w->p, gl->name));
		for (uint64_t i = 0; i < gl->size; i++)
			strbuf_addf(&b, "%02x", bytes[i]);
		strbuf_addf(&b, "\"");
		comma = ", ";
	}
	strbuf_addf(&b, "}}");
	vec_each (&se->finals, i)
		if (!strcmp(se->finals.at[i], b.s)) {
			strbuf_release(&b);
			return;
		}
	vec_push(&se->finals, b.s);
}

/* From the state that the world is in; returns how many schedules there are from here. */
static uint64_t explore(struct search *se)
{
	struct world *w = se->w;
	uint64_t h = world_hash(w), total = 0, *known = map_get(&se->seen, h);
	struct stuck stuck = {0};
	uint32_t nlanes = w->lanes.n;
	struct kept *k;

	if (known && !se->every)
		return *known - 1;
	if (se->full || ++se->states > se->limit) {
		se->full = true;
		return 0;
	}
	if (!se->all)
		watch_state(w);
	*map_put(&se->seen, h) = 1; /* a loop that leads back here is no schedule of its own */
	k = world_keep(w);
	for (uint32_t t = 0; t < nlanes && !se->full; t++) {
		uint32_t n = world_moves(w, t);

		for (uint32_t i = 0; i < n && !se->full; i++) {
			enum move mv = world_move(w, t, i);

			if (mv == MOVE_MADE)
				total += explore(se);
			else if (mv == MOVE_OVER || mv == MOVE_DIED)
				total++;
			if (mv == MOVE_OVER && se->all)
				keep_final(se);
			if (mv == MOVE_FAULT)
				watch_fault(w, t);
			if (mv == MOVE_BLOCKED)
				stuck_add(&stuck, t);
			world_restore(w, k);
		}
	}
	watch_stuck(w, &stuck);
	kept_free(k);
	total = MAX(total, 1ull);
	*map_put(&se->seen, h) = total + 1;
	return total;
}

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

static void print(const struct search *se, uint64_t schedules)
{
	printf("{\"states\": %llu, \"schedules\": \"%llu\", \"violations\": [",
		(unsigned long long)se->states, (unsigned long long)schedules);
	vec_each (&se->sightings, i) {
		const struct sighting *s = &se->sightings.at[i];

		printf("%s\n {\"kind\": \"%s\", \"lines\": [", i ? "," : "", s->kind);
		for (uint32_t k = 0; k < s->n; k++)
			printf("%s%u", k ? ", " : "", s->line[k]);
		printf("]");
		if (s->name)
			printf(", \"name\": \"%s\"", s->name);
		printf("}");
	}
	printf("],\n\"flips\": [");
	vec_each (&se->flips, i) {
		const struct flip *f = &se->flips.at[i];
		const struct ir_pos *pos = world_pos(se->w, f->func, f->insn);

		printf("%s\n {\"what\": \"%s\", \"line\": %u, \"col\": %u, \"func\": %u, \"insn\": %u}",
			i ? "," : "", f->what, pos->line, pos->col, f->func, f->insn);
	}
	printf("],\n\"finals\": [");
	vec_each (&se->finals, i)
		printf("%s\n %s", i ? "," : "", se->finals.at[i]);
	printf("]}\n");
}

static int enumerate(const char *exe, const char *dir, struct search *se)
{
	struct trace *t = trace_open(dir);
	struct ir_program *p = t ? load(exe) : NULL;
	struct paths paths = {0};
	uint64_t schedules;
	enum move mv;

	paths.trace = t;
	if (!p || (!se->all && paths_init(&paths, t)))
		return 1;
	se->w = world_make(p, &paths, se->all);
	if (!se->w)
		return 1;
	se->w->saw = keep_sighting;
	se->w->flipped = keep_flip;
	se->w->saw_ctx = se;
	mv = world_start(se->w);
	schedules = mv == MOVE_MADE ? explore(se) : 1;
	if (mv == MOVE_OVER && se->all)
		keep_final(se);
	if (!se->full)
		print(se, schedules);
	world_end(se->w);
	paths_release(&paths);
	ir_program_free(p);
	trace_close(t);
	return se->full ? 3 : 0;
}

int main(int argc, char **argv)
{
	struct search se = {.limit = 200000};
	int rc;

	while (argc > 1 && argv[1][0] == '-') {
		if (!strcmp(argv[1], "--every")) {
			se.every = true;
		} else if (!strcmp(argv[1], "--all")) {
			se.all = true;
		} else if (!strcmp(argv[1], "--states") && argc > 2) {
			se.limit = strtoull(argv[2], NULL, 10);
			argv++, argc--;
		} else {
			break;
		}
		argv++, argc--;
	}
	if (argc != 3 || (se.all && se.every)) {
		fprintf(stderr, "usage: enumerate [--all | --every] [--states N] PROGRAM TRACE\n");
		return 2;
	}
	rc = enumerate(argv[1], argv[2], &se);
	map_release(&se.seen);
	vec_release(&se.sightings);
	vec_release(&se.flips);
	vec_each (&se.finals, i)
		free(se.finals.at[i]);
	vec_release(&se.finals);
	return rc;
}
