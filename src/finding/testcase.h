/*
 * A test case: what one path found, as a file that `heddle test` runs again: the program, concrete
 * inputs, the schedule, and what must come of it. JSON (docs/testcase.md); read back with checks
 * that name the place. Written when a path ends, one file each, named by kind and number.
 *
 * The schedule is the machine's: choices of threads, by the number of the call of exec_options.pick
 * that each answers. Calls that are not listed are answered by explore_default_pick(). `heddle test`
 * executes the test on the machine first, concretely, which gives the points of the enforcing
 * runtime (src/replay), then natively.
 */
#ifndef HEDDLE_FINDING_TESTCASE_H
#define HEDDLE_FINDING_TESTCASE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "log/faults.h"

struct testcase_input {
	char *name;     /* "stdin", "file:PATH", "env:NAME", "object:x#1" (the first object that
			   heddle_input() calls x), "syscall:NAME#1" */
	uint8_t *bytes; /* not NULL, though n may be 0 */
	uint64_t n;
};

struct testcase_choice {
	uint32_t thread;
	uint64_t picks; /* choices that the machine had asked for before (exec_options.pick) */
};

struct testcase {
	char *program; /* path of the executable, and what identifies it: its build's content hash
			*/
	uint64_t identity;                 /* 0: not known */
	char *cwd;                         /* where it is run; NULL: where heddle is */
	char *from; /* the places it starts from (heddle explore --from); NULL: main. Such a path is no
		       test: nobody can bring a program there */
	char *initial; /* then: values of the initial state that the path needs, a line each; or NULL */
	VEC(char *) argv;                  /* complete, [0] included */
	VEC(struct testcase_input) inputs; /* all others */
	VEC(struct testcase_choice) switches;
	uint64_t picks; /* choices that had been asked for when it ended; a data race lies before
			   the choice of that number */
	bool switch_access; /* switch points are shared accesses too */
	/* what happens */
	enum exec_fate fate;
	int status; /* of exit */
	enum fault fault;    /* of EXEC_FAULT and EXEC_DEADLOCK */
	enum exec_stop stop; /* of EXEC_STOPPED; STOP_NONE: not known */
	char *file; /* the place of a fault, or NULL */
	uint32_t line;
	char *report; /* for people */
	char *output; /* bytes on descriptor 1, as far as known; noutput = -1: not known */
	int64_t noutput;
	bool incomplete; /* something on the path was assumed: the run may end otherwise */
};

extern const char *const testcase_fates[EXEC_STOPPED + 1]; /* words */

void testcase_release(struct testcase *tc);
/* The word of its fault or stop; NULL if there is none. */
const char *testcase_kind(const struct testcase *tc);
/* A whole file, or -1 after error_() and none. */
int testcase_write(const struct testcase *tc, const char *path);
/* *tc is made anew; after -1 there is nothing to release. */
int testcase_read(struct testcase *tc, const char *path);
void testcase_to_json(const struct testcase *tc, struct strbuf *out);
int testcase_from_json(struct testcase *tc, const char *text, size_t n, const char *from);

/* A copy on the heap, testcase_free(). */
struct testcase *testcase_copy(const struct testcase *tc);
void testcase_free(struct testcase *tc); /* NULL is allowed */

/* "object:x#2": the kind is "object", its name "x" of length *n, occurrence 2 (1 where none is
 * written). False for a name of another form. */
bool testcase_name(
	const char *name, const char *kind, const char **what, size_t *n, uint32_t *occurrence);

#endif
