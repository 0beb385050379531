/*
 * The debug log. HEDDLE_LOG=ROOM[,ROOM...] in the environment makes the rooms of src/rooms that it names
 * print what they do, one line to stderr for each step (docs/debugging.md):
 *
 *	LOG(model, "query in [%u, %u): %s", from, to, answer);
 *
 * A line that is off costs one test of a global word; its arguments are not evaluated.
 */
#ifndef HEDDLE_BASE_DEBUG_H
#define HEDDLE_BASE_DEBUG_H

#include "base/base.h"
#include "config.h"

enum debug_room {
#define ROOM(name) DEBUG_##name,
	HEDDLE_ROOMS(ROOM)
#undef ROOM
	NDEBUG_ROOMS
};
_Static_assert(NDEBUG_ROOMS <= 64, "one bit for each room");

/* The rooms that print: bit DEBUG_room. Zero until debug_enable(). */
extern uint64_t debug_rooms;

#define LOG(room, ...)                                                                             \
	do {                                                                                       \
		if (unlikely(debug_rooms >> DEBUG_##room & 1))                                     \
			debug_line(DEBUG_##room, __VA_ARGS__);                                     \
	} while (0)

/* Turns on the rooms of a list such as HEDDLE_LOG's; NULL turns all off. Warns of a name that is no
 * room, and lists the rooms. */
void debug_enable(const char *list);
/* One line, in one write(2): lines of several processes do not mix. */
void debug_line(enum debug_room room, const char *fmt, ...) PRINTF(2, 3);

#endif
