/*
 * Summaries of models: the result of strlen, strcmp, strtol and the like on symbolic data as one
 * term, without a fork for each byte. A call of a model with a summary first calls the summary,
 * which either gives the result or leaves the call to the model. The model is the definition: it
 * handles known data, uninitialized data, data that ends with its object, pointers that are terms
 * of lazy memory, and all faults. Where a fault is possible the state forks once, and the side with
 * the fault runs the model.
 *
 * A machine uses summaries after summaries_install(). Without them it runs the models only: tests
 * compare both, and explore has an option for it.
 */
#ifndef HEDDLE_SYMBOLIC_SUMMARY_H
#define HEDDLE_SYMBOLIC_SUMMARY_H

#include "symbolic/sym.h"

struct scall { /* one call of a model with a summary */
	struct machine *m;
	struct thread *t;
	struct terms *ts;
	const struct opnd *args;
	uint32_t nargs;
	struct opnd *ret;
	bool done; /* the result is in ret; else the model runs */
};
typedef enum step (*summary_fn)(struct scall *s);

/* Installs the summaries of all models. The machine is symbolic and has not run yet. */
void summaries_install(struct machine *m);

/* ---- for the summaries ----------------------------------------------------------------------- */

enum { TEXT_MAX = 4096 };

static inline bool is_known(const struct terms *ts, term_t t)
{
	return term_op(ts, t) == TERM_CONST;
}

struct text { /* bytes of the program's memory from an address on */
	term_t *at;    /* 8 bits each */
	uint32_t n;
	bool symbolic; /* some byte is a term */
	bool closed;   /* it ends in a byte that is the constant 0, or has the length asked for.
			  Else it ends with the initialized bytes of its object, or at TEXT_MAX */
};
/* Reads up to `most` bytes, up to and including the first constant 0. */
void text_get(struct scall *s, uint64_t addr, uint64_t most, struct text *x);
void text_release(struct text *x);
/* Whether the string, or the n bytes, are all known: then the model runs. Makes no terms. */
bool text_is_known(struct scall *s, uint64_t addr);
bool block_is_known(struct scall *s, uint64_t addr, uint64_t n);

/* Argument i as a number. *ok is false if the argument has undefined bits, or is a term that only
 * the model can handle. Other terms are concretized (sym_value), one value on each path. */
enum step scall_known(struct scall *s, uint32_t i, uint64_t *v, bool *ok);
/* Sets the result of the call. */
enum step scall_give(struct scall *s, term_t t);

/* The length of the string of argument 0 if it is a string of the initial state of --from, in an
 * object of unknown size; else TERM_NONE. (summary_unknown.c) */
enum step summary_unknown_length(struct scall *s, term_t *length);

/* The summary of the function with this name, or NULL. */
summary_fn summary_string_find(const char *name);
summary_fn summary_number_find(const char *name);
summary_fn summary_ctype_find(const char *name);
summary_fn summary_unknown_find(const char *name);

#endif
