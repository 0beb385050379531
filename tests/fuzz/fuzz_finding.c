/* A finding from JSON: an error with words, or one whose JSON is read again and whose reports can be
 * made. */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "finding/finding.h"
#include "report/report.h"

#include <string.h>

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

/* Every format can be made of it, and no format lets markup of the finding through. */
static void write_formats(struct finding *f)
{
	struct report r = {.findings = &f, .n = 1, .base = "/"};
	struct strbuf b = {0};
	const char *data;

	report_sarif(&r, &b);
	report_junit(&r, &b);
	report_perfetto(f, &b);
	report_dot(f, &b);
	strbuf_clear(&b);
	report_html(&r, &b);
	data = strstr(b.s, "id=\"data\">");
	BUG_ON(!data || strncmp(strchr(data, '<'), "</script>\n<script>", 18) != 0);
	strbuf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct strbuf a = {0}, b = {0};
	struct finding *f, *g;

	diag_set_sink(ignore, NULL);
	f = finding_from_json((const char *)data, n, "input");
	if (!f)
		return 0;
	finding_to_json(f, &a);
	g = finding_from_json(a.s, a.n, "output");
	BUG_ON(!g);
	finding_to_json(g, &b);
	BUG_ON(strcmp(a.s, b.s));
	for (uint32_t width = 0; width < 160; width += 39) {
		strbuf_clear(&b);
		report_text(f,
			&(struct report_style){
				.color = width % 2, .width = width, .full = width > 100},
			&b);
		BUG_ON(!strstr(b.s, "SUMMARY: heddle: "));
	}
	write_formats(f);
	strbuf_release(&a);
	strbuf_release(&b);
	finding_free(f);
	finding_free(g);
	return 0;
}
