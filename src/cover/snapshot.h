/*
 * A copy of the writable memory of a machine, for comparing two states of one machine. Lifetime: heap,
 * snapshot_free().
 */
#ifndef HEDDLE_COVER_SNAPSHOT_H
#define HEDDLE_COVER_SNAPSHOT_H

#include "base/vec.h"
#include "machine/machine.h"

struct snapshot;

struct snapshot *snapshot_take(struct machine *m);
void snapshot_free(struct snapshot *s);
/* The addresses of the pages of both that may differ, or that have terms in one of them. */
void snapshots_changed(const struct snapshot *a, const struct snapshot *b, struct vec_u64 *pages);
/* The addresses of the pages that have terms. */
void snapshot_symbolic(const struct snapshot *s, struct vec_u64 *pages);

enum chunk_kind { CHUNK_INVALID, CHUNK_UNDEFINED, CHUNK_VALUE };
/* The value of n bytes, up to 16, in one page: CHUNK_UNDEFINED if some of its bits are undefined. */
enum chunk_kind snapshot_get(
	const struct snapshot *s, struct terms *ts, uint64_t a, unsigned n, term_t *value);
/* The term whose first byte is at the address, with 8 to 128 bits, all of whose bytes follow; or TERM_NONE. */
term_t snapshot_term_at(const struct snapshot *s, const struct terms *ts, uint64_t a);
/* Whether the bytes have the same known or undefined value, and no terms. */
bool snapshots_same_bytes(
	const struct snapshot *a, const struct snapshot *b, uint64_t at, unsigned n);

#endif
