/* The blocks of a thread in its re-execution: which bytes of them have a known value. */
#include "follow/follow_internal.h"

static uint64_t product(const struct val *args, uint32_t nargs, uint32_t a, uint32_t b)
{
	uint64_t n;

	if (a >= nargs || b >= nargs || __builtin_mul_overflow(args[a].lo, args[b].lo, &n))
		return 0;
	return n;
}

uint64_t follow_alloc_size(const char *callee, const struct val *args, uint32_t nargs)
{
	if (!args || !nargs || !callee)
		return 0;
	if (!strcmp(callee, "calloc"))
		return product(args, nargs, 0, 1);
	if (!strcmp(callee, "reallocarray"))
		return product(args, nargs, 1, 2);
	return args[nargs - 1]
		.lo; /* malloc, realloc, aligned_alloc, memalign, valloc, posix_memalign */
}

/* Bytes of a block of unknown size that its free may change: the smallest block of any allocator. */
enum { SMALLEST = 8 };

static void lose_block(struct follow *f, uint64_t block)
{
	uint64_t n = map_get_or(&f->blocks, block, SMALLEST);

	if (!block || !follow_range(f, block, n))
		return;
	mem_lose(&f->m.mem, block, n);
	map_del(&f->blocks, block);
}

void follow_heap_record(struct follow *f, uint8_t kind, const char *callee, const struct val *args,
	uint32_t nargs, uint64_t value)
{
	uint64_t n = follow_alloc_size(callee, args, nargs);
	uint64_t old = callee && !strncmp(callee, "realloc", 7) && nargs ? args[0].lo : 0;

	if (kind == LOG_S_FREE && nargs)
		lose_block(f, args[0].lo);
	if (kind != LOG_S_ALLOC)
		return;
	if (old && old != value && (value || !n))
		lose_block(f, old);
	if (!value || !follow_range(f, value, n))
		return;
	*map_put(&f->blocks, value) = n;
	/* the thread's view may have older contents of that memory */
	if (!strcmp(callee ? callee : "", "calloc"))
		mem_clear(&f->m.mem, value, n);
	else
		mem_know(&f->m.mem, value, n);
}

void follow_library_block(struct follow *f, uint64_t value)
{
	if (value && f->written.n && f->written.addr == value && !map_get(&f->blocks, value))
		*map_put(&f->blocks, value) = f->written.n;
	f->written.n = 0;
}

bool follow_known(struct follow *f, uint64_t addr, uint64_t n)
{
	if (likely(mem_is_known(&f->m.mem, addr, n)))
		return true;
	follow_end(f, FOLLOW_DIVERGED,
		"a freed block is read at 0x%llx, and its bytes are not in the log",
		(unsigned long long)addr);
	return false;
}
