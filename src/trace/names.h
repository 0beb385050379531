/*
 * Names of places and data, as the source would write them.
 *
 * An access is named after its instruction: `queue->count`, `table[i].next`, built from the address
 * computation, the names of variables that registers hold, and the types of the debug information.
 * Where these are silent the name says less ("…" for an index, "+24" for an offset), never
 * something else. Data without an instruction is named by object: a path through its type.
 *
 * The names of a function are made when the first of them is asked for, and kept; several host
 * threads may ask at once. Lifetime: heap, names_release(); the program must outlive it.
 */
#ifndef HEDDLE_TRACE_NAMES_H
#define HEDDLE_TRACE_NAMES_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "machine/eval.h"
#include "ir/ir.h"

#include <pthread.h>

struct access_name {
	const char *text; /* NULL: no name */
	uint32_t dtype;   /* of what is accessed; 0 = unknown */
};

struct insn_names {
	struct access_name to; /* what the instruction reads or writes; of a copy: its target; of a
				  call in log/sync.def: its object, or what its result goes to */
	struct access_name from; /* of a copy: its source */
};

struct names {
	const struct ir_program *p;
	struct insn_names **funcs; /* by function, then instruction */
	struct arena arena;
	pthread_mutex_t lock;
};

void names_init(struct names *n, const struct ir_program *p);
void names_release(struct names *n);

/* Of an instruction; lives as long as the names. */
const struct insn_names *names_of(struct names *n, uint32_t func, uint32_t insn);

/* "list.c:31:7", or the function's name where there is no position */
void names_pos(struct strbuf *out, const struct ir_program *p, uint32_t func, uint32_t insn);
/* "list.c:31:7 in 'push'": the source function, also where it was inlined */
void names_place(struct strbuf *out, const struct ir_program *p, uint32_t func, uint32_t insn);

/* Appends the way from an object of that type to the bytes at the offset: ".next", "[3].n", "+5".
 */
void names_path(struct strbuf *out, const struct ir_program *p, uint32_t dtype, uint64_t offset,
	uint64_t size);
/* The type at the end of that way; 0 = unknown. */
uint32_t names_type_at(const struct ir_program *p, uint32_t dtype, uint64_t offset, uint64_t size);
/* A value of `size` bytes by its type; by `type` where dtype is unknown. */
void names_value(struct strbuf *out, const struct ir_program *p, uint32_t dtype, ir_type type,
	uint64_t size, struct val v);
/* Without typedefs, const and the like. */
uint32_t names_strip(const struct ir_program *p, uint32_t dtype);
/* What a pointer of that type points to; 0 = unknown. */
uint32_t names_pointee(const struct ir_program *p, uint32_t dtype);

#endif
