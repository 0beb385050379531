/* Findings on the terminal: how wide and colourful it is, the list with one line for each finding,
 * and their reports. */
#ifndef HEDDLE_CLI_FINDING_TEXT_H
#define HEDDLE_CLI_FINDING_TEXT_H

#include "base/strbuf.h"
#include "finding/finding.h"

/* Colours: standard output is a terminal, and NO_COLOR is not set (no-color.org). Width: COLUMNS, or
 * that of the terminal, or 100. */
struct report_style finding_text_style(bool full);

/* Appends one line for each finding, by harm; a finding that leads to another one is below it. */
void finding_text_list(
	struct finding *const *found, uint32_t n, uint32_t width, struct strbuf *out);
/* Prints "found: …" for a finding, as soon as it is known. */
void finding_text_announce(const struct finding *f);
/* Prints the reports, in the order of the list: with `full` all, else the first few, and how to see
 * the others. */
void finding_text_reports(struct finding *const *found, uint32_t n, bool full);
/* Prints one report; `all` are the findings that it may name. */
void finding_text_report(
	const struct finding *f, struct finding *const *all, uint32_t n, bool full);

#endif
