/*
 * The textual form of the IR. It is complete (it includes debug information, names and positions),
 * so that print -> parse -> print gives the same bytes and a parsed program runs like the printed
 * one. docs/ir.md describes it.
 */
#ifndef HEDDLE_IR_TEXT_H
#define HEDDLE_IR_TEXT_H

#include "base/strbuf.h"
#include "ir/ir.h"

/* the whole program */
void ir_print(struct strbuf *out, const struct ir_program *p);
/* one function; if `readable`, with source positions as comments (that form is not for parsing) */
void ir_print_func(struct strbuf *out, const struct ir_program *p, uint32_t func, bool readable);
/* one instruction on one line, without newline */
void ir_print_insn(struct strbuf *out, const struct ir_program *p, const struct ir_func *f,
	const struct ir_insn *in);

/* A new, validated program, or NULL after error_at(name:line:col). The text may be any bytes. */
struct ir_program *ir_parse(const char *name, const char *text, size_t n);

#endif
