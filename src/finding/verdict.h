/*
 * The verdict of an analysis: what it has shown, and why it has not shown more. The headline, the
 * report's list of gaps, the JSON and the exit status all come from here, so that they agree.
 *
 * Each engine that ran makes one *claim*: the schedules that it set out to examine (its scope), and
 * its *gaps*, sentences about what it did not examine. A gap withdraws its claim, whatever its
 * reason: a budget, something that is not modelled, a worker that died. A claim without gaps is
 * earned, and so is each claim of the same scope or a narrower one. If every claim is earned, the
 * verdict is the widest of them; otherwise the analysis is incomplete, and the gaps are the reasons.
 * An engine that did not run makes no claim.
 *
 * A finding that is only predicted makes the analysis incomplete too: the schedule that it names
 * was not seen to fail, and not shown to be harmless.
 *
 * Lifetime: zero-initialized; verdict_release().
 */
#ifndef HEDDLE_FINDING_VERDICT_H
#define HEDDLE_FINDING_VERDICT_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/json.h"

enum claim_scope { /* a later scope contains the earlier ones */
#define SCOPE(id, name, text) CLAIM_##id,
#include "finding/scopes.def"
#undef SCOPE
	CLAIM_NSCOPES
};

struct claim {
	enum claim_scope scope;
	char *within; /* restriction that the user asked for: "with at most 2 context switches" */
	VEC(char *) gaps; /* without duplicates, in order of discovery */
};

struct verdict {
	VEC(struct claim) claims;
	uint32_t
		confirmed; /* findings that the real program showed, in the recorded run or later */
	uint32_t open;     /* findings that it did not show: predicted, diverged, machine only */
	uint32_t aside;    /* findings that the user asked not to count: they change the words, not
			       the result */
};

void verdict_release(struct verdict *v);

/* Adds a claim, and returns its index. `within` may be NULL; it is copied. */
uint32_t verdict_claim(struct verdict *v, enum claim_scope scope, const char *within);
/* Adds a gap to a claim, once. */
__attribute__((format(printf, 3, 4))) void verdict_gap(
	struct verdict *v, uint32_t claim, const char *fmt, ...);

/* The widest claim without gaps; NULL if there is none. */
const struct claim *verdict_earned(const struct verdict *v);
/* The claim has gaps, and no earned claim contains it. */
bool verdict_is_missed(const struct verdict *v, const struct claim *c);
/* "schedule of this input": completes "every …", "no failure in any …". */
const char *claim_scope_text(enum claim_scope scope);

enum verdict_result { VERDICT_CLEAR, VERDICT_FAILURE, VERDICT_INCOMPLETE };
/* VERDICT_FAILURE: a finding is confirmed. VERDICT_CLEAR: there is no finding, and every claim is
 * earned or contained in an earned one. */
enum verdict_result verdict_result(const struct verdict *v);

/* Appends the headline, without an end: "no failure in any schedule of this input", or "incomplete:
 * nothing found, but 3 queries were not decided". With findings it is about other failures. */
void verdict_headline(const struct verdict *v, struct strbuf *out);
/* Adds "verdict" to the open object: the result, and each claim with its gaps. */
void verdict_json(const struct verdict *v, struct json *j);

#endif
