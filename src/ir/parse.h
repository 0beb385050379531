/*
 * What the two halves of the parser share: parse.c (the program's tables, symbols) and
 * parse_func.c (function bodies). Recursive descent without recursion: the grammar is flat.
 * Errors are the lexer's: after one every token is TOK_END and what is built meanwhile is thrown
 * away, so that nothing below returns a status. Private to src/ir.
 *
 * A symbol may be used before it is defined. Until the end of the text, an address constant holds
 * the index of its struct parse_sym; parse.c then puts in what it stands for.
 */
#ifndef HEDDLE_IR_PARSE_H
#define HEDDLE_IR_PARSE_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/ir.h"
#include "ir/lex.h"
#include "ir/words.h"

struct place {
	uint32_t line, col; /* line 0: nowhere */
};

struct parse_sym {
	uint32_t name, twin;
	uint8_t kind; /* IR_C_GLOBAL, IR_C_FUNC; IR_C_BITS while not defined */
	uint32_t id;
	/* the first use of each kind, for messages */
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
	VEC(uint32_t) list;     /* operands of one switch */
	VEC(struct parse_untyped) untyped;
	/* what the text may make us allocate beyond its own size */
	uint64_t regs_left, bytes_left;
	/* for validation errors: place of each function, and of each instruction in their order */
	VEC(struct place) func_places, insn_places;
	VEC(uint32_t) first_insn; /* by function, into insn_places */
};

/* Each of these consumes what it names or fails. */
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
/* the number after a one-letter prefix: b3, l0; fails unless the current word is one */
uint32_t parse_numbered(struct parser *ps, char letter);
bool parse_at_numbered(const struct parser *ps, char letter);
/* $n or nothing, !n or nothing */
uint32_t parse_opt_dtype(struct parser *ps);
uint32_t parse_opt_pos(struct parser *ps);
/* words of the table as long as there are some */
uint32_t parse_words(struct parser *ps, const struct ir_word *words, size_t n);
/* the line ends here */
void parse_line_end(struct parser *ps);

/* the symbol of the current token, which has no addend */
uint32_t parse_bare_symbol(struct parser *ps);
/* @name, @name+16, @name:b3; fills kind (IR_C_GLOBAL or IR_C_BLOCK), id (a symbol) and addend */
void parse_address(struct parser *ps, uint8_t *kind, uint32_t *id, int64_t *addend);
/* the symbol is now defined */
void parse_define(struct parser *ps, uint32_t sym, uint8_t kind, uint32_t id);

/* after "func"; the current token is the name */
void parse_func(struct parser *ps, bool is_extern);

static inline struct place parse_here(const struct parser *ps)
{
	return (struct place){ps->lx.t.line, ps->lx.t.col};
}

#endif
