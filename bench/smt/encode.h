/* A shape as a query: every thread may stop anywhere, reads take writes, lock regions exclude. */
#ifndef HEDDLE_BENCH_SMT_ENCODE_H
#define HEDDLE_BENCH_SMT_ENCODE_H

#include "base/map.h"
#include "base/vec.h"
#include "shapes.h"
#include "smt/solve.h"

struct encoding {
	struct shape *s;
	struct solve *q;
	struct vec_u32 x;       /* by event: it is executed */
	struct vec_u32 *writes; /* by variable */
	struct vec_u32 needed;  /* by event: a read whose value matters */
	VEC(struct take {
		uint32_t write; /* or NO_EVENT: what was there first */
		lit_t lit;
	})
	takes;
	struct vec_u32 take_at; /* by event: first of the takes of a read */
	struct map region;      /* pair of acquisitions -> literal */
	VEC(struct asked {
		uint32_t event;
		lit_t lit; /* true: the assertion there is reached and fails */
	})
	asked;
	/* of the judge */
	struct term_assign values;
	VEC(uint32_t) source; /* by read: place of the take that it has */
	uint64_t judged;
};

/* whole; the judge of candidates is set, for the lazy stage */
void encode(struct encoding *e, struct shape *s);
void encoding_release(struct encoding *e);
/* the literal of a before b, if both are executed */
lit_t encode_before(struct encoding *e, uint32_t a, uint32_t b);

#endif
