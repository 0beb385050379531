/*
 * Concurrent trace programs made by hand, for tests: events are told in the observed order, whichever
 * thread they are of; ctp_made() puts them by thread. A *handle* is the number of an event in that
 * order.
 *
 *	struct ctp_make m;
 *	ctp_make_init(&m, 3);            threads 0 .. 2; 0 creates and joins the others where told
 *	make_create(&m, 0, 1);           CREATE, and BEGIN of thread 1
 *	uint32_t r = make_read(&m, 1, X, 0, 10);
 */
#ifndef HEDDLE_TESTS_CTP_MAKE_H
#define HEDDLE_TESTS_CTP_MAKE_H

#include "base/vec.h"
#include "ctp/ctp.h"

struct ctp_make {
	struct ctp *c;
	VEC(struct ctp_event) log; /* in the observed order */
	struct vec_u32 at;         /* by handle: its event, after ctp_made() */
	uint32_t nthreads;
	uint32_t names;            /* of symbols */
};

void ctp_make_init(struct ctp_make *m, uint32_t nthreads);
/* The finished program, the caller's; ctp_free(). */
struct ctp *ctp_made(struct ctp_make *m);
void ctp_make_release(struct ctp_make *m);

/* place: stands for the line; all of one function unless changed in make_event() */
uint32_t make(struct ctp_make *m, uint32_t thread, enum ctp_kind kind, uint32_t place);
struct ctp_event *make_event(struct ctp_make *m, uint32_t handle);
/* cells are 4 bytes each, numbered; made when first used, initially 0 */
uint32_t make_read(
	struct ctp_make *m, uint32_t thread, uint32_t cell, uint32_t seen, uint32_t place);
uint32_t make_write(
	struct ctp_make *m, uint32_t thread, uint32_t cell, term_t value, uint32_t put, uint32_t place);
/* what a read got */
term_t make_sym(struct ctp_make *m, uint32_t handle);
term_t make_const(struct ctp_make *m, uint32_t value);
uint32_t make_guard(
	struct ctp_make *m, uint32_t thread, enum ctp_kind kind, term_t cond, uint32_t place);
/* locks, semaphores, …: objects are numbers; regions follow from LOCK, UNLOCK, WAIT and WOKEN */
uint32_t make_sync(
	struct ctp_make *m, uint32_t thread, enum ctp_kind kind, uint32_t object, uint32_t place);
/* WAIT (giving the mutex back) and, as an event of its own to be told later, its WOKEN */
uint32_t make_wait(
	struct ctp_make *m, uint32_t thread, uint32_t cond, uint32_t mutex, uint32_t place);
uint32_t make_woken(struct ctp_make *m, uint32_t wait, uint32_t place);
void make_object(struct ctp_make *m, uint32_t object, uint8_t primitive, uint8_t type, int64_t initial);
void make_create(struct ctp_make *m, uint32_t thread, uint32_t child);
void make_end(struct ctp_make *m, uint32_t thread);
uint32_t make_join(struct ctp_make *m, uint32_t thread, uint32_t child);
uint32_t make_block(struct ctp_make *m, uint64_t addr, uint64_t size);

#endif
