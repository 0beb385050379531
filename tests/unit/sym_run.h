/*
 * Programs of a few lines with symbolic input, every path of them, for tests of what runs symbolically.
 * A fork is executed from the start again with one more decision taken beforehand: slow, and without
 * any of the machinery that saves states.
 */
#ifndef HEDDLE_TESTS_SYM_RUN_H
#define HEDDLE_TESTS_SYM_RUN_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "symbolic/sym.h"
#include "world/world.h"

struct ir_program *sym_compile(const char *source);

/* A run with the outside inside the machine and nothing symbolic; its output into `out`. input may be
 * NULL. prepare may be. Returns how it ended. */
enum exec_fate sym_run_known(const struct ir_program *p, const char *input, uint64_t n,
	void (*prepare)(void *ctx, struct machine *m), void *ctx, struct strbuf *out,
	int *status);

struct sym_path {
	VEC(term_t) path;      /* its condition */
	enum exec_fate fate;
	int status;
	term_t status_term;    /* or TERM_NONE */
	char *kind;            /* or NULL */
	char *report;
	struct vec_u32 output; /* of descriptor 1 */
	bool incomplete;
	uint64_t instructions;
};
struct sym_paths {
	struct terms *ts;
	struct ask *ask;
	VEC(struct sym_path) at;
	bool more;             /* the limit was reached */
	uint32_t incompletes;
	struct strbuf why;     /* reasons of incompletes */
};

/* All paths, up to a limit. prepare is called in each new machine, which has an empty world. */
void sym_run(struct sym_paths *all, const struct ir_program *p,
	void (*prepare)(void *ctx, struct machine *m), void *ctx, uint32_t limit);
void sym_paths_release(struct sym_paths *all);
/* The path that an assignment is on: there must be exactly one; UINT32_MAX if none, or several. */
uint32_t sym_path_of(struct sym_paths *all, struct term_assign *as);

#endif
