/*
 * Bytes that threads send each other through a pipe or a pair of sockets: a read comes after the
 * write of the last byte that it returned. The trace has no order of system calls, but each thread
 * has the number of bytes that it has written and read so far, which says which write that is if
 * one thread writes and one reads.
 *
 * Lifetime: heap of the caller, transfers_release(); the program must not change meanwhile.
 */
#ifndef HEDDLE_CTP_TRANSFERS_H
#define HEDDLE_CTP_TRANSFERS_H

#include "base/vec.h"
#include "ctp/ctp.h"

struct transfers {
	const struct ctp *c;
	struct vec_u32 at; /* HIDDEN events on pipes and pairs of sockets, in the order of events */
};

void transfers_init(struct transfers *t, const struct ctp *c);
void transfers_release(struct transfers *t);
/* The write that the read comes after; one for each alternative of its thread. Empty if it is not
 * known, or the event is no such read. */
void transfers_source(const struct transfers *t, uint32_t event, struct vec_u32 *out);
/* The read has the same result in every linearization: it waits for data, got as many bytes as it
 * asked for, and one write, which the system does not split, put all of them there. */
bool transfers_settled(const struct transfers *t, uint32_t event);

#endif
