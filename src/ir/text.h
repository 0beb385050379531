/*
 * The textual form of the IR: complete (debug information, names and positions included), so that
 * print -> parse -> print gives the same bytes and a parsed program runs as the printed one did.
 * docs/ir.md describes it.
 */
#ifndef HEDDLE_IR_TEXT_H
#define HEDDLE_IR_TEXT_H

#include "base/strbuf.h"
#include "ir/ir.h"

/* the whole program */
void ir_print(struct strbuf *out, const struct ir_program *p);
/* one function, with source positions as comments when `readable` (then not meant for parsing) */
void ir_print_func(struct strbuf *out, const struct ir_program *p, uint32_t func, bool readable);
/* one instruction on one line, without newline */
void ir_print_insn(struct strbuf *out, const struct ir_program *p, const struct ir_func *f,
	const struct ir_insn *in);

/* A new program, validated, or NULL after error_at(name:line:col). Never crashes on any bytes. */
struct ir_program *ir_parse(const char *name, const char *text, size_t n);

#endif
