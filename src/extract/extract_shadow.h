/*
 * Shadows of one thread during its extraction (extract.h): a term for each register of each frame,
 * and a byte of a term for each byte of memory. A value without a shadow is the same in every
 * linearization.
 *
 * The shadow of a byte also holds the byte's recorded value. If memory has another value, code that
 * is not re-executed has changed it, and the shadow does not count.
 */
#ifndef HEDDLE_EXTRACT_EXTRACT_SHADOW_H
#define HEDDLE_EXTRACT_EXTRACT_SHADOW_H

#include "base/map.h"
#include "base/vec.h"
#include "term/term.h"

#include <assert.h>

struct shade { /* bits [8 * part, 8 * part + 8) of the term; TERM_NONE: the constant `byte` */
	term_t term;
	uint8_t part, byte;
};

struct shadow_mem {
	struct map pages; /* address / 64 -> page */
};
void shadow_mem_release(struct shadow_mem *m);
/* Whether a byte of the range has a shadow. */
bool shadow_any(const struct shadow_mem *m, uint64_t addr, uint64_t n);
void shadow_clear(struct shadow_mem *m, uint64_t addr, uint64_t n);
struct shade shadow_get(const struct shadow_mem *m, uint64_t addr);
/* TERM_NONE: as shadow_clear() of one byte. */
void shadow_put(struct shadow_mem *m, uint64_t addr, struct shade s);

/* One term of n bytes, at most 16, lowest byte first; TERM_NONE if no byte has a shadow. */
term_t shades_join(struct terms *ts, const struct shade *s, uint32_t n);
/* Byte i of a term of 8 * n bits whose value was `value`. */
static inline struct shade shade_of(term_t t, uint32_t i, u128 value)
{
	return (struct shade){t, (uint8_t)i, (uint8_t)(value >> 8 * i)};
}

/* ---- registers ------------------------------------------------------------------------------ */

struct shadow_frame {
	uint32_t func, base; /* base: index of register 0 in regs */
	uint32_t call;       /* instruction of the current call */
	uint32_t nshadows;   /* registers that have a shadow */
	bool entered;        /* native code called the function, and gets its results */
};

struct shadow_frames {
	VEC(struct shadow_frame) at;
	VEC(term_t) regs;
};
void shadow_frames_release(struct shadow_frames *s);
void shadow_push(struct shadow_frames *s, uint32_t func, uint32_t nregs);
void shadow_pop(struct shadow_frames *s);
static inline struct shadow_frame *shadow_top(struct shadow_frames *s)
{
	return &s->at.at[s->at.n - 1];
}
static inline term_t shadow_reg(const struct shadow_frames *s, uint32_t reg)
{
	assert(s->at.n && s->at.at[s->at.n - 1].base + reg < s->regs.n);
	return s->regs.at[s->at.at[s->at.n - 1].base + reg];
}
void shadow_set_reg(struct shadow_frames *s, uint32_t reg, term_t t);

#endif
