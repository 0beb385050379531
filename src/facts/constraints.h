/*
 * Inclusion constraints over pointers to byte offsets (Andersen 1994; fields by offset after
 * Pearce, Kelly, Hankin 2007). What they mean is written here once, and both the solver (solver.h)
 * and its slow twin in the tests obey it.
 *
 * A node stands for a value: a register, a result, a constant. pts(n) is a set of locations (object,
 * offsets). An object's memory is a set of cells (offsets, width), each with the locations that
 * were stored there. Node 0 is "no pointer": constraints on it are dropped.
 *
 *	ADDR   (object, at)     in pts(dst)
 *	COPY   pts(src)         in pts(dst)
 *	MOVE   xform(pts(src))  in pts(dst)
 *	LOAD   for (o, q) in pts(src): the cells of o that [q, q + width) meets, in pts(dst)
 *	STORE  for (o, q) in pts(dst): pts(src) in cell (q, width) of o
 *	FETCH  for (o, q) in pts(src): what the cells of o have in [q, q + width) goes to the same
 *	       place, relative to q, in object dst
 *	PUT    for (o, q) in pts(dst): what object src has in [0, width) goes to o, relative to q
 *	CALL   for (f, _) in pts(src), f a function or the external object: bind(site dst, f), which
 *	       appends constraints
 *
 * Moving bytes keeps offsets: a value put together from pieces of one pointer is that pointer, and
 * one put together from pieces of several is none.
 *
 * Object PTS_EXTERNAL is the memory of code that is not in the program, and every object that such
 * code can reach: a load through it gives it again; what is stored through it goes to node
 * `escaped`. In an object of known size all offsets past the byte after its end are one location,
 * from which a constant may lead back to anywhere. Read-only objects have only what PTS_INIT puts
 * there; read-only objects without pointers in them, and functions, have no cells and one location. An object with more than max_offsets distinct offset sets, beside those of
 * its initial contents, has one cell (OFFS_ANY, 8) from then on, and all pointers to it are to
 * OFFS_ANY: it is collapsed.
 */
#ifndef HEDDLE_FACTS_CONSTRAINTS_H
#define HEDDLE_FACTS_CONSTRAINTS_H

#include "base/vec.h"
#include "facts/offsets.h"

enum { PTS_EXTERNAL = 0 }; /* the object */
#define PTS_ALL UINT32_MAX /* FETCH, PUT: a length that is not known */

enum pts_memory {
	PTS_PLAIN,
	PTS_READONLY,
	PTS_TEXT,      /* read-only, without pointers */
	PTS_CODE,      /* a function */
	PTS_IN_FLIGHT, /* only FETCH and PUT reach it: bytes on their way */
	PTS_OUTSIDE,   /* PTS_EXTERNAL */
};

struct pts_memory_info { /* what the constraints need to know of an object */
	uint8_t memory;
	uint32_t align;
	uint64_t size;  /* UINT64_MAX = not known */
	uint32_t ninit; /* distinct offsets of the initial contents */
};

struct pts_loc {
	uint32_t object;
	struct offs at;
};

enum pts_xform_kind { PTS_SHIFT, PTS_INDEX, PTS_UNKNOWN, PTS_ROUND, PTS_TAG };
struct pts_xform {
	uint8_t kind;
	uint32_t bound; /* INDEX: elements, 0 = not known */
	int64_t c;      /* SHIFT: bytes; INDEX: stride; ROUND: power of two; TAG: bits */
	int64_t shift;  /* INDEX: bytes besides */
};

enum pts_op {
	PTS_ADDR, PTS_COPY, PTS_MOVE, PTS_LOAD, PTS_STORE, PTS_FETCH, PTS_PUT, PTS_CALL,
	PTS_INIT, /* initial contents: (object src, at) is in the cell (cell, 8) of object dst */
};
struct pts_constraint {
	uint8_t op;
	uint32_t dst, src; /* nodes; objects and sites where the table above says so */
	uint32_t width;
	union {
		struct pts_xform xform;  /* MOVE */
		struct {
			struct offs at;   /* ADDR, INIT: offset of the target */
			struct offs cell; /* INIT: offset of the cell */
		};
	};
};

struct pts_system {
	VEC(struct pts_memory_info) objects; /* [0] is PTS_EXTERNAL */
	VEC(struct pts_constraint) list;     /* bind() may append during the solving */
	uint32_t nnodes;
	uint32_t external; /* node that points to PTS_EXTERNAL */
	uint32_t escaped;  /* node: what code outside may hold */
	uint32_t max_offsets;
	void (*bind)(void *ctx, uint32_t site, uint32_t object);
	void *ctx;
};

/* With the rules of the world outside in place: what it holds it may change, read and call; the
 * calls are of site 0. */
void pts_system_init(struct pts_system *sys);
void pts_system_release(struct pts_system *sys);

uint32_t pts_add_node(struct pts_system *sys);
uint32_t pts_add_object(struct pts_system *sys, enum pts_memory memory, uint64_t size,
	uint32_t align);
void pts_addr(struct pts_system *sys, uint32_t dst, uint32_t object, struct offs at);
void pts_init(struct pts_system *sys, uint32_t object, struct offs cell, uint32_t target,
	struct offs at);
void pts_copy(struct pts_system *sys, uint32_t dst, uint32_t src);
void pts_move(struct pts_system *sys, uint32_t dst, uint32_t src, struct pts_xform x);
void pts_load(struct pts_system *sys, uint32_t dst, uint32_t addr, uint32_t width);
void pts_store(struct pts_system *sys, uint32_t addr, uint32_t src, uint32_t width);
void pts_fetch(struct pts_system *sys, uint32_t object, uint32_t addr, uint32_t width);
void pts_put(struct pts_system *sys, uint32_t addr, uint32_t object, uint32_t width);
void pts_call(struct pts_system *sys, uint32_t site, uint32_t target);

#define PTS_X_UNKNOWN      ((struct pts_xform){.kind = PTS_UNKNOWN})
#define PTS_X_SHIFT(bytes) ((struct pts_xform){.kind = PTS_SHIFT, .c = (bytes)})

/* The location as it stands in a set: one for a function, OFFS_ANY for the external object. */
struct offs pts_place(const struct pts_memory_info *o, struct offs at);
struct offs pts_apply(const struct pts_memory_info *o, struct offs at, struct pts_xform x);
/* Can a load or store of that width happen there? (Outside the object it faults.) */
bool pts_can_load(const struct pts_memory_info *o, struct offs at, uint32_t width);
bool pts_can_store(const struct pts_memory_info *o, struct offs at, uint32_t width);
/* Can a piece of a copied value lie there, perhaps not whole? */
bool pts_can_hold(const struct pts_memory_info *o, struct offs at, uint32_t width);

#endif
