/*
 * Shared by the two parts of ir_validate(): validate.c (the tables of the program) and
 * validate_func.c (functions). Private to src/ir.
 */
#ifndef HEDDLE_IR_VALIDATE_INTERNAL_H
#define HEDDLE_IR_VALIDATE_INTERNAL_H

#include "base/base.h"
#include "ir/validate.h"

struct checker {
	const struct ir_program *p;
	ir_where_fn where;
	void *ctx;
	uint32_t func, insn; /* that are being checked, or IR_NONE */
	bool in_range;       /* all ids of the instruction are in range, so that it can be
				printed */
};

/* error_at() with the names of the function and the instruction; returns -1 */
int check_fail(struct checker *c, const char *fmt, ...) PRINTF(2, 3);
#define CHECK(c, cond, ...)                                                                        \
	do {                                                                                       \
		if (unlikely(!(cond)))                                                             \
			return check_fail(c, __VA_ARGS__);                                         \
	} while (0)

static inline bool check_str(const struct checker *c, uint32_t id)
{
	return id < c->p->strs.n;
}

/* checks the kind, id and addend of an address in data or in a constant; 0 or -1 */
int check_address(struct checker *c, uint8_t kind, uint32_t id, int64_t addend);

int check_func(struct checker *c, uint32_t func);

#endif
