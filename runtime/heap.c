/*
 * Wrappers for malloc and its family. They call the malloc with which the image is linked. The
 * sequence number of a block is taken while the program owns it: after its allocation, before its
 * release. A null pointer has the number 0.
 */
#include <malloc.h>
#include <stdlib.h>
#include "runtime/sync_records.h"

/* put_sync() with LOG_F_VALUE */
static inline void put_block(struct log_ctl *ctl, const void *p)
{
	struct {
		struct log_sync s;
		uint64_t value;
	} LOG_PACKED r = {
		{.tag = LOG_SYNC, .kind = LOG_S_ALLOC, .flags = LOG_F_VALUE, .seq = block_seq(p)},
		(uint64_t)p};
	if (likely(++ctl->records % LOG_STAMPED))
		ctl_commit(ctl, put_struct(ctl_room(ctl, sizeof(r)), &r, sizeof(r)));
	else
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_ALLOC,
					   .flags = LOG_F_VALUE,
					   .seq = r.s.seq,
					   .value = r.value});
}

#define ALLOC(NAME, P, A)                                                                          \
	WRAP(void *, NAME) P                                                                       \
	{                                                                                          \
		void *p = NAME A;                                                                  \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (likely(!ctl->native))                                                          \
			put_block(ctl, p);                                                         \
		return p;                                                                          \
	}

ALLOC(malloc, (size_t n), (n))
ALLOC(calloc, (size_t n, size_t size), (n, size))
ALLOC(aligned_alloc, (size_t align, size_t n), (align, n))
ALLOC(memalign, (size_t align, size_t n), (align, n))
ALLOC(valloc, (size_t n), (n))

WRAP(void, free)(void *p)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (unlikely(ctl->native)) {
		free(p);
		return;
	}
	uint32_t seq = block_seq(p);
	free(p);
	put_sync(ctl, LOG_S_FREE, 0, seq);
}

WRAP(int, posix_memalign)(void **to, size_t align, size_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	int r = posix_memalign(to, align, n);
	if (ctl->native)
		return r;
	put_alloc_to(ctl, r, to);
	return r;
}

size_t malloc_usable_size(void *p) WEAK;

/* Logs the start of a realloc; returns the number of bytes of the old block that may be copied. */
static uint64_t realloc_begins(struct log_ctl *ctl, void *old)
{
	put_realloc_start(ctl, old);
	return old ? malloc_usable_size ? malloc_usable_size(old) : UINT64_MAX : 0;
}

WRAP(void *, realloc)(void *old, size_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return realloc(old, n);
	uint64_t had = realloc_begins(ctl, old);
	uint64_t was = (uint64_t)old;
	void *p = realloc(old, n);
	put_realloc_end(ctl, was, p, had < n ? had : n);
	return p;
}

WRAP(void *, reallocarray)(void *old, size_t n, size_t size)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return reallocarray(old, n, size);
	uint64_t had = realloc_begins(ctl, old);
	uint64_t was = (uint64_t)old;
	void *p = reallocarray(old, n, size);
	put_realloc_end(ctl, was, p, had < n * size ? had : n * size);
	return p;
}
