#include "facts/externs.h"

#include "base/base.h"

#include <string.h>

#define REF(k, i)   ((struct extern_ref){(k), (i)})
#define ARG(n)      REF(X_ARG, n)
#define NEAR(n)     REF(X_NEAR, n)
#define AT(n)       REF(X_AT, n)
#define IN(n)       REF(X_IN, n)
#define IN_IOV(n)   REF(X_IN_IOV, n)
#define IN_MSG(n)   REF(X_IN_MSG, n)
#define NEAR_AT(n)  REF(X_NEAR_AT, n)
#define ELEM(n)     REF(X_ELEM, n)
#define POOL(k)     REF(X_POOL, POOL_##k)
#define FRESH(n)    REF(X_FRESH, n)
#define NEW         FRESH(NO_ARG)
#define STATIC      REF(X_STATIC, 0)
#define TABLE       REF(X_TABLE, 0)
#define OUTSIDE     REF(X_OUTSIDE, 0)
#define RESULT      REF(X_RESULT, 0)
#define AT_RESULT   REF(X_AT_RESULT, 0)
#define NOTHING     REF(X_NONE, 0)

#define NONE                 {0}
#define ANYTHING             {.op = X_ANYTHING}
#define KEEPS                {.op = X_KEEPS}
#define SET(d, s)            {.op = X_SET, .dst = d, .src = s}
#define RETURNS(s)           SET(RESULT, s)
#define SET_AT(d, off, s)    {.op = X_SET, .dst = d, .src = s, .x = off}
#define SET_W(d, s, w)       {.op = X_SET, .dst = d, .src = s, .width = w}
#define SET_ELEM(d, s, size) {.op = X_SET, .dst = d, .src = s, .x = size}
#define COPY(to, from, len)  {.op = X_COPY, .dst = ARG(to), .src = ARG(from), .x = len}
#define COPY_INTO(to, from, len) {.op = X_COPY, .dst = NEAR(to), .src = ARG(from), .x = len}
#define COPY_NEW(from)       {.op = X_COPY, .dst = RESULT, .src = ARG(from), .x = NO_ARG}
#define CALL(f, ...)         {.op = X_CALL, .src = f, .args = {__VA_ARGS__}}
#define CALL_ELEM(f, size, ...) {.op = X_CALL, .src = f, .x = size, .args = {__VA_ARGS__}}
#define SPAWN(f, a)          {.op = X_SPAWN, .dst = POOL(THREAD), .src = f, .args = {a}}
#define SORT(base, size)     {.op = X_SORT, .dst = ARG(base), .x = size}
#define SCAN(format)         {.op = X_SCAN, .x = format}
#define UNLESS(format)       {.op = X_UNLESS, .x = format}

/* a row without effects, not even NONE, does not compile */
#define ROW(name, ...) {#name, {__VA_ARGS__, {0}}},

static const struct extern_summary table[] = {
#define PURE(name, accesses, ...)          ROW(name, __VA_ARGS__)
#define EFFECT(name, flags, accesses, ...) ROW(name, __VA_ARGS__)
#define SETJMP(name)                       ROW(name, NONE)
#define LONGJMP(name)                      ROW(name, NONE)
#define OPAQUE(name, ...)                  ROW(name, __VA_ARGS__)
#include "log/libc.def"
#define SYNC(name, kind, object, ...)      ROW(name, __VA_ARGS__)
#include "log/sync.def"
};

const struct extern_summary *extern_at(uint32_t i)
{
	return i < ARRAY_SIZE(table) ? &table[i] : NULL;
}

const struct extern_summary **externs_resolve(struct arena *a, const struct ir_program *p)
{
	const struct extern_summary **by_func = arena_array(a, const struct extern_summary *,
		p->funcs.n + 1);
	uint32_t f;

	for (uint32_t i = 0; i < ARRAY_SIZE(table); i++) {
		f = ir_find_func(p, table[i].name);
		if (f != IR_NONE && p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL) &&
			table[i].effects[0].op != X_ANYTHING)
			by_func[f] = &table[i];
	}
	return by_func;
}

bool extern_keeps(const struct extern_summary *s)
{
	return s->effects[0].op == X_KEEPS;
}

bool extern_allocates(const struct extern_summary *s)
{
	bool fresh = false;

	if (!s)
		return false;
	for (const struct extern_effect *e = s->effects; e->op; e++)
		if (e->op == X_SET && e->dst.kind == X_RESULT) {
			if (e->src.kind != X_FRESH)
				return false;
			fresh = true;
		}
	return fresh;
}
