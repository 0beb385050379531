#include "replay/explored.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/testcase.h"
#include "replay/lines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_note(struct finding *f, const char *head, struct strbuf *text)
{
	if (text->n)
		vec_push(&f->notes,
			(struct finding_note){xstrdup(head), xstrndup(text->s, text->n)});
	strbuf_release(text);
}

static void note_inputs(struct finding *f, const struct testcase *tc)
{
	struct strbuf b = {0};

	testcase_print_inputs(tc, &b);
	add_note(f, "inputs", &b);
}

static void note_schedule(struct finding *f, const struct testcase *tc)
{
	enum { MOST = 12 };
	struct strbuf b = {0};

	if (!tc->switches.n)
		return;
	strbuf_adds(&b, "main thread");
	for (uint32_t i = 0; i < tc->switches.n && i < MOST; i++)
		if (tc->switches.at[i].thread)
			strbuf_addf(&b, ", T%u", tc->switches.at[i].thread);
		else
			strbuf_adds(&b, ", main thread");
	strbuf_adds(&b, tc->switches.n > MOST ? ", ..." : "");
	add_note(f, "schedule", &b);
}

/* Values of the initial state of `heddle explore --from`, in place of inputs. */
static void note_initial(struct finding *f, const struct testcase *tc)
{
	struct strbuf b = {0};

	if (!tc->from)
		return;
	strbuf_addf(&b, "It begins at %s, in a state that may not be reachable%s\n", tc->from,
		tc->initial && *tc->initial ? ":" : "");
	if (tc->initial)
		strbuf_adds(&b, tc->initial);
	add_note(f, "initial state", &b);
}

/* The machine's report, without its border, its headline and its summary. */
static void note_report(struct finding *f, const char *report)
{
	struct strbuf b = {0};

	while (report && *report) {
		size_t n = strcspn(report, "\n"), skip = strspn(report, " ");

		if (strncmp(report, "==", 2) && strncmp(report, "WARNING: ", 9) &&
			strncmp(report, "SUMMARY: ", 9)) {
			skip = MIN(skip, (size_t)2);
			strbuf_addf(&b, "%.*s\n", (int)(n - MIN(skip, n)), report + MIN(skip, n));
		}
		report += n + (report[n] == '\n');
	}
	add_note(f, "what happens", &b);
}

/* ---- the finding ----------------------------------------------------------------------------- */

/* A hash that is equal for failures that a user regards as the same: of the fault, the text of the
 * source line, and in a deadlock the innermost frame of each thread. */
static uint64_t fingerprint(const struct testcase *tc, const struct finding *f)
{
	struct lines lines = {.cwd = f->cwd, .exe = f->exe};
	const char *text = tc->file ? lines_get(&lines, tc->file, tc->line) : NULL;
	const char *at = tc->report ? tc->report : "";
	struct strbuf b = {0};
	uint64_t h;

	strbuf_addf(&b, "explore %s %s ", fault_words[f->kind].word, tc->from ? tc->from : "");
	if (text)
		strbuf_adds(&b, text);
	else
		strbuf_addf(&b, "%s:%u", tc->file ? tc->file : "", tc->line);
	for (; f->kind == FAULT_DEADLOCK && (at = strstr(at, "#0 ")); at += strcspn(at, "\n"))
		strbuf_addf(&b, " %.*s", (int)strcspn(at, "\n"), at);
	h = hash_bytes(b.s, b.n);
	strbuf_release(&b);
	lines_release(&lines);
	return h;
}

struct finding *finding_of_test(const struct testcase *tc)
{
	struct finding *f = finding_new();

	f->kind = tc->fate == EXEC_DEADLOCK ? FAULT_DEADLOCK
		  : tc->fate == EXEC_FAULT  ? tc->fault
					    : FAULT_NONE;
	f->status = FINDING_PREDICTED;
	f->exe = realpath(tc->program, NULL);
	if (!f->exe)
		f->exe = xstrdup(tc->program);
	f->cwd = tc->cwd ? xstrdup(tc->cwd) : getcwd(NULL, 0);
	f->bitcode = tc->identity;
	vec_each (&tc->argv, i)
		vec_push(&f->argv, xstrdup(tc->argv.at[i]));
	f->test = testcase_copy(tc);
	return f;
}

struct finding *explored_finding(const struct testcase *tc, const char *file)
{
	struct finding *f = finding_of_test(tc);
	struct strbuf b = {0};
	const char *slash;

	if (tc->file)
		strbuf_addf(&b, "%s:%u", tc->file, tc->line);
	slash = b.n ? strrchr(b.s, '/') : NULL;
	f->title = xasprintf("%s%s%s", fault_words[f->kind].title, b.n ? " at " : "",
		slash ? slash + 1 : b.n ? b.s : "");
	f->summary = b.n ? strbuf_detach(&b) : NULL;
	note_report(f, tc->report);
	note_initial(f, tc);
	if (!tc->from)
		note_inputs(f, tc);
	note_schedule(f, tc);
	if (tc->incomplete)
		strbuf_adds(&b, "The path has assumed values: the outcome of a run may differ\n");
	add_note(f, "assumption", &b);
	if (file && !tc->from)
		strbuf_addf(&b, "heddle test %s\n", file);
	add_note(f, "as a test", &b);
	f->fingerprint = fingerprint(tc, f);
	return f;
}

/* ---- its replay ------------------------------------------------------------------------------ */

static enum finding_status finding_status_of(enum test_verdict v)
{
	switch (v) {
	case TEST_SAME: return FINDING_CONFIRMED;
	case TEST_MACHINE_ONLY: return FINDING_MACHINE_ONLY;
	case TEST_DIVERGED: return FINDING_DIVERGED;
	case TEST_GONE:
	case TEST_DIFFERENT:
	case TEST_UNKNOWN: return FINDING_PREDICTED;
	case TEST_NVERDICTS: break;
	}
	BUG("verdict %d", v);
}

int explored_confirm(struct finding *f, struct test_program *tp, const struct test_options *opt)
{
	struct test_result r;
	int rc;

	if (test_run(f, tp, opt, &r))
		return -1;
	f->status = finding_status_of(r.verdict);
	f->hash = f->status == FINDING_CONFIRMED ? r.hash : 0;
	free(f->outcome);
	free(f->divergence);
	f->outcome = f->divergence = NULL;
	if (r.verdict == TEST_DIVERGED)
		f->divergence = xstrdup(r.what.s ? r.what.s : "");
	else
		f->outcome = xstrdup(r.what.s ? r.what.s : "");
	rc = (int)r.verdict;
	test_result_release(&r);
	return rc;
}
