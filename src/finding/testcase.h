/*
 * A test case: one path of an exploration as a file that `heddle test` runs: the program, concrete
 * inputs, the schedule, and the expected outcome. The format is JSON (docs/testcase.md); errors of
 * reading name the place. Exploration writes one file at the end of each path, named by number and
 * kind.
 *
 * The schedule is that of the machine: choices of threads, each with the number of the call of
 * exec_options.pick that it answers. explore_default_pick() answers all other calls. `heddle test`
 * first executes the test case on the machine (the rehearsal), which gives the scheduling points
 * for the enforcing runtime (src/replay), then runs the real program.
 */
#ifndef HEDDLE_FINDING_TESTCASE_H
#define HEDDLE_FINDING_TESTCASE_H

#include "base/bitset.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "log/faults.h"

struct json_t; /* jansson.h */

struct testcase_input {
	char *name;     /* "stdin", "file:PATH", "env:NAME", "object:x#1" (the first object that
			   heddle_input() calls x), "syscall:NAME#1" */
	uint8_t *bytes; /* not NULL, though n may be 0 */
	uint64_t n;
};

struct testcase_choice {
	uint32_t thread;
	uint64_t picks; /* number of calls of exec_options.pick before this one */
};

struct testcase {
	char *program;     /* path of the executable */
	uint64_t identity; /* hash of its bitcode; 0: not known */
	char *cwd;         /* working directory; NULL: that of heddle */
	char *from; /* places at which the path starts (heddle explore --from); NULL: main. Such a
		       path cannot be run: the real program cannot be started there */
	char *initial; /* with `from`: values of the initial state, one on each line; NULL: none */
	VEC(char *) argv;                  /* complete, with argv[0] */
	VEC(struct testcase_input) inputs; /* all other inputs */
	VEC(struct testcase_choice) switches;
	uint64_t picks;     /* calls of exec_options.pick until the end of the path; a data race is
			       found at the call of that number */
	bool spurious;      /* waits on condition variables may end without a signal */
	bool switch_access; /* context switches also at shared accesses (EXEC_SWITCH_ACCESS) */
	struct bitset lent; /* parts of stacks that other threads access (exec_options.lent) */
	/* the outcome */
	enum exec_fate fate;
	int status;          /* of EXEC_EXITED: exit status */
	enum fault fault;    /* of EXEC_FAULT and EXEC_DEADLOCK */
	enum exec_stop stop; /* of EXEC_STOPPED; STOP_NONE: not known */
	char *file;          /* the place of a fault, or NULL */
	uint32_t line;
	char *report;    /* the machine's report, for the user */
	char *output;    /* bytes written to descriptor 1 */
	int64_t noutput; /* number of these bytes; -1: not known */
	bool incomplete; /* the path depends on assumptions: a run may have another outcome */
};

extern const char *const testcase_fates[EXEC_STOPPED + 1]; /* words */

void testcase_release(struct testcase *tc);
/* The word of its fault or stop; NULL: none. */
const char *testcase_kind(const struct testcase *tc);
/* Writes the file; -1 after error_(), and then there is no file. */
int testcase_write(const struct testcase *tc, const char *path);
/* Initializes *tc from the file; -1 after error_(), and then there is nothing to release. */
int testcase_read(struct testcase *tc, const char *path);
void testcase_to_json(const struct testcase *tc, struct strbuf *out);
int testcase_from_json(struct testcase *tc, const char *text, size_t n, const char *from);

/* Prints a line for each argument and each other input, without an empty standard input, which is the
 * default. */
void testcase_print_inputs(const struct testcase *tc, struct strbuf *out);
/* The set as pairs of numbers: the first member of a range, the length of the range. */
struct json_t *testcase_put_lent(const struct bitset *lent);
/* False: the value is not such a list. */
bool testcase_get_lent(const struct json_t *o, struct bitset *lent);

/* A copy on the heap, testcase_free(). */
struct testcase *testcase_copy(const struct testcase *tc);
void testcase_free(struct testcase *tc); /* NULL is allowed */

/* Splits the name of an input: "object:x#2" has the kind "object", the name "x" of length *n, and
 * occurrence 2 (1 without "#"). False for a name of another kind or form. */
bool testcase_name(
	const char *name, const char *kind, const char **what, size_t *n, uint32_t *occurrence);

#endif
