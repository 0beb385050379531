#include "facts/natives.h"

#include <string.h>

struct sync_name {
	const char *name;
	uint8_t kind;
	int8_t object;
};

static const struct sync_name syncs[] = {
#define KIND(id, text)
#define SYNC(name, kind, object) {#name, LOG_S_##kind, object},
#include "log/sync.def"
#undef KIND
#undef SYNC
};

static const char *const setjmps[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"};
static const char *const longjmps[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};

/* Buffers that the library goes on using, memory that the kernel or other processes write, and
 * code that comes back later. */
static const char *const keepers[] = {
	"setvbuf", "setbuf", "setbuffer", "fmemopen", "open_memstream", "open_wmemstream",
	"initstate", "setstate", "initstate_r", "strtok", "mmap", "mmap64", "mremap", "shmat", "sbrk",
	"brk", "syscall", "dlopen", "dlmopen", "dlsym", "dlvsym", "timer_create", "mq_notify",
	"aio_read", "aio_write", "lio_listio", "getaddrinfo_a", "clone", "vfork",
	"pthread_attr_setstack", "sigaltstack", "io_setup", "io_submit",
};

static void each(const struct ir_program *p, struct native *all, const char *const *names,
	uint32_t n, void (*fn)(struct native *))
{
	uint32_t f;

	for (uint32_t i = 0; i < n; i++) {
		f = ir_find_func(p, names[i]);
		if (f != IR_NONE && p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL))
			fn(&all[f]);
	}
}

static void is_setjmp(struct native *n)
{
	n->call = CALL_SETJMP;
}

static void is_longjmp(struct native *n)
{
	n->call = CALL_LONGJMP;
}

static void is_keeper(struct native *n)
{
	n->keeps = true;
}

static void find_syncs(const struct ir_program *p, struct native *all)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(syncs); i++) {
		const struct sync_name *s = &syncs[i];
		uint32_t f = ir_find_func(p, s->name);

		if (f == IR_NONE || !(p->funcs.at[f].flags & (IR_FN_EXTERN | IR_FN_MODEL)))
			continue;
		all[f].call = CALL_SYNC;
		all[f].sync = s->kind;
		all[f].object = s->object;
		all[f].heap = s->kind == LOG_S_ALLOC || s->kind == LOG_S_REALLOC;
	}
}

struct native *natives_resolve(struct arena *a, const struct ir_program *p, const bool *traced)
{
	struct native *all = arena_array(a, struct native, p->funcs.n + 1);

	vec_each (&p->funcs, f) {
		all[f].call = traced[f] ? CALL_TRACED : CALL_UNKNOWN;
		all[f].object = -1;
	}
	find_syncs(p, all);
	each(p, all, setjmps, ARRAY_SIZE(setjmps), is_setjmp);
	each(p, all, longjmps, ARRAY_SIZE(longjmps), is_longjmp);
	each(p, all, keepers, ARRAY_SIZE(keepers), is_keeper);
	return all;
}
