/*
 * Bit-blasting: the translation of terms to circuits of clauses. Every term gets one literal for
 * each bit, and clauses that define these literals by the bits of its operands. Shared terms are
 * translated once, equal gates exist once. The translation only adds definitions; the caller
 * asserts literals.
 *
 * Products and quotients of variables of w bits cost about w^2 gates; a term is not translated if
 * the gates of all terms would exceed the limit.
 *
 * Arrays have no bits. A read of a written array becomes a chain of choices (ITE) over the writes.
 * A read of an array symbol becomes 8 free bits; for each two reads of one array, clauses state
 * that equal indices give equal bytes (Ackermann). A model of the array consists of these reads:
 * blast_read_at().
 *
 * Lifetime: heap, blast_free().
 */
#ifndef HEDDLE_SMT_BLAST_H
#define HEDDLE_SMT_BLAST_H

#include "base/base.h"
#include "base/vec.h"
#include "smt/sat.h"
#include "term/term.h"

struct blast;

/* max_gates: of all terms together; 0: no limit. The terms and the solver must live longer. */
struct blast *blast_new(struct terms *ts, struct sat *s, uint64_t max_gates);
void blast_free(struct blast *b);
/* Removes all translations, in time linear in their number, and continues with a new solver. */
void blast_restart(struct blast *b, struct sat *s);

/* Translates t. False if that is not possible, see blast_why(); then t has no bits, and all earlier
 * translations stay valid. */
bool blast_term(struct blast *b, term_t t);
/* the literal of bit i of a translated term */
lit_t blast_bit(const struct blast *b, term_t t, unsigned i);
/* the literal of a term of one bit, which is translated if necessary; LIT_NONE if that fails */
lit_t blast_lit(struct blast *b, term_t t);
/* Adds clauses: if l is true, the term of one bit is 1. These are fewer than for the term's
 * literal. False if the term cannot be translated. */
bool blast_imply(struct blast *b, lit_t l, term_t t);
/* whether t is translated */
bool blast_has(const struct blast *b, term_t t);
/* why the last translation failed */
enum blast_why { BLAST_GATES, BLAST_TIME, BLAST_NEVER /* floating point: has no circuit */ };
enum blast_why blast_why(const struct blast *b);
/* Translations fail after that time of clock_seconds(); 0: no limit. */
void blast_deadline(struct blast *b, double until);
/*
 * The cone of translated terms: appends to *vars the variables of the circuits of these terms and
 * of all terms below them, and to *leaves the symbols and the reads of array symbols among those
 * terms. The values of the leaves' bits determine all other bits of the terms by propagation.
 */
void blast_cone(struct blast *b, const uint32_t *roots, uint32_t n, struct vec_u32 *vars,
	struct vec_u32 *leaves);
/* the value in the model; 0 for a term that is not translated, which no clause restricts */
FOR_TESTS u128 blast_value(const struct blast *b, term_t t);
uint64_t blast_gates(const struct blast *b);
/* the translated reads of array symbols; their indices are translated too */
uint32_t blast_n_reads(const struct blast *b);
term_t blast_read_at(const struct blast *b, uint32_t i);

#endif
