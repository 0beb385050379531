/*
 * Inclusion constraints over pointers with byte offsets (Andersen 1994; fields by offset as in
 * Pearce, Kelly, Hankin 2007). This header defines their meaning; the solver (solver.h) and its
 * slow twin in the tests implement it.
 *
 * A node represents a value: a register, a result, a constant. pts(n) is a set of locations
 * (object, offsets). The memory of an object is a set of cells (offsets, width), each with the
 * locations that were stored there. Node 0 is "no pointer": constraints on it are ignored.
 *
 *	ADDR   (object, at)     in pts(dst)
 *	COPY   pts(src)         in pts(dst)
 *	MOVE   xform(pts(src))  in pts(dst)
 *	LOAD   for (o, q) in pts(src): the cells of o that overlap [q, q + width), in pts(dst)
 *	STORE  for (o, q) in pts(dst): pts(src) in cell (q, width) of o
 *	FETCH  for (o, q) in pts(src): the cells of o in [q, q + width) in object dst, at their
 *	       offsets relative to q
 *	PUT    for (o, q) in pts(dst): the cells of object src in [0, width) in o, with q added to
 *	       their offsets
 *	CALL   for (f, _) in pts(src), f a function or the external object: bind(site dst, f), which
 *	       appends constraints
 *
 * A copy of bytes keeps the offsets of pointers: a value composed of pieces of one pointer is that
 * pointer, and a value composed of pieces of several pointers is not a pointer.
 *
 * The object PTS_EXTERNAL represents the memory of code that is not in the program, and every
 * object that such code can reach. A load through it gives a pointer to it again; values stored
 * through it go to the node `escaped`. In an object of known size all offsets after size are one
 * location (size + 1); a negative constant from there may lead to any offset. The cells of a
 * read-only object come from PTS_INIT only. Read-only objects without pointers, and functions, have
 * no cells and one location. An object is collapsed when it has more than max_offsets distinct
 * offset sets, without those of its initial contents: from then on it has one cell (OFFS_ANY, 8),
 * and all pointers to it have the offsets OFFS_ANY.
 */
#ifndef HEDDLE_FACTS_CONSTRAINTS_H
#define HEDDLE_FACTS_CONSTRAINTS_H

#include "base/vec.h"
#include "facts/offsets.h"

enum { PTS_EXTERNAL = 0 }; /* id of the external object */
#define PTS_ALL UINT32_MAX /* FETCH, PUT: the length is unknown */

enum pts_memory {
	PTS_PLAIN,
	PTS_READONLY,
	PTS_TEXT,      /* read-only, without pointers */
	PTS_CODE,      /* a function */
	PTS_IN_FLIGHT, /* bytes that are being copied; only FETCH and PUT access it */
	PTS_OUTSIDE,   /* PTS_EXTERNAL */
};

struct pts_memory_info { /* an object, as far as the constraints depend on it */
	uint8_t memory; /* enum pts_memory */
	uint32_t align; /* bytes */
	uint64_t size;  /* bytes; UINT64_MAX = unknown */
	uint32_t ninit; /* PTS_INIT constraints on it */
};

struct pts_loc {
	uint32_t object;
	struct offs at;
};

enum pts_xform_kind { PTS_SHIFT, PTS_INDEX, PTS_UNKNOWN, PTS_ROUND, PTS_TAG };
struct pts_xform {
	uint8_t kind;
	uint32_t bound; /* INDEX: number of elements, 0 = unknown */
	int64_t c;      /* SHIFT: bytes; INDEX: stride; ROUND: power of two; TAG: bits */
	int64_t shift;  /* INDEX: bytes that are added to the index */
};

enum pts_op {
	PTS_ADDR, PTS_COPY, PTS_MOVE, PTS_LOAD, PTS_STORE, PTS_FETCH, PTS_PUT, PTS_CALL,
	PTS_INIT, /* initial contents: (object src, at) is in the cell (cell, 8) of object dst */
};
struct pts_constraint {
	uint8_t op;
	uint32_t dst, src; /* nodes; objects or sites where the table above has them */
	uint32_t width; /* bytes */
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
	VEC(struct pts_constraint) list;     /* bind() may append while the system is being
						solved */
	uint32_t nnodes;
	uint32_t external; /* node that points to PTS_EXTERNAL */
	uint32_t escaped;  /* node: the pointers that code outside may have */
	uint32_t max_offsets;
	void (*bind)(void *ctx, uint32_t site, uint32_t object);
	void *ctx;
};

/* Adds the constraints of code outside the program: it may read, write and call everything
 * that its pointers reach; its calls are site 0. */
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

/* The offsets as they are in a set: OFFS_ZERO for a function, OFFS_ANY for the external object and
 * for read-only objects without pointers, one location for everything after the end. */
struct offs pts_place(const struct pts_memory_info *o, struct offs at);
/* the offsets after the transformation */
struct offs pts_apply(const struct pts_memory_info *o, struct offs at, struct pts_xform x);
/* Is a load or store of that width possible there? (Outside the object it faults.) */
bool pts_can_load(const struct pts_memory_info *o, struct offs at, uint32_t width);
bool pts_can_store(const struct pts_memory_info *o, struct offs at, uint32_t width);
/* Can a copied value of that width be there, at least in part? */
bool pts_can_hold(const struct pts_memory_info *o, struct offs at, uint32_t width);

#endif
