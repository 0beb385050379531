/* Kinds of events by name. */
#include "base/base.h"
#include "base/bitset.h"
#include "base/diag.h"
#include "base/opt.h"
#include "base/vec.h"
#include "view/view.h"

#include <string.h>

#define ACCESSES                                                                                   \
	(FOLLOW_BIT(FOLLOW_READ) | FOLLOW_BIT(FOLLOW_WRITE) | FOLLOW_BIT(FOLLOW_RMW) |             \
		FOLLOW_BIT(FOLLOW_CAS_FAIL))
#define NATIVE (FOLLOW_BIT(FOLLOW_NATIVE_READ) | FOLLOW_BIT(FOLLOW_NATIVE_WRITE))
#define ENDS   (FOLLOW_BIT(FOLLOW_BEGIN) | FOLLOW_BIT(FOLLOW_END))
#define CALLS  (FOLLOW_BIT(FOLLOW_CALL) | FOLLOW_BIT(FOLLOW_RETURN))

static const char *const names[FOLLOW_NKINDS] = {
	[FOLLOW_READ] = "read",
	[FOLLOW_WRITE] = "write",
	[FOLLOW_RMW] = "rmw",
	[FOLLOW_CAS_FAIL] = "cas",
	[FOLLOW_FENCE] = "fence",
	[FOLLOW_BRANCH] = "branch",
	[FOLLOW_SYNC] = "sync",
	[FOLLOW_BLOCKED] = "blocked",
	[FOLLOW_CALL] = "call",
	[FOLLOW_NATIVE_READ] = "native-read",
	[FOLLOW_NATIVE_WRITE] = "native-write",
	[FOLLOW_RETURN] = "return",
	[FOLLOW_ENTER] = "enter",
	[FOLLOW_LEAVE] = "leave",
	[FOLLOW_LOCAL] = "local",
	[FOLLOW_BEGIN] = "begin",
	[FOLLOW_END] = "end",
};

static const struct {
	const char *name;
	uint32_t kinds;
} groups[] = {
	{"access", ACCESSES},
	{"native", NATIVE},
	{"call", CALLS},
	{"all", FOLLOW_BIT(FOLLOW_NKINDS) - 1},
};

const char *event_kind_name(uint32_t follow_kind)
{
	return names[follow_kind];
}

static bool parse_kind(struct view *v, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (!strcmp(word, groups[i].name)) {
			v->kinds |= groups[i].kinds;
			return true;
		}
	}
	for (uint32_t k = 0; k < FOLLOW_NKINDS; k++) {
		if (!strcmp(word, names[k])) {
			v->kinds |= FOLLOW_BIT(k);
			return true;
		}
	}
	for (uint8_t k = 0; k < LOG_NSYNC; k++) {
		if (!strcmp(word, sync_kind_name(k))) {
			bitset_add(&v->sync_kinds, k);
			return true;
		}
	}
	return false;
}

static void offer_all(struct opt_nearest *ne)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		opt_nearest_offer(ne, groups[i].name);
	for (uint32_t k = 0; k < FOLLOW_NKINDS; k++)
		opt_nearest_offer(ne, names[k]);
	for (uint8_t k = 0; k < LOG_NSYNC; k++)
		opt_nearest_offer(ne, sync_kind_name(k));
}

int event_kinds_parse(struct view *v, const struct opt_list *words)
{
	vec_each (words, i) {
		struct opt_nearest ne;

		if (parse_kind(v, words->at[i]))
			continue;
		opt_nearest_init(&ne, words->at[i]);
		offer_all(&ne);
		if (ne.best)
			error_("no events of kind '%s' (did you mean '%s'?)", words->at[i],
				ne.best);
		else
			error_("no events of kind '%s' ('heddle trace -h' lists the kinds)",
				words->at[i]);
		return -1;
	}
	if (v->kinds & FOLLOW_BIT(FOLLOW_SYNC)) /* 'sync' includes every kind of them */
		bitset_clear(&v->sync_kinds);
	else if (bitset_count(&v->sync_kinds))
		v->kinds |= FOLLOW_BIT(FOLLOW_SYNC);
	if (!words->n)
		v->kinds = ACCESSES | NATIVE | ENDS | CALLS | FOLLOW_BIT(FOLLOW_FENCE) |
			   FOLLOW_BIT(FOLLOW_SYNC) | FOLLOW_BIT(FOLLOW_BLOCKED);
	return 0;
}
