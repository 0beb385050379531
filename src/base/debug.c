#include "base/debug.h"

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

uint64_t debug_rooms;

static const char *const room_names[] = {
#define ROOM(name) #name,
	HEDDLE_ROOMS(ROOM)
#undef ROOM
};

static void warn_unknown(const char *name, size_t n)
{
	struct strbuf b = {0};

	for (unsigned i = 0; i < NDEBUG_ROOMS; i++)
		strbuf_addf(&b, "%s%s", i ? ", " : "", room_names[i]);
	warn_("HEDDLE_LOG: unknown room '%.*s' (rooms are %s)", (int)n, name, b.s);
	strbuf_release(&b);
}

static void enable_room(const char *name, size_t n)
{
	for (unsigned i = 0; i < NDEBUG_ROOMS; i++)
		if (strlen(room_names[i]) == n && !memcmp(room_names[i], name, n)) {
			debug_rooms |= 1ull << i;
			return;
		}
	warn_unknown(name, n);
}

void debug_enable(const char *list)
{
	debug_rooms = 0;
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n)
			enable_room(list, n);
		list += n + (list[n] == ',');
	}
}

void debug_line(enum debug_room room, const char *fmt, ...)
{
	struct strbuf b = {0}, clean = {0};
	va_list ap;

	strbuf_addf(&b, "heddle: %s: ", room_names[room]);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	utf8_add_clean(&clean, b.s, b.n);
	strbuf_addc(&clean, '\n');
	(void)!write(STDERR_FILENO, clean.s, clean.n);
	strbuf_release(&clean);
	strbuf_release(&b);
}
