#include "finding/verdict.h"

#include "base/base.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *text;
} scopes[] = {
#define SCOPE(id, name, text) {name, text},
#include "finding/scopes.def"
#undef SCOPE
};

static const char *const result_names[] = {"clear", "failure", "incomplete"};

void verdict_release(struct verdict *v)
{
	vec_each (&v->claims, i) {
		struct claim *c = &v->claims.at[i];

		vec_each (&c->gaps, g)
			free(c->gaps.at[g]);
		vec_release(&c->gaps);
		free(c->within);
	}
	vec_release(&v->claims);
	*v = (struct verdict){0};
}

uint32_t verdict_claim(struct verdict *v, enum claim_scope scope, const char *within)
{
	struct claim c = {.scope = scope, .within = within ? xstrdup(within) : NULL};

	assert(scope < CLAIM_NSCOPES);
	vec_push(&v->claims, c);
	return v->claims.n - 1;
}

void verdict_gap(struct verdict *v, uint32_t claim, const char *fmt, ...)
{
	struct claim *c = &v->claims.at[claim];
	struct strbuf b = {0};
	va_list ap;

	assert(claim < v->claims.n);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	vec_each (&c->gaps, i)
		if (!strcmp(c->gaps.at[i], b.s)) {
			strbuf_release(&b);
			return;
		}
	vec_push(&c->gaps, strbuf_detach(&b));
}

const struct claim *verdict_earned(const struct verdict *v)
{
	const struct claim *best = NULL;

	vec_each (&v->claims, i) {
		const struct claim *c = &v->claims.at[i];

		if (!c->gaps.n && (!best || c->scope > best->scope))
			best = c;
	}
	return best;
}

bool verdict_is_missed(const struct verdict *v, const struct claim *c)
{
	const struct claim *earned = verdict_earned(v);

	return c->gaps.n && (!earned || c->scope > earned->scope);
}

/* The widest claim that is missed; NULL if there is none. */
static const struct claim *find_missed(const struct verdict *v)
{
	const struct claim *widest = NULL;

	vec_each (&v->claims, i) {
		const struct claim *c = &v->claims.at[i];

		if (verdict_is_missed(v, c) && (!widest || c->scope > widest->scope))
			widest = c;
	}
	return widest;
}

enum verdict_result verdict_result(const struct verdict *v)
{
	if (v->confirmed)
		return VERDICT_FAILURE;
	return v->open || !verdict_earned(v) || find_missed(v) ? VERDICT_INCOMPLETE : VERDICT_CLEAR;
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *claim_scope_text(enum claim_scope scope)
{
	return scopes[scope].text;
}

static void add_scope(struct strbuf *out, const struct claim *c)
{
	strbuf_adds(out, scopes[c->scope].text);
	if (c->within)
		strbuf_addf(out, " %s", c->within);
}

static void add_first_gap(struct strbuf *out, const struct claim *c)
{
	strbuf_adds(out, c->gaps.at[0]);
	if (c->gaps.n > 1)
		strbuf_addf(out, " (and %u more reason%s below)", c->gaps.n - 1,
			c->gaps.n == 2 ? "" : "s");
}

void verdict_headline(const struct verdict *v, struct strbuf *out)
{
	const struct claim *earned = verdict_earned(v), *missed = find_missed(v);
	bool found = v->confirmed || v->open || v->aside;

	if (missed || !earned)
		strbuf_adds(out, "incomplete: ");
	if (earned) {
		strbuf_addf(out, "no %sfailure in any ", found ? "other " : "");
		add_scope(out, earned);
	} else {
		strbuf_addf(out, "nothing %sfound", found ? "else " : "");
	}
	if (missed) {
		strbuf_adds(out, ", but ");
		add_first_gap(out, missed);
	} else if (!earned) {
		strbuf_adds(out, ", because nothing was analysed");
	}
}

static void add_claim_json(const struct claim *c, struct json *j)
{
	json_object(j, NULL);
	json_str(j, "scope", scopes[c->scope].name);
	if (c->within)
		json_str(j, "within", c->within);
	json_array(j, "gaps");
	vec_each (&c->gaps, i)
		json_str(j, NULL, c->gaps.at[i]);
	json_end(j);
	json_end(j);
}

void verdict_json(const struct verdict *v, struct json *j)
{
	json_object(j, "verdict");
	json_str(j, "result", result_names[verdict_result(v)]);
	json_array(j, "claims");
	vec_each (&v->claims, i)
		add_claim_json(&v->claims.at[i], j);
	json_end(j);
	json_end(j);
}
