/*
 * The objects of the program and their addresses: globals, heap blocks, functions, thread-local
 * blocks. The machine chooses all addresses, so that runs are the same on every host: each kind has
 * its own region, red zones separate objects, and a heap address is never used again.
 *
 * Lifetime: heap, owner struct machine.
 */
#ifndef HEDDLE_MEMORY_OBJECTS_H
#define HEDDLE_MEMORY_OBJECTS_H

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/ir.h"
#include "memory/mem.h"

/* regions of the address space */
#define ADDR_NULL_END  0x0000000000010000ull /* below: a null pointer and its fields */
#define ADDR_FUNC      0x0000000010000000ull /* 16 bytes for each function */
#define ADDR_BLOCK     0x0000040000000000ull /* function << 20 | block */
#define ADDR_LAZY      0x0000100000000000ull /* primary objects (lazy.h) */
#define ADDR_CONST     0x0000550000000000ull /* constant globals */
#define ADDR_GLOBAL    0x0000558000000000ull
#define ADDR_HEAP      0x0000600000000000ull
#define ADDR_STACK     0x0000700000000000ull /* one region for each thread, growing up */
#define ADDR_TLS       0x00007a0000000000ull /* one region for each thread */
#define ADDR_END       0x00007fff00000000ull
#define STACK_STRIDE   (1ull << 26)
#define STACK_LIMIT    (8ull << 20)
#define TLS_STRIDE     (1ull << 24)

static inline uint64_t func_addr(uint32_t func)
{
	return ADDR_FUNC + 16ull * func;
}
/* the function at the address, or IR_NONE */
static inline uint32_t func_at(const struct ir_program *p, uint64_t a)
{
	uint64_t k = a - ADDR_FUNC;

	return k % 16 || k / 16 >= p->funcs.n ? IR_NONE : (uint32_t)(k / 16);
}
static inline uint64_t block_addr(uint32_t func, uint32_t block)
{
	return ADDR_BLOCK + ((uint64_t)func << 20 | block);
}

/* ---- call stacks, interned --------------------------------------------------------------- */

struct stack_entry {
	uint32_t func, insn; /* instruction of ir_func.insns */
};
typedef struct { uint32_t id; } stack_id; /* 0 is "no stack" */

struct stacks {
	VEC(struct stack_entry) entries;
	VEC(uint32_t) first; /* stack id -> its entries; one more at the end */
	struct map by_hash;
};
stack_id stacks_intern(struct stacks *s, const struct stack_entry *e, uint32_t n);
uint32_t stacks_get(const struct stacks *s, stack_id id, const struct stack_entry **e);
void stacks_release(struct stacks *s);

/* ---- heap -------------------------------------------------------------------------------- */

struct heap_block {
	uint64_t base, size;
	bool freed;
	bool symbolic; /* `size` is the greatest possible one; its bytes are a region (lazy.h) */
	uint32_t alloc_thread, free_thread;
	stack_id alloc_stack, free_stack;
};

struct heap {
	VEC(struct heap_block) blocks; /* by rising address */
	uint64_t next;                 /* least address of the next block */
	uint64_t live, peak, limit;    /* bytes; limit 0 = none */
	uint32_t changed; /* index of the first block that was changed in place since the last save
			     (save.c); code that changes a block must lower it */
};

void heap_init(struct heap *h, uint64_t limit);
void heap_release(struct heap *h);
/* Allocates a block; 0 if it exceeds limit, 2^40 bytes or region. align is a power of two. */
uint64_t heap_alloc(struct heap *h, struct mem *m, uint64_t size, uint64_t align, bool zero,
	uint32_t thread, stack_id stack);
/* Allocates the addresses of a symbolic block without memory: its bytes are a region (lazy.h). */
uint64_t heap_reserve(struct heap *h, uint64_t size, uint64_t align, uint32_t thread,
	stack_id stack);
/* Forgets freed blocks of known size behind the last other one: their addresses are used again. For
 * states that are compared; a pointer to a forgotten block may point into a later one. */
void heap_forget_freed(struct heap *h);
/* The block that contains the address, else one of its neighbours: the next block if it begins
 * within 16 bytes, else the block before. NULL: no block is near. Logarithmic. */
struct heap_block *heap_find(struct heap *h, uint64_t a);
void heap_free(struct heap *h, struct mem *m, struct heap_block *b, uint32_t thread,
	stack_id stack);

/* ---- globals and thread-local storage ----------------------------------------------------- */

struct globals {
	uint64_t *addr;     /* by global; for TLS the offset in a thread's block; 0 = undefined */
	uint32_t *by_addr;  /* ids of ordinary globals by rising address */
	uint32_t nby_addr;
	uint64_t tls_size;
};

/* Lays out and initializes every defined global; an undefined one has address 0. */
void globals_init(struct globals *g, struct mem *m, const struct ir_program *p);
void globals_release(struct globals *g);
/* Makes the thread-local variables of one thread at `base`. */
void globals_init_tls(const struct globals *g, struct mem *m, const struct ir_program *p,
	uint64_t base);
/* The global at the address, or the nearest one; IR_NONE if there are none. Logarithmic. */
uint32_t globals_find(const struct globals *g, const struct ir_program *p, uint64_t a);

#endif
