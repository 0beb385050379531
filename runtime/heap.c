/*
 * Wrappers for malloc and its family. They call whatever malloc the image is linked with. The
 * number of a block is drawn while the program owns it: after it was given out, before it is given
 * back. A null pointer has the number 0.
 */
#include <malloc.h>
#include <stdlib.h>
#include "runtime/runtime.h"

static inline uint32_t block_seq(const void *p)
{
	return p ? seq_of(p) : 0;
}

/* put_sync() with LOG_F_VALUE */
static inline void put_block(struct log_ctl *ctl, const void *p)
{
	struct {
		struct log_sync s;
		uint64_t value;
	} LOG_PACKED r = {{.tag = LOG_SYNC,
				  .kind = LOG_S_ALLOC,
				  .flags = LOG_F_VALUE,
				  .seq = block_seq(p)},
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
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_ALLOC,
				   .result = r,
				   .flags = LOG_F_VALUE | (r ? 0 : LOG_F_ITEMS),
				   .seq = r ? 0 : block_seq(*to),
				   .value = r ? 0 : (uint64_t)*to});
	if (!r) {
		put_item(ctl, LOG_ITEM_WRITE, to, sizeof(*to));
		put_items_end(ctl);
	}
	return r;
}

size_t malloc_usable_size(void *p) WEAK;

/* How much of the old block a new one may hold a copy of. */
static uint64_t realloc_begins(struct log_ctl *ctl, void *old)
{
	put_sync_more(
		ctl, &(struct sync_more){
			     .kind = LOG_S_REALLOC, .flags = LOG_F_MORE, .seq = block_seq(old)});
	return old ? malloc_usable_size ? malloc_usable_size(old) : UINT64_MAX : 0;
}

static void realloc_ends(struct log_ctl *ctl, uint64_t old, const void *p, uint64_t copied)
{
	bool items = p && (uint64_t)p != old && copied;
	put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_ALLOC,
				   .flags = LOG_F_VALUE | (items ? LOG_F_ITEMS : 0),
				   .seq = block_seq(p),
				   .value = (uint64_t)p});
	if (items) {
		put_item(ctl, LOG_ITEM_WRITE, p, copied);
		put_items_end(ctl);
	}
}

WRAP(void *, realloc)(void *old, size_t n)
{
	struct log_ctl *ctl = __heddle_ctl;
	if (ctl->native)
		return realloc(old, n);
	uint64_t had = realloc_begins(ctl, old);
	uint64_t was = (uint64_t)old;
	void *p = realloc(old, n);
	realloc_ends(ctl, was, p, had < n ? had : n);
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
	realloc_ends(ctl, was, p, had < n * size ? had : n * size);
	return p;
}
