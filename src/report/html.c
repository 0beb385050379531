/*
 * The findings as one page for a browser. The page (html/page.html) has the style, the program and
 * the findings as JSON in it, and loads nothing. Its content security policy allows the style and the
 * program of this file, by their hashes, and nothing else: text of a program under test that would
 * get out of the JSON would not be executed.
 */
#include "base/base.h"
#include "base/sha256.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "config.h"
#include "finding/json.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

extern const char heddle_page_html[], heddle_page_css[], heddle_page_js[]; /* page.S */

/* ---- the data ------------------------------------------------------------------------------- */

static void put_gaps(struct json *j, const struct verdict *v)
{
	struct strbuf line = {0};

	verdict_headline(v, &line);
	json_str(j, "headline", line.s);
	json_array(j, "gaps");
	vec_each (&v->claims, i) {
		const struct claim *c = &v->claims.at[i];

		for (uint32_t g = 0; verdict_is_missed(v, c) && g < c->gaps.n; g++)
			json_str(j, NULL, c->gaps.at[g]);
	}
	json_end(j);
	strbuf_release(&line);
}

static void put_related(
	struct json *j, const char *key, const struct report *r, uint32_t i, bool up)
{
	const struct finding *f = r->findings[i];

	json_array(j, key);
	for (uint32_t k = 0; k < r->n; k++)
		if (up ? report_leads_to(r->findings[k], f) : report_leads_to(f, r->findings[k]))
			json_u64(j, NULL, k);
	json_end(j);
}

static void put_finding(struct json *j, const struct report *r, uint32_t i)
{
	static const char *const words[] = {
		[HARM_MEMORY] = "crash or corruption",
		[HARM_FAILURE] = "failure",
		[HARM_STUCK] = "does not end",
		[HARM_MISUSE] = "misuse",
		[HARM_RACE] = "data race",
		[HARM_ORDER] = "atomicity",
		[HARM_NONE] = "depends on the schedule",
	};
	const struct finding *f = r->findings[i];
	struct finding_place at = report_place(f);
	struct strbuf b = {0};

	json_object(j, NULL);
	json_str(j, "harm", words[report_harm(f)]);
	json_bool(j, "seen", f->status == FINDING_CONFIRMED || f->status == FINDING_OBSERVED);
	json_str(j, "status", finding_status_text(f));
	finding_add_place(&at, false, &b);
	json_str(j, "place", b.s ? b.s : "");
	put_related(j, "leads_to", r, i, false);
	put_related(j, "caused_by", r, i, true);
	strbuf_clear(&b);
	finding_to_json(f, &b);
	json_raw(j, "finding", b.s);
	json_end(j);
	strbuf_release(&b);
}

static void add_data(const struct report *r, struct strbuf *out)
{
	struct strbuf b = {0};
	struct json j = {.out = &b};

	json_object(&j, NULL);
	json_str(&j, "version", HEDDLE_VERSION);
	if (r->verdict)
		put_gaps(&j, r->verdict);
	json_array(&j, "findings");
	for (uint32_t i = 0; i < r->n; i++)
		put_finding(&j, r, i);
	json_end(&j);
	json_end(&j);
	for (size_t i = 0; i < b.n; i++) /* '<' occurs in strings only */
		if (b.s[i] == '<')
			strbuf_adds(out, "\\u003c");
		else
			strbuf_addc(out, b.s[i]);
	strbuf_release(&b);
}

/* ---- the policy ----------------------------------------------------------------------------- */

/* Appends 'sha256-…' in base64, as a policy names an inline element. */
static void add_hash(struct strbuf *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t bytes[SHA256_SIZE + 1] = {0}; /* a multiple of 3 */
	char hex[SHA256_HEX];
	struct sha256 h;
	unsigned byte;

	sha256_init(&h);
	sha256_add(&h, text, strlen(text));
	sha256_end(&h, hex);
	for (uint32_t i = 0; i < SHA256_SIZE; i++) {
		sscanf(hex + 2 * i, "%2x", &byte);
		bytes[i] = (uint8_t)byte;
	}
	strbuf_adds(out, "'sha256-");
	for (uint32_t i = 0; i < sizeof bytes; i += 3) {
		uint32_t v = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];

		for (int k = 3; k >= 0; k--)
			strbuf_addc(out, digits[v >> 6 * k & 63]);
	}
	out->s[out->n - 1] = '='; /* the added byte */
	strbuf_addc(out, '\'');
}

static void add_policy(struct strbuf *out)
{
	strbuf_adds(out, "default-src 'none'; style-src ");
	add_hash(out, heddle_page_css);
	strbuf_adds(out, "; script-src ");
	add_hash(out, heddle_page_js);
	strbuf_adds(out, "; base-uri 'none'; form-action 'none'");
}

/* ---- the page ------------------------------------------------------------------------------- */

static void add_part(const char *name, size_t n, const struct report *r, struct strbuf *out)
{
	if (!strncmp(name, "policy", n))
		add_policy(out);
	else if (!strncmp(name, "style", n))
		strbuf_adds(out, heddle_page_css);
	else if (!strncmp(name, "script", n))
		strbuf_adds(out, heddle_page_js);
	else if (!strncmp(name, "data", n))
		add_data(r, out);
	else
		BUG("page.html has an unknown part '%.*s'", (int)n, name);
}

void report_html(const struct report *r, struct strbuf *out)
{
	const char *at = heddle_page_html, *open, *close;

	while ((open = strstr(at, "{{")) && (close = strstr(open, "}}"))) {
		strbuf_add(out, at, (size_t)(open - at));
		add_part(open + 2, (size_t)(close - open - 2), r, out);
		at = close + 2;
	}
	strbuf_adds(out, at);
}
