/*
 * The executor of linearizations, inside: its state, for simulate.c (events), simulate_terms.c
 * (values of terms) and simulate_query.c (queries of a whole linearization).
 *
 * State of cells and objects is filled in when it is first needed: an entry is valid if its stamp
 * is the epoch.
 */
#ifndef HEDDLE_MODEL_SIMULATE_INTERNAL_H
#define HEDDLE_MODEL_SIMULATE_INTERNAL_H

#include "base/vec.h"
#include "model/simulate.h"

struct lock_holder {
	uint32_t thread, region;
};

struct sim_cell {
	uint32_t stamp;
	uint32_t writer; /* access; CTP_NONE: from before the start */
	bool known;
	u128 value;
};

struct sim_object {
	uint32_t stamp;
	int64_t count; /* semaphore */
	VEC(struct lock_holder) holders;
	VEC(struct sim_signal {
		uint32_t event; /* SIGNAL, BROADCAST */
		uint32_t time;
		bool taken;
	}) signals;
	VEC(struct sim_wait {
		uint32_t since; /* times of the WAIT and the wake-up */
		uint32_t until;
	}) waits;                   /* that have ended since the start */
};

struct sim_read {
	uint32_t stamp;
	uint32_t source; /* access, CTP_NONE */
	bool known;
	u128 value;
};

struct sim {
	struct facts *f;
	const struct ctp *c;
	enum model_kind kind;
	uint32_t from, epoch, time;
	struct vec_u32 next;    /* by thread */
	struct vec_u32 waiting; /* by thread: the time of its WAIT, if that was its last event */
	VEC(struct sim_cell) cells;
	VEC(struct sim_object) objects;
	VEC(struct sim_read) reads; /* by access */
	VEC(struct sim_term {
		uint32_t stamp;
		bool known;
		u128 value;
	}) terms;
	struct vec_u32 todo, place; /* scratch; by event: its index + 1 in a linearization */
	struct vec_u32 signals;
	bool now; /* reads that threads stand AT have values */
	uint32_t ahead; /* with `now`: reads of the thread of this event from it on, too; CTP_NONE */
	uint32_t term_epoch;
};

/* The cell as it is now. */
struct sim_cell *sim_cell_at(struct sim *s, uint32_t cell);
/* The object as it is now. */
struct sim_object *sim_object_at(struct sim *s, uint32_t object);
/* Whether the atom ASLEEP of that query holds now. */
bool sim_asleep(struct sim *s, const struct query *q, uint32_t event);
/* The thread stands AT the event, or at s->ahead before it: its reads have the values of now. */
bool sim_reads_now(const struct sim *s, uint32_t event);
/* The event is the next one of its thread. */
bool sim_stands_at(const struct sim *s, uint32_t event);

#endif
