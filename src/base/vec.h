/*
 * Growing vector of any element type; the fields are the interface.
 *
 *	VEC(uint32_t) v = {0};
 *	vec_push(&v, 7);
 *	vec_each (&v, i)
 *		use(v.at[i]);
 *	vec_release(&v);
 *
 * A zeroed vector is an empty one. Growth moves the elements: keep indices, not pointers.
 */
#ifndef HEDDLE_BASE_VEC_H
#define HEDDLE_BASE_VEC_H

#include "base/base.h"

#include <stdlib.h>

#define VEC(T)                                                                                     \
	struct {                                                                                   \
		T *at;                                                                             \
		uint32_t n, cap;                                                                   \
	}

#define vec_reserve(v, want)                                                                       \
	((v)->cap < (want) ? (void)((v)->at = vec_grow_((v)->at, &(v)->cap, (want),                \
					    sizeof *(v)->at))                                      \
			   : (void)0)
#define vec_push(v, ...) (vec_reserve(v, (v)->n + 1), (void)((v)->at[(v)->n++] = (__VA_ARGS__)))
/* appends a zeroed element and returns its address, valid until the next growth */
#define vec_add(v)                                                                                 \
	(vec_reserve(v, (v)->n + 1), (v)->at[(v)->n] = (__typeof__(*(v)->at)){0},                  \
		&(v)->at[(v)->n++])
#define vec_pop(v)   ((v)->at[--(v)->n])
#define vec_last(v)  ((v)->at[(v)->n - 1])
#define vec_clear(v) ((void)((v)->n = 0))
#define vec_release(v)                                                                             \
	(free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0, (void)0)
/* sets the number of elements; new ones are zeroed */
#define vec_resize(v, want)                                                                        \
	do {                                                                                       \
		uint32_t want_ = (want);                                                           \
		vec_reserve(v, want_);                                                             \
		if (want_ > (v)->n)                                                                \
			__builtin_memset((v)->at + (v)->n, 0,                                      \
				(size_t)(want_ - (v)->n) * sizeof *(v)->at);                       \
		(v)->n = want_;                                                                    \
	} while (0)
#define vec_each(v, i) for (uint32_t i = 0; i < (v)->n; i++)

/* VEC(uint32_t) and VEC(uint64_t) as named types, for parameters */
struct vec_u32 {
	uint32_t *at;
	uint32_t n, cap;
};

struct vec_u64 {
	uint64_t *at;
	uint32_t n, cap;
};

/* Sort in rising order; vec_u32_sort() sorts the elements from index `from` on. */
void sort_u32(uint32_t *at, size_t n);
void sort_u64(uint64_t *at, size_t n);
void vec_u32_sort(struct vec_u32 *v, uint32_t from);

void *vec_grow_(void *at, uint32_t *cap, size_t want, size_t size);

#endif
