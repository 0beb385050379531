#include "log/words.h"

#include "base/base.h"

#include <string.h>

static const struct log_sync_fn functions[] = {
#define SYNC(name, kind, object, ...) {#name, LOG_S_##kind, object, false},
#define TIMED(name, kind, object, ...) {#name, LOG_S_##kind, object, true},
#include "log/sync.def"
};

static const char *const kinds[] = {
#define KIND(id, text) text,
#include "log/sync.def"
};
_Static_assert(ARRAY_SIZE(kinds) == LOG_NSYNC, "words of sync.def");

static const char *const stops[] = {
#define STOP(id, text) text,
#include "log/stops.def"
#undef STOP
};
_Static_assert(ARRAY_SIZE(stops) == LOG_NSTOPS, "words of stops.def");

const struct log_sync_fn *log_sync_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

const char *log_sync_text(uint32_t kind)
{
	return kind < LOG_NSYNC ? kinds[kind] : "?";
}

const char *log_stop_text(uint32_t why)
{
	return why < LOG_NSTOPS ? stops[why] : "stopped for an unknown reason";
}
