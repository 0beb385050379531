/*
 * Summaries of models: what strlen, strcmp, strtol and the like come to on symbolic data, as one term
 * and without a fork for every byte. A call of a model with a summary comes here first; the summary
 * either gives the result or leaves the call to the model, which stays the definition: known data, data
 * that is not initialized or runs out of its object, pointers that are terms of lazy memory are all the
 * model's business, and so is every fault. Where a fault is possible the state forks, once, and the
 * side that has it runs the model.
 *
 * A machine has summaries after summaries_install(); without, it runs the models alone (the twin that
 * tests compare with, and an option of explore).
 */
#ifndef HEDDLE_SYMBOLIC_SUMMARY_H
#define HEDDLE_SYMBOLIC_SUMMARY_H

#include "symbolic/sym.h"

struct scall { /* a call of a model under way */
	struct machine *m;
	struct thread *t;
	struct terms *ts;
	const struct opnd *args;
	uint32_t nargs;
	struct opnd *ret;
	bool done; /* the result is in ret; else the model runs */
};
typedef enum step (*summary_fn)(struct scall *s);

/* Before the first call; the machine is symbolic. */
void summaries_install(struct machine *m);

/* ---- for the summaries ------------------------------------------------------------------------ */

enum { TEXT_MAX = 4096 };

static inline bool is_known(const struct terms *ts, term_t t)
{
	return term_op(ts, t) == TERM_CONST;
}

struct text { /* bytes of the program's memory from an address on */
	term_t *at;    /* 8 bits each */
	uint32_t n;
	bool symbolic; /* some byte is a term */
	bool closed;   /* it ends in a byte that is surely 0, or where it was asked to; else where the
			  initialized bytes of its object end, or at TEXT_MAX */
};
/* Up to `most` bytes, and not past the first that is surely 0. */
void text_get(struct scall *s, uint64_t addr, uint64_t most, struct text *x);
void text_release(struct text *x);
/* Whether the string, or the n bytes, are all known: the model's business. Fast. */
bool text_is_known(struct scall *s, uint64_t addr);
bool block_is_known(struct scall *s, uint64_t addr, uint64_t n);

/* Argument i as a number; false: it is unknown, or a term that only the model can take. Pointers and
 * lengths that are terms are fixed, one value a path. STEP_STOP as sym_value(). */
enum step scall_known(struct scall *s, uint32_t i, uint64_t *v, bool *ok);
enum step scall_give(struct scall *s, term_t t);

/* by name, or NULL */
summary_fn summary_string_find(const char *name);
summary_fn summary_number_find(const char *name);
summary_fn summary_ctype_find(const char *name);

#endif
