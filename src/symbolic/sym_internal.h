/* Shared by the files of this room: entries of struct symbolic_ops that only the machine calls. */
#ifndef HEDDLE_SYMBOLIC_SYM_INTERNAL_H
#define HEDDLE_SYMBOLIC_SYM_INTERNAL_H

#include "machine/extension.h"
#include "symbolic/sym.h"

/* sym_callee.c */
enum step sym_callee(struct machine *m, struct thread *t, term_t pointer, uint32_t *func);
/* summary.c */
enum step summary_call(struct machine *m, struct thread *t, uint32_t func, const struct opnd *args,
	uint32_t nargs, struct opnd *ret, bool *done);

/* sym_fixed.c: the condition was added to the path; adds the symbols that have one value now. */
void sym_note_fixed(struct machine *m, term_t c);

/* Whether the path restricts the term to one value. */
bool sym_is_fixed(const struct sym *s, term_t t);

/* sym_opaque.c: symbolic_ops.opaque. */
term_t sym_opaque(struct machine *m, const struct symbolic_operation *op, const term_t *args);
/* Adds the values of the opaque symbols of the term to the path. */
enum step sym_settle(struct machine *m, struct thread *t, term_t v);

/* sym_divide.c: symbolic_ops.divide. */
term_t sym_divide(struct machine *m, enum ir_op op, term_t a, term_t b);

/* sym_save.c */
struct sym_state *sym_save(const struct machine *m, const struct sym_state *old);
void sym_restore(struct machine *m, const struct sym_state *s);
bool sym_same(const struct machine *m, const struct sym_state *s);
uint64_t sym_state_bytes(const struct sym_state *s);
void sym_drop(struct sym_state *s);

#endif
