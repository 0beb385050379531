#include "cover/distance.h"

#include "base/base.h"
#include "base/vec.h"
#include "ir/cfg.h"
#include "ir/loops.h"

#include <stdlib.h>
#include <string.h>

struct func_distances {
	struct cfg cfg;
	struct loops loops;
	uint32_t **to_exit; /* by loop, last the whole function: by block; NULL until it is used */
};

struct distances {
	const struct ir_program *p;
	struct func_distances **funcs; /* by function; NULL until it is used */
};

static struct func_distances *distances_of(struct distances *d, uint32_t func)
{
	struct func_distances *fd = d->funcs[func];

	if (fd)
		return fd;
	fd = d->funcs[func] = xcalloc(1, sizeof *fd);
	cfg_init(&fd->cfg, &d->p->funcs.at[func]);
	loops_init(&fd->loops, &fd->cfg);
	fd->to_exit = xcalloc(fd->loops.at.n + 1, sizeof *fd->to_exit);
	return fd;
}

static bool in_loop(const struct func_distances *fd, uint32_t loop, uint32_t b)
{
	return loop == LOOP_NONE || loop_contains(&fd->loops, loop, b);
}

/* The distance of the block to an exit, if those of its successors are known. */
static uint32_t relax(const struct func_distances *fd, const struct ir_func *f, uint32_t loop,
	uint32_t b, const uint32_t *dist)
{
	uint32_t best = UINT32_MAX, n = f->blocks.at[b].n;

	if (ir_ops[ir_terminator(f, b)->op].shape == IR_S_RET)
		return n;
	for (uint32_t e = fd->cfg.succ_at[b]; e < fd->cfg.succ_at[b + 1]; e++) {
		uint32_t s = fd->cfg.succ[e], far = in_loop(fd, loop, s) ? dist[s] : 0;

		if (far != UINT32_MAX)
			best = MIN(best, far + n);
	}
	return best;
}

/* Bellman and Ford, against the order of control: few rounds, because most edges point forward. */
static const uint32_t *find_distances(
	struct func_distances *fd, const struct ir_func *f, uint32_t loop)
{
	uint32_t **at = &fd->to_exit[loop == LOOP_NONE ? fd->loops.at.n : loop];
	bool changed = true;

	if (*at)
		return *at;
	*at = xmalloc((fd->cfg.n + 1) * sizeof **at);
	memset(*at, 0xff, (fd->cfg.n + 1) * sizeof **at);
	while (changed) {
		changed = false;
		for (uint32_t i = fd->cfg.nrpo; i-- > 0;) {
			uint32_t b = fd->cfg.rpo[i], now;

			if (!in_loop(fd, loop, b))
				continue;
			now = relax(fd, f, loop, b, *at);
			changed |= now < (*at)[b];
			(*at)[b] = MIN((*at)[b], now);
		}
	}
	return *at;
}

uint32_t distance_of(struct distances *d, uint32_t func, uint32_t block, uint32_t edge)
{
	struct func_distances *fd = distances_of(d, func);
	const struct ir_func *f = &d->p->funcs.at[func];
	uint32_t to = f->edges.at[edge].to, loop = fd->loops.of[block];

	return in_loop(fd, loop, to) ? find_distances(fd, f, loop)[to] : 0;
}

struct distances *distances_new(const struct ir_program *p)
{
	struct distances *d = xcalloc(1, sizeof *d);

	d->p = p;
	d->funcs = xcalloc(p->funcs.n + 1, sizeof *d->funcs);
	return d;
}

void distances_free(struct distances *d)
{
	vec_each (&d->p->funcs, f) {
		struct func_distances *fd = d->funcs[f];

		if (!fd)
			continue;
		for (uint32_t i = 0; i <= fd->loops.at.n; i++)
			free(fd->to_exit[i]);
		free(fd->to_exit);
		loops_release(&fd->loops);
		cfg_release(&fd->cfg);
		free(fd);
	}
	free(d->funcs);
	free(d);
}
