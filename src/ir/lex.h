/*
 * Lexer of the textual IR, one token at a time. The text may contain any bytes and need not end
 * with NUL. Only the first error is reported; after it every token is TOK_END, so that a parser
 * that stops at TOK_END needs no other error handling. Private to src/ir.
 */
#ifndef HEDDLE_IR_LEX_H
#define HEDDLE_IR_LEX_H

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"

enum tok { /* a punctuation character is its own kind */
	TOK_END = 0,
	TOK_WORD = 256, /* add, rmw.add, b3, i32 */
	TOK_REG,        /* %r12, %count.12, %"odd name".12 */
	TOK_SYM,        /* @main, @"odd name", @twin#2, @table+16 */
	TOK_POS,        /* !12 */
	TOK_DTYPE,      /* $12 */
	TOK_INT,        /* 12, -12, 0x12 */
	TOK_STR,        /* "text", with \xx for any byte */
	TOK_HEX,        /* x"00ff" */
	TOK_ELLIPSIS,
	TOK_ARROW, /* -> */
};

struct token {
	int kind;
	bool nl;            /* first on its line */
	bool neg;           /* integer or addend: negative; lo or hi holds its magnitude */
	uint32_t line, col; /* from 1; col in bytes */
	const char *s;      /* text of a word, or decoded name or bytes; valid until the next
			       token */
	size_t n;
	uint64_t lo, hi;    /* value; number of a register, position or type; for a symbol, its
			     * twin number in lo and the magnitude of its addend in hi */
};

struct lexer {
	const char *name; /* for messages */
	const char *at, *end, *line_start;
	uint32_t line;
	bool nl, failed;
	struct token t;      /* the current token */
	struct strbuf bytes; /* holds a string that has been decoded */
};

/* makes the first token current */
void lex_init(struct lexer *lx, const char *name, const char *text, size_t n);
void lex_release(struct lexer *lx);
void lex_next(struct lexer *lx);
/* Reports an error at the current token and ends the input. Only the first call reports. */
void lex_fail(struct lexer *lx, const char *fmt, ...) PRINTF(2, 3);
/* the same at an earlier place */
void lex_fail_at(struct lexer *lx, uint32_t line, uint32_t col, const char *fmt, ...) PRINTF(4, 5);
/* the current token as text for a message, in buf */
const char *lex_describe(struct lexer *lx, char buf[static 48]);

#endif
