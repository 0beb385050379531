/*
 * Terms as circuits of clauses: every term gets one literal for each bit, and clauses that make the
 * bits those of its operands. Shared terms are translated once, equal gates exist once. Adding to
 * a solver only defines; what is asserted is up to the caller.
 *
 * Products and quotients of variables cost about w^2 gates; the budget keeps a term from being
 * translated that would go beyond it.
 *
 * Arrays have no bits. A read goes through the writes as a chain of choices; what is left are reads
 * of array symbols, which are free bytes with a clause for each two of one array: the same index,
 * the same byte (Ackermann). Those are blast_read_at(), for who reads a model.
 */
#ifndef HEDDLE_SMT_BLAST_H
#define HEDDLE_SMT_BLAST_H

#include "base/vec.h"
#include "smt/sat.h"
#include "smt/term.h"

struct blast;

/* max_gates: of all terms together; 0: no limit. Both the table and the solver must live longer. */
struct blast *blast_new(struct terms *ts, struct sat *s, uint64_t max_gates);
void blast_free(struct blast *b);
/* everything forgotten, for a new solver; costs what was translated, not what the table has */
void blast_restart(struct blast *b, struct sat *s);

/* false if it cannot be: see blast_why(); then t has no bits, and nothing is wrong otherwise */
bool blast_term(struct blast *b, term_t t);
/* bit i of a term that was translated */
lit_t blast_bit(const struct blast *b, term_t t, unsigned i);
/* the literal of a term of one bit, or LIT_NONE if it cannot be */
lit_t blast_lit(struct blast *b, term_t t);
/* if l is true, the term of one bit is 1: fewer clauses than through its literal */
bool blast_imply(struct blast *b, lit_t l, term_t t);
bool blast_has(const struct blast *b, term_t t);
/* when the last term could not be translated */
enum blast_why { BLAST_GATES, BLAST_TIME, BLAST_NEVER /* it has no circuit at all */ };
enum blast_why blast_why(const struct blast *b);
/* translate no more after that moment of clock_seconds(); 0: no limit */
void blast_deadline(struct blast *b, double until);
/*
 * What translated terms hang on: the variables of their own circuits, and the symbols and reads of
 * array symbols they are made of. Given values of the bits of these, all else follows by
 * propagation.
 */
void blast_cone(struct blast *b, const uint32_t *roots, uint32_t n, struct vec_u32 *vars,
	struct vec_u32 *leaves);
/* the value in the model; 0 for a term that was never translated, which is as good as any */
u128 blast_value(const struct blast *b, term_t t);
uint64_t blast_gates(const struct blast *b);
/* the reads of array symbols that have bits, and their indices too */
uint32_t blast_n_reads(const struct blast *b);
term_t blast_read_at(const struct blast *b, uint32_t i);

#endif
