#include "base/base.h"
#include "watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/effects.h"
#include "runtime/enforce.h"
#include "runtime/items.h"

enum { ARENA = 1 << 16, GAP = 24, MAX_ITEMS = 256 };

struct rng rng;
static uint8_t arena[ARENA] __attribute__((aligned(4096)));
static uint8_t before[ARENA], given[ARENA];
static size_t used;
static struct piece items[MAX_ITEMS];
static uint32_t nitems, calls, failures;
static bool was_stopped;
static int errno_before;

/* ---- what runtime/effects.c hands over
 * --------------------------------------------------------------- */

static void item(const void *addr, uint64_t n, bool write)
{
	if (nitems == MAX_ITEMS)
		BUG("too many items");
	if (n)
		items[nitems++] = (struct piece){(uint64_t)addr, n, write};
}

void item_read(const void *addr, uint64_t n)
{
	item(addr, n, false);
}

void item_write(const void *addr, uint64_t n)
{
	item(addr, n, true);
}

/* There is no schedule here. */
void enforce_range(uint64_t addr, uint64_t n)
{
	(void)addr;
	(void)n;
}

void enforce_survives(void)
{
}

/* ---- memory -------------------------------------------------------------------------------------
 */

void stir(void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((uint8_t *)p)[i] = (uint8_t)rng_u64(&rng);
}

void round_begin(void)
{
	stir(arena, ARENA);
	memset(given, 0, sizeof(given));
	used = 0;
}

void *room(size_t n)
{
	size_t at = (used + GAP + 15) & ~(size_t)15;

	if (at + n + GAP > ARENA)
		BUG("no room for a case");
	memset(given + at, 1, n);
	used = at + n;
	return arena + at;
}

char *text(size_t max)
{
	char *s = room(max);
	size_t n = rng_below(&rng, max);

	for (size_t i = 0; i < n; i++)
		s[i] = rng_chance(&rng, 20) ? " ,;/\n"[rng_below(&rng, 5)]
					    : (char)('a' + rng_below(&rng, 26));
	s[n] = 0;
	return s;
}

char *copy(const char *s)
{
	return strcpy(room(strlen(s) + 1), s);
}

/* ---- one call
 * ------------------------------------------------------------------------------------ */

void watch_begin(void)
{
	memcpy(before, arena, used + GAP);
	nitems = 0;
	was_stopped = false;
	calls++;
	errno = 0;
}

static bool told(uint64_t addr)
{
	for (uint32_t i = 0; i < nitems; i++)
		if (items[i].write && addr - items[i].addr < items[i].n)
			return true;
	return false;
}

static bool in_arena(uint64_t addr)
{
	return addr - (uint64_t)arena < ARENA;
}

static void complain(const char *name, const char *what, uint64_t addr)
{
	printf("# %s: %s %#lx\n", name, what, (unsigned long)(addr - (uint64_t)arena));
	failures++;
}

static void check(const char *name)
{
	for (size_t i = 0; i < used + GAP; i++)
		if (arena[i] != before[i] && !told((uint64_t)(arena + i))) {
			complain(name, "changed without a word", (uint64_t)(arena + i));
			break;
		}
	for (uint32_t i = 0; i < nitems; i++)
		for (uint64_t a = items[i].addr; a < items[i].addr + items[i].n; a++)
			if (in_arena(a) && !given[a - (uint64_t)arena]) {
				complain(name, "told of memory it was not given", a);
				break;
			}
}

void watch_end(const char *name, uint64_t result, const uint64_t *args, uint32_t nargs)
{
	struct effects_entry e = effects_find(name);

	errno_before = errno;
	if (e.kind != EFFECTS_EFFECT && e.kind != EFFECTS_PURE)
		BUG("'%s' is in no table", name);
	was_stopped = !effect_log(e.number, result, args, nargs);
	if (errno != errno_before)
		complain(name, "errno", 0);
	if (!was_stopped)
		check(name);
}

static void expect(const void *p, size_t n, bool write)
{
	for (uint32_t i = 0; i < nitems; i++)
		if (items[i].write == write && items[i].addr == (uint64_t)p && items[i].n == n)
			return;
	printf("# expected a %s of %zu bytes\n", write ? "write" : "read", n);
	for (uint32_t i = 0; i < nitems; i++)
		printf("#   %s at %+ld, %lu bytes\n", items[i].write ? "write" : "read",
			(long)(items[i].addr - (uint64_t)p), (unsigned long)items[i].n);
	failures++;
}

void expect_write(const void *p, size_t n)
{
	expect(p, n, true);
}

void expect_read(const void *p, size_t n)
{
	expect(p, n, false);
}

uint32_t writes(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nitems; i++)
		n += items[i].write;
	return n;
}

bool stopped(void)
{
	return was_stopped;
}

uint32_t watch_calls(void)
{
	return calls;
}

uint32_t watch_failures(void)
{
	return failures;
}

bool watch_self_test(void)
{
	uint32_t found;
	uint8_t *p;

	round_begin();
	p = room(16);
	watch_begin();
	p[3] ^= 1;
	check("changed in the dark");
	item_write(p - GAP, 4);
	p[3] ^= 1;
	check("not its memory");
	found = failures;
	failures = 0;
	return found == 2;
}
