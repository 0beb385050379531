/*
 * What the files of the generator share: gen_ir.c (programs, functions, control flow), gen_ir_ops.c
 * (instructions that can be executed), gen_ir_exotic.c (all others).
 *
 * A function is made block by block; `pool` holds the values that may be used at the current
 * point. What is defined in a branch leaves the pool when the branch ends.
 */
#ifndef HEDDLE_TESTS_GEN_IR_INTERNAL_H
#define HEDDLE_TESTS_GEN_IR_INTERNAL_H

#include "gen_ir.h"
#include "rng.h"

/* every object that random accesses go to has this many bytes */
enum { GEN_OBJECT = 64 };

struct gen_block {
	VEC(struct ir_insn) insns;
};

struct gen {
	struct rng r;
	struct ir_program *p;
	struct ir_func *f;
	uint32_t func;
	unsigned flags;
	int budget; /* instructions that this function may still get */
	uint32_t loop_depth, calls;
	VEC(struct gen_block) blocks;
	uint32_t cur;              /* block being filled */
	VEC(uint32_t) pool;        /* registers */
	VEC(uint32_t) objects;     /* registers that point to GEN_OBJECT bytes */
	uint32_t data, table;      /* globals: first of the data, table of pointers to data */
	uint32_t ndata, leafs;     /* leafs: first of the two functions that @leaf_table holds */
	uint32_t leaf_table, checksum;
};

static inline bool gen_exotic(const struct gen *g)
{
	return g->flags & GEN_IR_EXOTIC;
}

/* gen_ir.c */
uint32_t gen_str(struct gen *g, const char *prefix);
uint32_t gen_pos(struct gen *g);
uint32_t gen_reg(struct gen *g, ir_type t);
uint32_t gen_block(struct gen *g);
/* appends to the current block; `dst` registers are added to the pool by the caller */
struct ir_insn *gen_emit(struct gen *g, struct ir_insn in);
/* an instruction with one new result, which joins the pool */
ir_ref gen_value(struct gen *g, struct ir_insn in);
uint32_t gen_edge(struct gen *g, uint32_t to);
void gen_copy(struct gen *g, uint32_t edge, uint32_t dst, ir_ref src);

/* gen_ir_ops.c */
ir_ref gen_const(struct gen *g, ir_type t);
ir_ref gen_int(struct gen *g, ir_type t, uint64_t v);
ir_ref gen_address(struct gen *g, uint8_t kind, uint32_t id, int64_t addend);
/* a register of that type from the pool, or a constant */
ir_ref gen_operand(struct gen *g, ir_type t);
/* any type that can be computed with */
ir_type gen_type(struct gen *g);
ir_type gen_int_type(struct gen *g);
/* one step of straight-line code */
void gen_step(struct gen *g);
/* the value as i64, by whatever conversions it takes */
ir_ref gen_to_i64(struct gen *g, ir_ref r);

/* gen_ir_exotic.c */
void gen_exotic_step(struct gen *g);
void gen_exotic_symbols(struct gen *g);
void gen_exotic_notes(struct gen *g);
void gen_exotic_types(struct gen *g);

#endif
