/*
 * Names of places and data in the syntax of the source.
 *
 * The name of an access comes from its instruction: `queue->count`, `table[i].next`. It is built
 * from the address computation, the names of the variables that registers hold, and the types of
 * the debug information. Where information is missing the name is less precise ("…" for an index,
 * "+24" for an offset), but not wrong. Data without an instruction is named by its object and a
 * path through the object's type.
 *
 * The names of a function are built on the first request and kept; several host threads may request
 * names at the same time. Lifetime: heap, names_release(); the program must outlive it.
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
	uint32_t dtype;   /* type of the data; 0 = unknown */
};

struct insn_names {
	struct access_name to; /* the data that the instruction accesses; of a copy: target; of a
				  call in log/sync.def: its object, or the target of its result */
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

/* The names of an instruction; valid until names_release(). */
const struct insn_names *names_of(struct names *n, uint32_t func, uint32_t insn);

/* "list.c:31:7", or the function's name where there is no position */
void names_pos(struct strbuf *out, const struct ir_program *p, uint32_t func, uint32_t insn);
/* "list.c:31:7 in 'push'": the source function, also where it was inlined */
void names_place(struct strbuf *out, const struct ir_program *p, uint32_t func, uint32_t insn);

/* Appends the path from an object of a type to the bytes at the offset: ".next", "[3].n", "+5". */
void names_path(struct strbuf *out, const struct ir_program *p, uint32_t dtype, uint64_t offset,
	uint64_t size);
/* Appends a value of `size` bytes, formatted by dtype, or by `type` if dtype is unknown. */
void names_value(struct strbuf *out, const struct ir_program *p, uint32_t dtype, ir_type type,
	uint64_t size, struct val v);
/* The type without typedefs and qualifiers. */
uint32_t names_strip(const struct ir_program *p, uint32_t dtype);
/* The type that a pointer type points to; 0 = unknown, or no pointer. */
uint32_t names_pointee(const struct ir_program *p, uint32_t dtype);

#endif
