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

static bool is_buffer(uint8_t state)
{
	switch ((enum hidden_state)state) {
	case HIDDEN_A64L:
	case HIDDEN_CVT:
	case HIDDEN_CRYPT:
	case HIDDEN_TIME_BUFFER:
	case HIDDEN_PASSWD:
	case HIDDEN_GROUP:
	case HIDDEN_NETDB:
	case HIDDEN_LOGIN:
	case HIDDEN_TMPNAM: return true;
	default: return false;
	}
}

const struct hidden_fn *hidden_buffer(const char *name)
{
	const struct hidden_fn *fn = hidden_next(NULL, name);

	while (fn && !is_buffer(fn->state))
		fn = hidden_next(fn, name);
	return fn;
}
