/*
 * enumerate PROGRAM TRACE: every interleaving of a small program along the paths that a recorded
 *run took, and everything that goes wrong on the way. The slow, obviously correct twin of
 *prediction.
 *
 *	--states N   give up beyond so many states (exit code 3); default 200000
 *	--every      go through every schedule, also where they meet in the same state; for tests of
 *	             the memory of states
 *
 * Prints one JSON object: "states", "schedules" (how many there are, as a decimal), "violations":
 *an array of {"kind", "lines"}. A violation is named by its kind (the words of report/kinds.def)
 *and the source lines of what makes it, rising.
 */
#include "watch.h"

#include "build/exe.h"
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
	bool every, full;
	VEC(struct sighting) sightings;
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
	watch_state(w);
	k = world_keep(w);
	for (uint32_t t = 0; t < nlanes && !se->full; t++) {
		uint32_t n = world_moves(w, t);

		for (uint32_t i = 0; i < n && !se->full; i++) {
			enum move mv = world_move(w, t, i);

			if (mv == MOVE_MADE)
				total += explore(se);
			else if (mv == MOVE_OVER)
				total++;
			else if (mv == MOVE_FAULT)
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
	printf("]}\n");
}

static int enumerate(const char *exe, const char *dir, struct search *se)
{
	struct trace *t = trace_open(dir);
	struct ir_program *p = t ? load(exe) : NULL;
	struct paths paths = {0};
	uint64_t schedules;
	enum move mv;

	if (!p || paths_init(&paths, t))
		return 1;
	se->w = world_new(p, &paths);
	if (!se->w)
		return 1;
	se->w->saw = keep_sighting;
	se->w->saw_ctx = se;
	mv = world_start(se->w);
	schedules = mv == MOVE_MADE ? explore(se) : 1;
	if (!se->full)
		print(se, schedules);
	world_free(se->w);
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
		} else if (!strcmp(argv[1], "--states") && argc > 2) {
			se.limit = strtoull(argv[2], NULL, 10);
			argv++, argc--;
		} else {
			break;
		}
		argv++, argc--;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: enumerate [--every] [--states N] PROGRAM TRACE\n");
		return 2;
	}
	rc = enumerate(argv[1], argv[2], &se);
	map_release(&se.seen);
	vec_release(&se.sightings);
	return rc;
}
