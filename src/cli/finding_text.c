#include "cli/finding_text.h"

#include "base/base.h"
#include "base/print.h"
#include "base/utf8.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { MIN_WIDTH = 40, MAX_WIDTH = 160, DEFAULT_WIDTH = 100, MAX_REPORTS = 5 };

static bool is_set(const char *variable)
{
	const char *s = getenv(variable);

	return s && *s;
}

static uint32_t get_width(void)
{
	const char *set = getenv("COLUMNS");
	unsigned long columns = set ? strtoul(set, NULL, 10) : 0;
	struct winsize ws;

	if (!columns && isatty(1) && !ioctl(1, TIOCGWINSZ, &ws))
		columns = ws.ws_col;
	if (!columns)
		return DEFAULT_WIDTH;
	return (uint32_t)MIN(MAX(columns, MIN_WIDTH + 0ul), MAX_WIDTH + 0ul);
}

struct report_style finding_text_style(bool full)
{
	return (struct report_style){
		.color = isatty(1) && !is_set("NO_COLOR"), .width = get_width(), .full = full};
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Appends the place of the finding, unless its title has it. */
static void add_place(const struct finding *f, const char *before, struct strbuf *out)
{
	struct finding_place at = report_place(f);
	struct strbuf b = {0};

	finding_add_place(&at, false, &b);
	if (b.n && !(f->title && strstr(f->title, b.s)))
		strbuf_addf(out, "%s%s", before, b.s);
	strbuf_release(&b);
}

static void add_line(const struct finding *f, const char *indent, const char *words, uint32_t width,
	struct strbuf *out)
{
	struct strbuf line = {0};

	strbuf_addf(&line, "%s%-4s %s%s", indent, f->name, words,
		f->title ? f->title : fault_words[f->kind].title);
	add_place(f, ", ", &line);
	if (f->status != FINDING_CONFIRMED)
		strbuf_addf(&line, " (%s)", finding_status_text(f));
	if (utf8_columns(line.s, line.n) > width) {
		strbuf_add(out, line.s, utf8_fit(line.s, line.n, width - 3));
		strbuf_adds(out, "...\n");
	} else {
		strbuf_addf(out, "%s\n", line.s);
	}
	strbuf_release(&line);
}

/* A copy of the list, sorted; free it. */
static struct finding **sort_findings(struct finding *const *found, uint32_t n)
{
	struct finding **sorted = xcalloc(n + 1, sizeof *sorted);

	if (n)
		memcpy(sorted, found, n * sizeof *sorted);
	report_rank(sorted, n);
	return sorted;
}

/* The first finding of the list that f leads to; NULL. */
static const struct finding *find_result(
	const struct finding *f, struct finding *const *all, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (report_leads_to(f, all[i]))
			return all[i];
	return NULL;
}

void finding_text_list(struct finding *const *found, uint32_t n, uint32_t width, struct strbuf *out)
{
	struct finding **sorted = sort_findings(found, n);

	for (uint32_t i = 0; i < n; i++) {
		if (find_result(sorted[i], sorted, n))
			continue;
		add_line(sorted[i], "  ", "", width, out);
		for (uint32_t k = 0; k < n; k++)
			if (find_result(sorted[k], sorted, n) == sorted[i])
				add_line(sorted[k], "       ", "same cause: ", width, out);
	}
	free(sorted);
}

void finding_text_announce(const struct finding *f)
{
	struct strbuf b = {0};

	add_place(f, " at ", &b);
	print_clean(stdout, "found: %s %s%s (%s)\n", f->name,
		f->title ? f->title : fault_words[f->kind].title, b.s ? b.s : "",
		finding_status_text(f));
	fflush(stdout);
	strbuf_release(&b);
}

/* ---- reports -------------------------------------------------------------------------------- */

static void add_related(
	const struct finding *f, struct finding *const *all, uint32_t n, struct strbuf *out)
{
	for (int up = 0; up < 2; up++) {
		const char *before = up ? "Other signs of the same cause: " : "Also seen as: ";

		for (uint32_t i = 0; i < n; i++)
			if (up ? report_leads_to(all[i], f) : report_leads_to(f, all[i])) {
				strbuf_addf(out, "%s%s%s %s", out->n && *before != ',' ? "\n" : "",
					before, all[i]->name, all[i]->title);
				before = ", ";
			}
	}
}

void finding_text_report(const struct finding *f, struct finding *const *all, uint32_t n, bool full)
{
	struct report_style st = finding_text_style(full);
	struct strbuf b = {0}, related = {0};

	add_related(f, all, n, &related);
	st.related = related.s;
	report_text(f, &st, &b);
	fwrite(b.s, 1, b.n, stdout);
	fflush(stdout);
	strbuf_release(&b);
	strbuf_release(&related);
}

void finding_text_reports(struct finding *const *found, uint32_t n, bool full)
{
	struct finding **sorted = sort_findings(found, n);
	uint32_t shown = full ? n : MIN(n, (uint32_t)MAX_REPORTS);

	for (uint32_t i = 0; i < shown; i++)
		finding_text_report(sorted[i], sorted, n, full);
	if (shown < n)
		print_clean(stdout, "%u more: heddle show%s%s, or heddle report -o report.html\n",
			n - shown, sorted[shown]->name[0] ? " " : "", sorted[shown]->name);
	free(sorted);
}
