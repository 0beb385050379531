#include "ir/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* may occur inside a word or the name of a symbol */
static bool is_name(char c)
{
	return is_alpha(c) || is_digit(c) || c == '.' || c == '$';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void report_error(struct lexer *lx, uint32_t line, uint32_t col, const char *fmt, va_list ap)
{
	struct strbuf b = {0};

	if (!lx->failed) {
		strbuf_vaddf(&b, fmt, ap);
		error_at((struct diag_pos){lx->name, line, col}, "%s", b.s);
		strbuf_release(&b);
	}
	lx->failed = true;
	lx->at = lx->end;
	lx->t.kind = TOK_END;
	lx->t.nl = true;
}

void lex_fail(struct lexer *lx, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_error(lx, lx->t.line, lx->t.col, fmt, ap);
	va_end(ap);
}

void lex_fail_at(struct lexer *lx, uint32_t line, uint32_t col, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_error(lx, line, col, fmt, ap);
	va_end(ap);
}

const char *lex_describe(struct lexer *lx, char buf[static 48])
{
	const struct token *t = &lx->t;

	if (t->kind == TOK_END)
		snprintf(buf, 48, "the end of the file");
	else if (t->kind == TOK_WORD || t->kind == TOK_SYM)
		snprintf(buf, 48, "'%.*s'", (int)MIN(t->n, (size_t)40), t->s);
	else if (t->kind == TOK_REG)
		snprintf(buf, 48, "register %%r%lu", t->lo);
	else if (t->kind < 256)
		snprintf(buf, 48, "'%c'", t->kind >= 0x20 && t->kind < 0x7f ? t->kind : '?');
	else
		snprintf(buf, 48, "this");
	return buf;
}

static void skip_space(struct lexer *lx)
{
	for (; lx->at < lx->end; lx->at++) {
		if (*lx->at == '\n') {
			lx->nl = true;
			lx->line++;
			lx->line_start = lx->at + 1;
		} else if (*lx->at == ';') {
			const char *nl = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));

			lx->at = (nl ? nl : lx->end) - 1;
		} else if (*lx->at != ' ' && *lx->at != '\t' && *lx->at != '\r') {
			break;
		}
	}
}

/* Reads one or more decimal digits into t.lo. */
static void lex_decimal(struct lexer *lx)
{
	uint64_t v = 0;

	if (lx->at == lx->end || !is_digit(*lx->at)) {
		lex_fail(lx, "a number is missing here");
		return;
	}
	for (; lx->at < lx->end && is_digit(*lx->at); lx->at++)
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (uint64_t)(*lx->at - '0'), &v)) {
			lex_fail(lx, "number too large (write it in hexadecimal)");
			return;
		}
	lx->t.lo = v;
}

static void lex_int(struct lexer *lx)
{
	int d, digits = 0;

	lx->t.kind = TOK_INT;
	lx->t.neg = *lx->at == '-';
	lx->at += lx->t.neg;
	if (lx->end - lx->at < 2 || lx->at[0] != '0' || lx->at[1] != 'x') {
		lex_decimal(lx);
		return;
	}
	for (lx->at += 2; lx->at < lx->end && (d = hex_digit(*lx->at)) >= 0; lx->at++, digits++) {
		if (lx->t.hi >> 60) {
			lex_fail(lx, "number past 128 bits");
			return;
		}
		lx->t.hi = lx->t.hi << 4 | lx->t.lo >> 60;
		lx->t.lo = lx->t.lo << 4 | (uint64_t)d;
	}
	if (!digits || lx->t.neg)
		lex_fail(lx, "malformed hexadecimal number");
}

/* Reads a string after its opening quote into t.s and t.n; one without escapes is not copied. */
static void lex_quoted(struct lexer *lx)
{
	const char *start = lx->at;
	int hi, lo;

	while (lx->at < lx->end && *lx->at != '"' && *lx->at != '\\' && *lx->at != '\n')
		lx->at++;
	lx->t.s = start;
	lx->t.n = (size_t)(lx->at - start);
	if (lx->at < lx->end && *lx->at == '\\') {
		strbuf_clear(&lx->bytes);
		strbuf_add(&lx->bytes, start, lx->t.n);
		while (lx->at < lx->end && *lx->at != '"' && *lx->at != '\n') {
			if (*lx->at != '\\') {
				strbuf_addc(&lx->bytes, *lx->at++);
				continue;
			}
			if (lx->end - lx->at < 3 || (hi = hex_digit(lx->at[1])) < 0 ||
				(lo = hex_digit(lx->at[2])) < 0) {
				lex_fail(lx, "'\\' must be followed by two hexadecimal digits");
				return;
			}
			strbuf_addc(&lx->bytes, (char)(hi << 4 | lo));
			lx->at += 3;
		}
		lx->t.s = lx->bytes.s;
		lx->t.n = lx->bytes.n;
	}
	if (lx->at == lx->end || *lx->at != '"')
		lex_fail(lx, "string without an end");
	else
		lx->at++;
}

static void lex_hex(struct lexer *lx)
{
	int hi, lo;

	lx->t.kind = TOK_HEX;
	strbuf_clear(&lx->bytes);
	for (; lx->end - lx->at >= 2 && (hi = hex_digit(lx->at[0])) >= 0 &&
		(lo = hex_digit(lx->at[1])) >= 0;
		lx->at += 2)
		strbuf_addc(&lx->bytes, (char)(hi << 4 | lo));
	lx->t.s = lx->bytes.s;
	lx->t.n = lx->bytes.n;
	if (lx->at == lx->end || *lx->at != '"')
		lex_fail(lx, "malformed bytes");
	else
		lx->at++;
}

/* Names are stored as C strings, so that a NUL inside is an error. */
static void lex_quoted_name(struct lexer *lx)
{
	lx->at++;
	lex_quoted(lx);
	if (lx->t.n && memchr(lx->t.s, 0, lx->t.n))
		lex_fail(lx, "a name cannot contain a NUL byte");
}

static void lex_reg(struct lexer *lx)
{
	lx->t.kind = TOK_REG;
	lx->at++;
	if (lx->at < lx->end && *lx->at == '"') {
		lex_quoted_name(lx);
	} else {
		lx->t.s = lx->at;
		while (lx->at < lx->end && (is_alpha(*lx->at) || is_digit(*lx->at)))
			lx->at++;
		lx->t.n = (size_t)(lx->at - lx->t.s);
		if (lx->at == lx->end || *lx->at != '.') {
			lx->at = lx->t.s + (lx->t.n && *lx->t.s == 'r');
			lx->t.n = 0;
			if (lx->at == lx->t.s)
				lex_fail(lx, "malformed register (write '%%r7' or '%%name.7')");
			else
				lex_decimal(lx);
			return;
		}
	}
	if (lx->at < lx->end && *lx->at == '.') {
		lx->at++;
		lex_decimal(lx);
	} else {
		lex_fail(lx, "malformed register (write '%%r7' or '%%name.7')");
	}
}

static void lex_sym(struct lexer *lx)
{
	uint64_t twin = 1;

	lx->t.kind = TOK_SYM;
	lx->at++;
	if (lx->at < lx->end && *lx->at == '"') {
		lex_quoted_name(lx);
	} else {
		lx->t.s = lx->at;
		while (lx->at < lx->end && is_name(*lx->at))
			lx->at++;
		lx->t.n = (size_t)(lx->at - lx->t.s);
		if (!lx->t.n)
			lex_fail(lx, "a name is missing after '@'");
	}
	if (lx->at < lx->end && *lx->at == '#') {
		lx->at++;
		lex_decimal(lx);
		twin = lx->t.lo;
	}
	/* no space is allowed before an addend: '@x + 8' is a sum of two operands */
	if (lx->end - lx->at > 1 && (*lx->at == '+' || *lx->at == '-') && is_digit(lx->at[1])) {
		lx->t.neg = *lx->at++ == '-';
		lex_decimal(lx);
		lx->t.hi = lx->t.lo;
	}
	lx->t.lo = twin;
}

static void lex_word(struct lexer *lx)
{
	lx->t.kind = TOK_WORD;
	lx->t.s = lx->at;
	while (lx->at < lx->end && is_name(*lx->at))
		lx->at++;
	lx->t.n = (size_t)(lx->at - lx->t.s);
	if (lx->t.n == 1 && *lx->t.s == 'x' && lx->at < lx->end && *lx->at == '"') {
		lx->at++;
		lex_hex(lx);
	}
}

void lex_next(struct lexer *lx)
{
	size_t left;
	char c;

	skip_space(lx);
	left = (size_t)(lx->end - lx->at);
	lx->t = (struct token){.nl = lx->nl || !left, .line = lx->line,
		.col = (uint32_t)(lx->at - lx->line_start) + 1};
	lx->nl = false;
	if (!left)
		return;
	c = *lx->at;
	if (is_alpha(c) || (c == '.' && left > 1 && is_alpha(lx->at[1]))) {
		lex_word(lx);
	} else if (is_digit(c) || (c == '-' && left > 1 && is_digit(lx->at[1]))) {
		lex_int(lx);
	} else if (c == '%') {
		lex_reg(lx);
	} else if (c == '@') {
		lex_sym(lx);
	} else if (c == '"') {
		lx->t.kind = TOK_STR;
		lx->at++;
		lex_quoted(lx);
	} else if (c == '!' || c == '$') {
		lx->t.kind = c == '!' ? TOK_POS : TOK_DTYPE;
		lx->at++;
		lex_decimal(lx);
	} else if (left > 1 && c == '-' && lx->at[1] == '>') {
		lx->t.kind = TOK_ARROW;
		lx->at += 2;
	} else if (left > 2 && !memcmp(lx->at, "...", 3)) {
		lx->t.kind = TOK_ELLIPSIS;
		lx->at += 3;
	} else if (c && strchr("()[]{}:,=+-*", c)) {
		lx->t.kind = c;
		lx->at++;
	} else {
		lex_fail(lx, "unexpected byte 0x%02x", (unsigned char)c);
	}
}

void lex_init(struct lexer *lx, const char *name, const char *text, size_t n)
{
	*lx = (struct lexer){.name = name, .at = text, .end = text + n, .line_start = text,
		.line = 1, .nl = true};
	lex_next(lx);
}

void lex_release(struct lexer *lx)
{
	strbuf_release(&lx->bytes);
}
