/*
 * The leaves of an address: if-then-else terms and sums are decomposed until each leaf is a known
 * base address plus an offset, or a pointer symbol of the initial state (lazy.h) plus an offset.
 *
 * The base of an address is recorded when it is computed (sym_address()), because a term such as
 * &count[c - 'a'] does not show it. Pointers that were aligned by hand ((p + 64) & ~63, p - p % c)
 * have the base of p.
 */
#ifndef HEDDLE_SYMBOLIC_LEAVES_H
#define HEDDLE_SYMBOLIC_LEAVES_H

#include "symbolic/sym.h"

struct leaf {
	term_t guard, addr; /* the address where the guard holds */
	uint64_t base;      /* the address that it was computed from; 0 = not known */
	bool sure;          /* the program computed it from `base`; false: `base` is a guess */
	term_t ptr;         /* the pointer symbol that it was computed from, or TERM_NONE */
};
struct vec_leaf {
	struct leaf *at;
	uint32_t n, cap;
};

/* Appends the leaves of the address, whose guards exclude each other. A DAG of choices with many
 * ways through it costs time in the number of its terms. False: there are too many leaves; *out has
 * some. */
bool leaves_of(struct machine *m, term_t addr, struct vec_leaf *out);

#endif
