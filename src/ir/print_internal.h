/*
 * Shared by the two parts of the printer: print.c (symbols, types, data, positions, the whole
 * program) and print_func.c (functions and instructions). Private to src/ir.
 */
#ifndef HEDDLE_IR_PRINT_INTERNAL_H
#define HEDDLE_IR_PRINT_INTERNAL_H

#include "base/strbuf.h"
#include "ir/words.h"

struct printer {
	struct strbuf *out;
	const struct ir_program *p;
	const struct ir_func *f;
	/* by global, then by function: the number of earlier symbols with the same name; NULL if
	 * names are printed without twin numbers */
	uint32_t *twins;
	bool readable;
	struct strbuf notes; /* readable: decimal forms of the float constants of the line */
};

/* allocates and fills pr->twins */
void print_number_twins(struct printer *pr);

void print_u64(struct printer *pr, uint64_t v);
void print_i64(struct printer *pr, int64_t v);
void print_quoted(struct printer *pr, const char *s);
/* @name, @name#2; kind is IR_C_GLOBAL or IR_C_FUNC */
void print_symbol(struct printer *pr, uint8_t kind, uint32_t id);
/* @name+16, @name:b3 */
void print_address(struct printer *pr, uint8_t kind, uint32_t id, int64_t addend);
/* " $n" and " !n"; nothing for 0, and nothing in the readable form */
void print_dtype_ref(struct printer *pr, uint32_t dtype);
void print_pos_ref(struct printer *pr, uint32_t pos);
/* ` word "text"`, if there is a text */
void print_worded(struct printer *pr, const char *word, uint32_t text);
/* " word" for each bit set */
void print_words(struct printer *pr, const struct ir_word *words, size_t n, uint32_t bits);

void print_func(struct printer *pr, uint32_t func);

#endif
