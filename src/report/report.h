/*
 * Findings in formats that other programs read. Each is a function from findings to bytes; it
 * reads and writes no file.
 *
 *	HTML       one page for a browser, without network             html.c, html/
 *	SARIF      2.1.0, for code hosts and editors                   sarif.c
 *	JUnit      for continuous integration servers                  junit.c
 *	Perfetto   the steps of one finding, for ui.perfetto.dev       perfetto.c
 *	Graphviz   the same as a drawing with a column for each thread dot.c
 *
 * docs/report.md describes what is in each.
 */
#ifndef HEDDLE_REPORT_REPORT_H
#define HEDDLE_REPORT_REPORT_H

#include "base/strbuf.h"
#include "finding/finding.h"
#include "finding/verdict.h"

struct report {
	struct finding *const *findings; /* in the order of report_rank() */
	uint32_t n;
	const struct verdict *verdict; /* of the analysis that found them; NULL: not known */
	const char *base;              /* absolute directory that file names are relative to */
	double seconds;                /* of the analysis; 0: not known */
};

void report_sarif(const struct report *r, struct strbuf *out);
void report_junit(const struct report *r, struct strbuf *out);
void report_html(const struct report *r, struct strbuf *out);
void report_perfetto(const struct finding *f, struct strbuf *out);
void report_dot(const struct finding *f, struct strbuf *out);

/* How bad a fault is for the program that has it; the worst has number 0. */
enum harm {
	HARM_MEMORY,  /* a crash, or memory that is corrupted */
	HARM_FAILURE, /* an assertion or a call of abort */
	HARM_STUCK,   /* the program does not end */
	HARM_MISUSE,  /* what follows is undefined */
	HARM_RACE,    /* a data race */
	HARM_ORDER,   /* an atomicity violation */
	HARM_NONE,    /* a decision that depends on the schedule */
};
enum harm report_harm(const struct finding *f);
/* Sorts: seen on the real program first, then by harm, then by number. */
void report_rank(struct finding **f, uint32_t n);
/* The harmful finding `of` shows what the race, atomicity violation or branch f leads to: every key
 * event of f is a step of it, by place and data. */
bool report_leads_to(const struct finding *f, const struct finding *of);

/* Where the finding is: the key event that its summary names; of a finding of `heddle explore`, the fault. Without a
 * file if that is not known. The strings are those of the finding. */
struct finding_place report_place(const struct finding *f);

#endif
