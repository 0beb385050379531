/*
 * SARIF 2.1.0 (OASIS). A result for each finding, a rule for each fault. The steps of a finding are
 * two code flows: all threads in one, in the order of the witness, because viewers show the first
 * flow only; then one thread flow for each thread, with the same execution order.
 */
#include "base/base.h"
#include "base/vec.h"
#include "config.h"
#include "finding/json.h"
#include "log/faults.h"
#include "report/report.h"
#include "report/uri.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BASE_ID "SRCROOT"

struct sarif {
	const struct report *r;
	struct json j;
	uint32_t id; /* of the next location within its result; 0: it needs none */
};

static void put_text(struct sarif *s, const char *key, const char *text)
{
	json_object(&s->j, key);
	json_str(&s->j, "text", text);
	json_end(&s->j);
}

/* ---- rules ---------------------------------------------------------------------------------- */

/* "DataRace" for "data race" */
static void put_rule_name(struct sarif *s, const char *title)
{
	struct strbuf b = {0};
	bool up = true;

	for (; *title; title++) {
		if (isalnum((unsigned char)*title))
			strbuf_addc(&b, (char)(up ? toupper((unsigned char)*title) : *title));
		up = !isalnum((unsigned char)*title);
	}
	json_str(&s->j, "name", b.s);
	strbuf_release(&b);
}

static void put_rule(struct sarif *s, enum fault kind)
{
	json_object(&s->j, NULL);
	json_str(&s->j, "id", fault_words[kind].word);
	put_rule_name(s, fault_words[kind].title);
	put_text(s, "shortDescription", fault_words[kind].title);
	put_text(s, "fullDescription", fault_words[kind].about);
	json_object(&s->j, "defaultConfiguration");
	json_str(&s->j, "level", fault_words[kind].sign == SIGN_FLIP ? "note" : "error");
	json_end(&s->j);
	json_object(&s->j, "properties");
	json_array(&s->j, "tags");
	json_str(&s->j, NULL, "concurrency");
	json_end(&s->j);
	json_end(&s->j);
	json_end(&s->j);
}

static void put_tool(struct sarif *s)
{
	json_object(&s->j, "tool");
	json_object(&s->j, "driver");
	json_str(&s->j, "name", "heddle");
	json_str(&s->j, "version", HEDDLE_VERSION);
	json_str(&s->j, "semanticVersion", HEDDLE_VERSION);
	json_array(&s->j, "rules");
	for (uint32_t k = 0; k < NFAULTS; k++)
		put_rule(s, k);
	json_end(&s->j);
	json_end(&s->j);
	json_end(&s->j);
}

/* ---- the analysis --------------------------------------------------------------------------- */

/* What was not examined, so that no results do not mean no failures. */
static void put_gaps(struct sarif *s)
{
	json_array(&s->j, "toolExecutionNotifications");
	vec_each (&s->r->verdict->claims, i) {
		const struct claim *c = &s->r->verdict->claims.at[i];

		if (!verdict_is_missed(s->r->verdict, c))
			continue;
		vec_each (&c->gaps, g) {
			struct strbuf b = {0};

			strbuf_addf(&b, "not every %s was examined: %s", claim_scope_text(c->scope),
				c->gaps.at[g]);
			json_object(&s->j, NULL);
			json_str(&s->j, "level", "warning");
			put_text(s, "message", b.s);
			json_end(&s->j);
			strbuf_release(&b);
		}
	}
	json_end(&s->j);
}

static void put_invocation(struct sarif *s)
{
	json_array(&s->j, "invocations");
	json_object(&s->j, NULL);
	json_bool(&s->j, "executionSuccessful", true);
	if (s->r->verdict)
		put_gaps(s);
	json_end(&s->j);
	json_end(&s->j);
}

static void put_base(struct sarif *s)
{
	struct strbuf b = {0};

	uri_add_directory(&b, s->r->base);
	json_object(&s->j, "originalUriBaseIds");
	json_object(&s->j, BASE_ID);
	json_str(&s->j, "uri", b.s);
	json_end(&s->j);
	json_end(&s->j);
	strbuf_release(&b);
}

/* ---- places --------------------------------------------------------------------------------- */

static void put_physical(
	struct sarif *s, const struct finding *f, const struct finding_place *p, const char *source)
{
	struct strbuf b = {0};
	bool relative;

	if (!p->file)
		return;
	relative = uri_add_source(&b, s->r->base, f, p->file);
	json_object(&s->j, "physicalLocation");
	json_object(&s->j, "artifactLocation");
	json_str(&s->j, "uri", b.s);
	if (relative)
		json_str(&s->j, "uriBaseId", BASE_ID);
	json_end(&s->j);
	if (p->line) {
		json_object(&s->j, "region");
		json_u64(&s->j, "startLine", p->line);
		if (p->col)
			json_u64(&s->j, "startColumn", p->col);
		if (source)
			put_text(s, "snippet", source);
		json_end(&s->j);
	}
	json_end(&s->j);
	strbuf_release(&b);
}

/* key, source, message: may be NULL */
static void put_location(struct sarif *s, const char *key, const struct finding *f,
	const struct finding_place *p, const char *source, const char *message)
{
	json_object(&s->j, key);
	if (s->id)
		json_u64(&s->j, "id", s->id++);
	put_physical(s, f, p, source);
	if (p->function) {
		json_array(&s->j, "logicalLocations");
		json_object(&s->j, NULL);
		json_str(&s->j, "name", p->function);
		json_str(&s->j, "kind", "function");
		json_end(&s->j);
		json_end(&s->j);
	}
	if (message)
		put_text(s, "message", message);
	json_end(&s->j);
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* Words of SARIF, §3.38.8. */
static void put_kinds(struct sarif *s, const struct finding_step *st)
{
	static const char *const words[STEP_NOPS][2] = {
		[STEP_OP_READ] = {"memory", "value"},
		[STEP_OP_WRITE] = {"memory", "value"},
		[STEP_OP_UPDATE] = {"memory", "value"},
		[STEP_OP_LOCK] = {"acquire", "lock"},
		[STEP_OP_UNLOCK] = {"release", "lock"},
		[STEP_OP_ALLOCATE] = {"acquire", "memory"},
		[STEP_OP_FREE] = {"release", "memory"},
		[STEP_OP_FAIL] = {"danger", NULL},
	};

	if (!words[st->op][0])
		return;
	json_array(&s->j, "kinds");
	for (uint32_t i = 0; i < 2 && words[st->op][i]; i++)
		json_str(&s->j, NULL, words[st->op][i]);
	json_end(&s->j);
}

static void put_stack(struct sarif *s, const struct finding *f, const struct finding_step *st)
{
	if (!st->stack.n)
		return;
	json_object(&s->j, "stack");
	json_array(&s->j, "frames");
	vec_each (&st->stack, i) {
		json_object(&s->j, NULL);
		put_location(s, "location", f, &st->stack.at[i], NULL, NULL);
		json_end(&s->j);
	}
	json_end(&s->j);
	json_end(&s->j);
}

static void put_step(struct sarif *s, const struct finding *f, uint32_t i, bool merged)
{
	const struct finding_step *st = &f->steps.at[i];
	struct strbuf b = {0};

	if (merged)
		strbuf_addf(&b, "[T%u] ", st->thread);
	strbuf_addf(&b, "%s%s", finding_step_is_next(st) ? "next: " : "", st->what ? st->what : "");
	if (st->recorded)
		strbuf_addf(&b, " (recorded: %s)", st->recorded);
	json_object(&s->j, NULL);
	put_location(s, "location", f, &st->place, st->source, b.s);
	put_kinds(s, st);
	if (!merged)
		put_stack(s, f, st);
	if (st->data && st->value) {
		json_object(&s->j, "state");
		put_text(s, st->data, st->value);
		json_end(&s->j);
	}
	json_u64(&s->j, "executionOrder", i + 1);
	json_str(&s->j, "importance",
		st->flags & STEP_KEY     ? "essential"
		: st->flags & STEP_MINOR ? "unimportant"
					 : "important");
	json_end(&s->j);
	strbuf_release(&b);
}

static bool has_steps(const struct finding *f, uint32_t thread)
{
	vec_each (&f->steps, i)
		if (f->steps.at[i].thread == thread)
			return true;
	return false;
}

static void put_thread_flow(struct sarif *s, const struct finding *f, uint32_t thread)
{
	struct strbuf b = {0};

	if (!has_steps(f, thread))
		return;
	finding_add_thread(f, thread, &b);
	json_object(&s->j, NULL);
	strbuf_addf(&b, " (T%u)", thread);
	put_text(s, "message", b.s);
	strbuf_clear(&b);
	strbuf_addf(&b, "T%u", thread);
	json_str(&s->j, "id", b.s);
	json_array(&s->j, "locations");
	vec_each (&f->steps, i)
		if (f->steps.at[i].thread == thread)
			put_step(s, f, i, false);
	json_end(&s->j);
	json_end(&s->j);
	strbuf_release(&b);
}

static void put_flows(struct sarif *s, const struct finding *f)
{
	if (!f->steps.n)
		return;
	json_array(&s->j, "codeFlows");
	json_object(&s->j, NULL);
	put_text(s, "message", "all threads, in the order in which they execute");
	json_array(&s->j, "threadFlows");
	json_object(&s->j, NULL);
	json_str(&s->j, "id", "all");
	json_array(&s->j, "locations");
	vec_each (&f->steps, i)
		put_step(s, f, i, true);
	json_end(&s->j);
	json_end(&s->j);
	json_end(&s->j);
	json_end(&s->j);
	json_object(&s->j, NULL);
	put_text(s, "message", "one flow for each thread");
	json_array(&s->j, "threadFlows");
	for (uint32_t t = 0; t < MAX(f->threads.n, 1u); t++)
		put_thread_flow(s, f, t);
	json_end(&s->j);
	json_end(&s->j);
	json_end(&s->j);
}

/* ---- results -------------------------------------------------------------------------------- */

static const char *level_of(const struct finding *f)
{
	if (f->kind == FAULT_BRANCH && f->flip.class_ != FLIP_BUG)
		return "note";
	return f->status == FINDING_CONFIRMED || f->status == FINDING_OBSERVED ? "error"
									       : "warning";
}

static void put_message(struct sarif *s, const struct finding *f)
{
	struct strbuf b = {0};

	strbuf_addf(&b, "%s (%s)", f->title ? f->title : fault_words[f->kind].title,
		finding_status_text(f));
	vec_each (&f->steps, i) {
		const struct finding_step *st = &f->steps.at[i];

		if (!(st->flags & STEP_KEY) || !st->what)
			continue;
		strbuf_adds(&b, "; ");
		finding_add_thread(f, st->thread, &b);
		strbuf_addf(&b, " %s", st->what);
		if (st->place.file)
			strbuf_adds(&b, " at ");
		finding_add_place(&st->place, false, &b);
	}
	strbuf_addc(&b, '.');
	if (f->name[0])
		strbuf_addf(&b, " To run it: heddle replay %s.", f->name);
	put_text(s, "message", b.s);
	strbuf_release(&b);
}

/* The key events after the first, whose place is that of the result; and where threads start. */
static void put_related(struct sarif *s, const struct finding *f)
{
	bool first = true;

	s->id = 1;
	json_array(&s->j, "relatedLocations");
	vec_each (&f->steps, i) {
		const struct finding_step *st = &f->steps.at[i];
		struct strbuf b = {0};

		if (!(st->flags & STEP_KEY) || !st->place.file)
			continue;
		if (first) {
			first = false;
			continue;
		}
		finding_add_thread(f, st->thread, &b);
		strbuf_addf(&b, " %s", st->what ? st->what : "is here");
		put_location(s, NULL, f, &st->place, st->source, b.s);
		strbuf_release(&b);
	}
	vec_each (&f->threads, t) {
		struct strbuf b = {0};

		if (!f->threads.at[t].created.file || !has_steps(f, t))
			continue;
		finding_add_thread(f, t, &b);
		strbuf_adds(&b, " is created");
		put_location(s, NULL, f, &f->threads.at[t].created, NULL, b.s);
		strbuf_release(&b);
	}
	json_end(&s->j);
	s->id = 0;
}

static void put_properties(struct sarif *s, const struct finding *f)
{
	json_object(&s->j, "properties");
	if (f->name[0])
		json_str(&s->j, "heddle/name", f->name);
	json_str(&s->j, "heddle/status", finding_status_words[f->status]);
	json_end(&s->j);
}

static void put_result(struct sarif *s, const struct finding *f)
{
	struct finding_place at = report_place(f);
	char print[20];

	json_object(&s->j, NULL);
	json_str(&s->j, "ruleId", fault_words[f->kind].word);
	json_u64(&s->j, "ruleIndex", f->kind);
	json_str(&s->j, "kind", "fail");
	json_str(&s->j, "level", level_of(f));
	put_message(s, f);
	if (at.file) {
		json_array(&s->j, "locations");
		put_location(s, NULL, f, &at, NULL, NULL);
		json_end(&s->j);
	}
	put_related(s, f);
	put_flows(s, f);
	snprintf(print, sizeof print, "%016" PRIx64, f->fingerprint);
	json_object(&s->j, "partialFingerprints");
	json_str(&s->j, "heddle/v1", print);
	json_end(&s->j);
	put_properties(s, f);
	json_end(&s->j);
}

void report_sarif(const struct report *r, struct strbuf *out)
{
	struct sarif s = {.r = r, .j = {.out = out}};

	json_object(&s.j, NULL);
	json_str(&s.j, "$schema",
		"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
		"sarif-schema-2.1.0.json");
	json_str(&s.j, "version", "2.1.0");
	json_array(&s.j, "runs");
	json_object(&s.j, NULL);
	put_tool(&s);
	put_invocation(&s);
	put_base(&s);
	json_str(&s.j, "columnKind", "unicodeCodePoints");
	json_array(&s.j, "results");
	for (uint32_t i = 0; i < r->n; i++)
		put_result(&s, r->findings[i]);
	json_end(&s.j);
	json_end(&s.j);
	json_end(&s.j);
	json_end(&s.j);
	strbuf_addc(out, '\n');
}
