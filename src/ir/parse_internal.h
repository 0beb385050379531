/*
 * Shared by the two parts of the parser: parse.c (the tables of the program, symbols) and
 * parse_func.c (function bodies). Recursive descent without recursion: the grammar is flat. The
 * functions report errors through the lexer: after an error every token is TOK_END and the program
 * is discarded, so that no function here returns a status. Private to src/ir.
 *
 * A symbol may be used before it is defined. Until the end of the text, an address constant holds
 * the index of its struct parse_sym; parse.c then replaces it with the id of the function or
 * global.
 */
#ifndef HEDDLE_IR_PARSE_INTERNAL_H
#define HEDDLE_IR_PARSE_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/ir.h"
#include "ir/lex.h"
#include "ir/words.h"

struct place {
	uint32_t line, col; /* line 0: no place */
};

struct parse_sym {
	uint32_t name, twin;
	uint8_t kind; /* IR_C_GLOBAL, IR_C_FUNC; IR_C_BITS until it is defined */
	uint32_t id;
	/* places of the first use of each kind, for messages */
	struct place used, used_with_addend, used_as_func;
};

struct parse_untyped { /* a constant in extra[] whose type is not known yet */
	uint32_t extra;
	struct token t;
};

struct parser {
	struct lexer lx;
	struct ir_program *p;
	struct ir_func *f; /* the function being read */
	uint32_t func;
	VEC(struct parse_sym) syms;
	struct map sym_by_name; /* name, twin -> index + 1 */
	struct map ops;         /* hash of a name -> operation + 1 */
	struct map consts;      /* hash of function and constant -> index + 1 */
	VEC(uint32_t) list;     /* edges and cases of one switch or indirect branch */
	VEC(struct parse_untyped) untyped;
	/* limits on registers and on bytes of initializers, which a short text could make large */
	uint64_t regs_left, bytes_left;
	/* for validation errors: the places of functions and of instructions, in text order */
	VEC(struct place) func_places, insn_places;
	VEC(uint32_t) first_insn; /* by function, into insn_places */
};

/* Each of these consumes the construct that it names, or fails. */
void parse_char(struct parser *ps, int c);
void parse_word(struct parser *ps, const char *word);
bool parse_try_char(struct parser *ps, int c);
bool parse_try_word(struct parser *ps, const char *word);
uint64_t parse_u64(struct parser *ps);
uint32_t parse_u32(struct parser *ps);
int64_t parse_i64(struct parser *ps);
ir_type parse_type(struct parser *ps);
/* string id */
uint32_t parse_string(struct parser *ps);
/* the number after a one-letter prefix: b3, l0; fails if the current token has not this form */
uint32_t parse_numbered(struct parser *ps, char letter);
bool parse_at_numbered(const struct parser *ps, char letter);
/* the number of an optional $n or !n; 0 if there is none */
uint32_t parse_opt_dtype(struct parser *ps);
uint32_t parse_opt_pos(struct parser *ps);
/* the string id of an optional `word "text"`; 0 if it is not there */
uint32_t parse_opt_text(struct parser *ps, const char *word);
/* consumes words of the table while there are some; returns their bits */
uint32_t parse_words(struct parser *ps, const struct ir_word *words, size_t n);
/* fails unless the line ends here */
void parse_line_end(struct parser *ps);

/* the index of the symbol of the current token; fails if it has an addend */
uint32_t parse_bare_symbol(struct parser *ps);
/* @name, @name+16, @name:b3; sets kind (IR_C_GLOBAL or IR_C_BLOCK), id (index of a symbol),
 * addend */
void parse_address(struct parser *ps, uint8_t *kind, uint32_t *id, int64_t *addend);
/* defines the symbol; fails if it is defined already */
void parse_define(struct parser *ps, uint32_t sym, uint8_t kind, uint32_t id);

/* after "func"; the current token is the name */
void parse_func(struct parser *ps, bool is_extern);

static inline struct place parse_here(const struct parser *ps)
{
	return (struct place){ps->lx.t.line, ps->lx.t.col};
}

#endif
