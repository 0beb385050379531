/*
 * The program written back as LLVM bitcode: the other direction of src/import. The result is a
 * module that LLVM verifies, that links with the libraries of the original program, and that does
 * what it did. Positions in the source are kept as debug locations.
 *
 *  - models are not exported: what they define is declared, so a call of a library function stays
 *    one
 *  - signatures, attributes, sections and the constraints of assembler come from what the import
 *    kept (ir/abi.h, struct ir_note)
 *  - what the IR leaves defined and C does not (a shift by more than the width, an overflow with
 *    nsw), is undefined again
 *
 * An instruction or symbol that the IR does not express exactly (`unsupported`, `inexact`, an
 * ifunc) is error_at() with its place.
 */
#ifndef HEDDLE_EXPORT_EXPORT_H
#define HEDDLE_EXPORT_EXPORT_H

#include "base/strbuf.h"
#include "ir/ir.h"

/* Appends the bitcode of a valid program to *out; -1 after error_() or error_at(), *out is then
 * unchanged. `name` is the name of the module and of the source file in its debug information. */
int export_bitcode(const struct ir_program *p, const char *name, struct strbuf *out);

#endif
