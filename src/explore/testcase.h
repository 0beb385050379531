/*
 * A test case: what one path found, as a file that `heddle test` runs again: the program, concrete
 * inputs, the schedule, and what must come of it. JSON (docs/testcase.md); read back with checks that
 * name the place. Written when a path ends, one file each, named by kind and number.
 *
 * The schedule is the machine's: the choices of threads in the order in which they were made, each
 * counted in switch points (sym.h). `heddle test` executes the test on the machine first, concretely,
 * which gives the points of the enforcing runtime (src/trial), then natively.
 */
#ifndef HEDDLE_EXPLORE_TESTCASE_H
#define HEDDLE_EXPLORE_TESTCASE_H

#include "exec/sym.h"

struct testcase_input {
	char *name;          /* "argv[1]", "stdin", "file:PATH", "env:NAME", "object:x#1" */
	uint8_t *bytes;
	uint64_t n;
};

struct testcase {
	char *program;       /* path of the executable, and what identifies it: its build's content hash */
	uint64_t identity;
	VEC(char *) argv;    /* complete, [0] included */
	VEC(struct testcase_input) inputs; /* all others */
	VEC(struct sym_switch) switches;
	bool switch_access;  /* switch points are shared accesses too */
	/* what happens */
	enum exec_fate fate;
	int status;          /* of exit */
	char *kind;          /* of a fault: "assertion-failure", ...; or NULL */
	char *file;          /* the place of a fault, or NULL */
	uint32_t line;
	char *report;        /* for people */
	char *output;        /* bytes on descriptor 1, as far as known; noutput = -1: not known */
	int64_t noutput;
	bool incomplete;     /* something on the path was assumed: the run may end otherwise */
};

void testcase_release(struct testcase *tc);
int testcase_write(const struct testcase *tc, const char *path);
int testcase_read(struct testcase *tc, const char *path);

#endif
