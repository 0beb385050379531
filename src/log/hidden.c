#include "log/hidden.h"

#include "base/base.h"

#include <string.h>

static const struct hidden_fn rows[] = {
#define HIDDEN(state, access, name) HIDDEN_OF(state, access, name, -1)
#define HIDDEN_OF(state, access, name, arg)                                                        \
	{#name, HIDDEN_ACCESS, HIDDEN_##state, HIDDEN_##access, 0, arg},
#define OPENS(state, name, path) {#name, HIDDEN_OPENS, HIDDEN_##state, 0, 0, path},
#define PAIRS(state, name, arg)  {#name, HIDDEN_PAIRS, HIDDEN_##state, 0, 0, arg},
#define ALIASES(state, name, of, arg)                                                              \
	{#name, HIDDEN_ALIASES, HIDDEN_##state, 0, HIDDEN_##of, arg},
#include "log/hidden.def"
};

static const char *const texts[] = {
#define STATE(id, text) text,
#include "log/hidden.def"
};
_Static_assert(ARRAY_SIZE(texts) == HIDDEN_NSTATES, "one text for each state");

const struct hidden_fn *hidden_next(const struct hidden_fn *row, const char *name)
{
	for (size_t i = row ? (size_t)(row - rows) + 1 : 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

const char *hidden_text(enum hidden_state s)
{
	return texts[s];
}
