/*
 * The conditions of --assume: C expressions over global variables and symbolic inputs that restrict
 * an exploration. The paper fixes the number of threads in this way (001, §6).
 *
 *   nthreads == 2                     a global variable
 *   conf.size < 8 && grid[3] != 0     fields, elements with a constant index
 *   argv[1][0] == '4', argv1[0] == 52 byte 0 of the argument of --sym 'argv[1]:N'
 *   argv[1] == "16"                   the whole argument
 *   stdin[2], env:NAME[0], file:PATH[7], stdin.size
 *
 * Operators are || && | ^ & == != < <= > >= << >> + - * / % and unary ! - ~, with C's precedence.
 * Variables keep the sign of their type; the arithmetic has 128 bits, so it does not wrap as C's
 * does: an unsigned variable is never -1. A division by zero makes the condition false.
 *
 * With --from, conditions are assumed of the initial state. From main, a condition over inputs alone
 * is assumed at the start. The initial value of a global variable says little there, so a condition
 * with one is evaluated where the first thread is created: paths on which it is false end there,
 * paths that end before are not restricted.
 */
#ifndef HEDDLE_EXPLORE_ASSUMPTION_H
#define HEDDLE_EXPLORE_ASSUMPTION_H

#include "base/vec.h"
#include "explore/inputs.h"
#include "ir/ir.h"
#include "machine/machine.h"

enum assumption_kind {
	ASSUMPTION_NUMBER,
	ASSUMPTION_GLOBAL, /* scalar of `bytes` bytes at globals[id] + number */
	ASSUMPTION_BYTE,   /* byte `number` of input id */
	ASSUMPTION_SIZE,   /* length of input id */
	ASSUMPTION_TEXT,   /* whether input id is the string `text` */
	ASSUMPTION_UNARY,  /* op a */
	ASSUMPTION_BINARY, /* a op b */
};

enum assumption_op { /* first the binary operators, in the order of assumption_parse.c */
	ASSUMPTION_OR,
	ASSUMPTION_AND,
	ASSUMPTION_BOR,
	ASSUMPTION_XOR,
	ASSUMPTION_BAND,
	ASSUMPTION_EQ,
	ASSUMPTION_NE,
	ASSUMPTION_LE,
	ASSUMPTION_GE,
	ASSUMPTION_LT,
	ASSUMPTION_GT,
	ASSUMPTION_SHL,
	ASSUMPTION_SHR,
	ASSUMPTION_ADD,
	ASSUMPTION_SUB,
	ASSUMPTION_MUL,
	ASSUMPTION_DIV,
	ASSUMPTION_REM,
	ASSUMPTION_N_BINARY,
	ASSUMPTION_NOT = ASSUMPTION_N_BINARY,
	ASSUMPTION_NEG,
	ASSUMPTION_INVERT,
};

struct assumption_node {
	enum assumption_kind kind;
	enum assumption_op op;
	uint32_t a, b; /* operands: earlier nodes */
	uint32_t id;
	uint32_t bytes;  /* GLOBAL */
	bool is_signed;  /* GLOBAL */
	uint64_t number; /* NUMBER: the value; offset; index */
	char *text;      /* TEXT */
};

struct assumption {
	char *text;
	bool has_global;
	VEC(struct assumption_node) nodes; /* the last one is the condition */
};

struct assumptions {
	VEC(struct assumption) at;
};

/* Adds one --assume option; -1 after error_(), if the text is not an expression, or names something
 * that the program or the inputs do not have. */
int assumptions_add(struct assumptions *as, const struct ir_program *p, const struct inputs *in,
	const char *text);
void assumptions_release(struct assumptions *as);
/* Whether a condition has a global variable. */
bool assumptions_have_global(const struct assumptions *as);

#endif
