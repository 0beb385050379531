/*
 * Binary search over sorted arrays of any element type. `i` names the index inside the expression;
 * the expression is evaluated about log2(hi - lo) times and must have no side effects.
 *
 *	uint32_t k = lower_bound(0, v.n, i, v.at[i].addr, addr);
 *	if (k < v.n && v.at[k].addr == addr) ...
 *
 * The result has the common type of lo and hi.
 */
#ifndef HEDDLE_BASE_SEARCH_H
#define HEDDLE_BASE_SEARCH_H

/* The first index in [lo, hi) at which `holds` is true; hi if there is none. `holds` must be false for
 * all indices before some index and true from there on. */
#define search_first(lo, hi, i, holds)                                                             \
	({                                                                                         \
		__typeof__((lo) + (hi)) search_lo_ = (lo), search_hi_ = (hi);                      \
                                                                                                   \
		while (search_lo_ < search_hi_) {                                                  \
			__typeof__(search_lo_) i = search_lo_ + (search_hi_ - search_lo_) / 2;     \
                                                                                                   \
			if (holds)                                                                 \
				search_hi_ = i;                                                    \
			else                                                                       \
				search_lo_ = i + 1;                                                \
		}                                                                                  \
		search_lo_;                                                                        \
	})

/* The first index whose key is at least `key`; hi if there is none. */
#define lower_bound(lo, hi, i, key_at_i, key) search_first(lo, hi, i, (key_at_i) >= (key))
/* The first index whose key is above `key`; hi if there is none. The element before it is the last one
 * with a key of at most `key`. */
#define upper_bound(lo, hi, i, key_at_i, key) search_first(lo, hi, i, (key_at_i) > (key))

/* Whether an element with that key exists in [lo, hi); *found is then the index of the first one. */
#define search_find(lo, hi, i, key_at_i, key, found)                                               \
	({                                                                                         \
		__typeof__((lo) + (hi)) search_end_ = (hi), i;                                     \
                                                                                                   \
		i = *(found) = lower_bound(lo, search_end_, i, key_at_i, key);                     \
		i < search_end_ && (key_at_i) == (key);                                            \
	})

#endif
