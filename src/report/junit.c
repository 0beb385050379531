#include "report/junit.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "report/report.h"

/* Escapes the text for XML; a byte that XML does not allow becomes '.'. */
static void add_text(struct strbuf *b, const char *s, bool attribute)
{
	while (s && *s) {
		uint32_t n = utf8_length(s);

		switch (*s) {
		case '&': strbuf_adds(b, "&amp;"); break;
		case '<': strbuf_adds(b, "&lt;"); break;
		case '>': strbuf_adds(b, "&gt;"); break;
		case '"': strbuf_adds(b, "&quot;"); break;
		case '\n': strbuf_adds(b, attribute ? "&#10;" : "\n"); break;
		default:
			if (!n || (unsigned char)*s < 0x20)
				strbuf_addc(b, '.');
			else
				strbuf_add(b, s, n);
		}
		s += n ? n : 1;
	}
}

static const char *count_result(struct junit *j, enum junit_result r)
{
	switch (r) {
	case JUNIT_PASSED: break;
	case JUNIT_FAILURE: j->failures++; return "failure";
	case JUNIT_SKIPPED: j->skipped++; return "skipped";
	case JUNIT_ERROR: j->errors++; return "error";
	}
	return NULL;
}

void junit_add(struct junit *j, const struct junit_case *c)
{
	const char *element = count_result(j, c->result);
	struct strbuf *b = &j->cases;

	j->tests++;
	j->seconds += c->seconds;
	strbuf_adds(b, "  <testcase classname=\"");
	add_text(b, c->group, true);
	strbuf_adds(b, "\" name=\"");
	add_text(b, c->name, true);
	strbuf_addf(b, "\" time=\"%.3f\">", c->seconds);
	if (element) {
		strbuf_addf(b, "<%s message=\"", element);
		add_text(b, c->message, true);
		strbuf_adds(b, "\">");
		add_text(b, c->text, false);
		strbuf_addf(b, "</%s>", element);
	}
	if (c->out && *c->out) {
		strbuf_adds(b, "<system-out>");
		add_text(b, c->out, false);
		strbuf_adds(b, "</system-out>");
	}
	strbuf_adds(b, "</testcase>\n");
}

void junit_document(const struct junit *j, const char *suite, struct strbuf *out)
{
	strbuf_adds(
		out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites><testsuite name=\"");
	add_text(out, suite, true);
	strbuf_addf(out,
		"\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.3f\">\n%s"
		"</testsuite></testsuites>\n",
		j->tests, j->failures, j->errors, j->skipped, j->seconds,
		j->cases.s ? j->cases.s : "");
}

void junit_release(struct junit *j)
{
	strbuf_release(&j->cases);
}

/* ---- findings ------------------------------------------------------------------------------- */

static bool is_failure(const struct finding *f)
{
	if (f->kind == FAULT_BRANCH && f->flip.class_ != FLIP_BUG)
		return false;
	return f->status == FINDING_CONFIRMED || f->status == FINDING_OBSERVED;
}

static void add_finding(struct junit *j, const struct finding *f)
{
	struct report_style style = {.width = 100};
	struct strbuf name = {0}, group = {0}, text = {0}, message = {0};

	strbuf_addf(&group, "heddle.%s", fault_words[f->kind].word);
	strbuf_addf(
		&name, "%s%s%s", f->title, f->summary ? " at " : "", f->summary ? f->summary : "");
	strbuf_addf(&message, "%s%s%s", f->name, f->name[0] ? ": " : "", finding_status_text(f));
	report_text(f, &style, &text);
	junit_add(j, &(struct junit_case){.group = group.s,
			     .name = name.s,
			     .result = is_failure(f) ? JUNIT_FAILURE : JUNIT_SKIPPED,
			     .message = message.s,
			     .text = text.s});
	strbuf_release(&name);
	strbuf_release(&group);
	strbuf_release(&text);
	strbuf_release(&message);
}

/* One more case for the schedules that no finding is about: it is skipped if not all of them were
 * examined. */
static void add_verdict(struct junit *j, const struct report *r)
{
	struct strbuf line = {0}, gaps = {0};

	verdict_headline(r->verdict, &line);
	vec_each (&r->verdict->claims, i) {
		const struct claim *c = &r->verdict->claims.at[i];

		for (uint32_t g = 0; verdict_is_missed(r->verdict, c) && g < c->gaps.n; g++)
			strbuf_addf(&gaps, "%s\n", c->gaps.at[g]);
	}
	junit_add(j, &(struct junit_case){.group = "heddle",
			     .name = "every schedule was examined",
			     .seconds = r->seconds,
			     .result = gaps.n ? JUNIT_SKIPPED : JUNIT_PASSED,
			     .message = line.s,
			     .text = gaps.s});
	strbuf_release(&line);
	strbuf_release(&gaps);
}

void report_junit(const struct report *r, struct strbuf *out)
{
	struct junit j = {0};

	for (uint32_t i = 0; i < r->n; i++)
		add_finding(&j, r->findings[i]);
	if (r->verdict)
		add_verdict(&j, r);
	junit_document(&j, "heddle", out);
	junit_release(&j);
}
