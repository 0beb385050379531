/* Checks of threads: how they begin and end. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "checks.h"

static int by_seq(const void *a, const void *b)
{
	const struct sync *x = a, *y = b;
	return (x->s.seq > y->s.seq) - (x->s.seq < y->s.seq);
}

/* All locks and unlocks of the one mutex, by their numbers: no two threads hold it at once. */
static void check_exclusion(const struct run *r, size_t expected)
{
	struct sync *all = calloc(expected + 1, sizeof(*all));
	size_t n = 0;
	for (uint32_t i = 0; i < r->nstreams; i++)
		for (size_t k = 0; k < r->streams[i].nsyncs && n <= expected; k++) {
			uint8_t kind = r->streams[i].syncs[k].s.kind;
			if (kind == LOG_S_LOCK || kind == LOG_S_UNLOCK)
				all[n++] = r->streams[i].syncs[k];
		}
	EXPECT(n == expected);
	qsort(all, n, sizeof(*all), by_seq);
	bool ok = true;
	for (size_t i = 0; i + 1 < n; i += 2)
		ok &= all[i].s.kind == LOG_S_LOCK && all[i + 1].s.kind == LOG_S_UNLOCK &&
		      all[i].thread == all[i + 1].thread && all[i + 1].s.seq != all[i].s.seq;
	EXPECT(ok);
	free(all);
}

void check_threads(void)
{
	RUN(r, "threads");
	EXITED(r, 0);
	EXPECT(r.nstreams == 1001);
	for (uint32_t i = 1; i < r.nstreams; i++) {
		if (!MATCH(&r, i,
			    "THREAD(created) CALLBACK(50) lock(0) V(0) unlock(0) * lock(0) "
			    "V(9) unlock(0) CALLBACK_END END"))
			break;
		const struct log_thread *t = &r.streams[i].head;
		EXPECT(t->parent == 0 && t->self && t->ntls == 2 && t->nglobals == 0);
		EXPECT(t->stack_lo < t->stack_hi && r.streams[i].tables[0] != 0);
		EXPECT(r.ctls[i].state == LOG_ENDED);
	}
	uint32_t created = 0, joined = 0;
	for (size_t k = 0; k < r.streams[0].nsyncs; k++) {
		const struct sync *y = &r.streams[0].syncs[k];
		if (y->s.kind == LOG_S_CREATE)
			EXPECT(y->extra == ++created);
		if (y->s.kind == LOG_S_JOIN)
			EXPECT(y->extra == ++joined);
	}
	EXPECT(created == 1000 && joined == 1000);
	EXPECT(count_words(&r.streams[0], " w8:7 ") == 1000);
	check_exclusion(&r, 20000);
	run_release(&r);
}

static void storm(const struct run *r)
{
	EXITED(*r, 0);
	EXPECT(r->nstreams == 5);
	for (uint32_t i = 1; i < r->nstreams; i++) {
		uint64_t next = 0;
		if (!MATCH(r, i, "THREAD(created) CALLBACK(51) V(*) CALLBACK_END END"))
			return;
		EXPECT(counts_up(&r->streams[i], i * 1000000, &next) &&
			next == i * 1000000 + 300000);
		EXPECT(count_words(&r->streams[i], " free(0)") == 3000);
	}
}

void check_storm(void)
{
	RUN(r, "storm");
	storm(&r);
	run_release(&r);
}

/* The target must wait for the collector, again and again. */
void check_storm_little_room(void)
{
	RUN(r, "storm", .chunks = 6, .lazy = true);
	storm(&r);
	EXPECT(r.shared.nchunks == 6 + r.shared.nthreads);
	run_release(&r);
}

void check_results(void)
{
	RUN(r, "results");
	EXITED(r, 0);
	MATCH(&r, 0,
		HEAD
		" create(0,1) w8:* join(0,1) w4:8 create(*,-1) create(0,2) w8:* join(0,2) " TAIL);
	MATCH(&r, 1, "THREAD(created) CALLBACK(52) V(52) CALLBACK_END END");
	MATCH(&r, 2, "THREAD(created) CALLBACK(50) * CALLBACK_END END");
	EXPECT(r.streams[2].head.stack_hi - r.streams[2].head.stack_lo <= 1 << 18);
	run_release(&r);
}

void check_detached(void)
{
	RUN(r, "detached");
	EXITED(r, 0);
	EXPECT(r.nstreams == 201);
	for (uint32_t i = 1; i < r.nstreams; i++)
		MATCH(&r, i, "THREAD(created) CALLBACK(53) V(53) sem-post(0) CALLBACK_END END");
	for (size_t k = 0, n = 0; k < r.streams[0].nsyncs; k++)
		if (r.streams[0].syncs[k].s.kind == LOG_S_DETACH)
			EXPECT(r.streams[0].syncs[k].extra == ++n);
	run_release(&r);
}

void check_cancel(void)
{
	RUN(r, "cancel");
	EXITED(r, 0);
	MATCH(&r, 0,
		HEAD " RETURN create(0,1) w8:* sem-wait(0) lock(0) unlock(0) cancel(0,1) "
		     "join(0,1) w8:ffffffffffffffff " TAIL);
	/* three rounds of destructors at least come before the end */
	MATCH(&r, 1,
		"THREAD(created) CALLBACK(62) RETURN lock(0) sem-post(0) cond-wait(0,0)... "
		"CALLBACK(61) V(62) unlock(0) CALLBACK_END CALLBACK(60) V(1) RETURN CALLBACK_END "
		"CALLBACK(60) V(2) RETURN CALLBACK_END CALLBACK(60) V(3) RETURN CALLBACK_END*END");
	run_release(&r);
}

void check_cancel_async(void)
{
	RUN(r, "cancel_async");
	EXITED(r, 0);
	MATCH(&r, 1, "THREAD(created) CALLBACK(63) RETURN sem-post(0)*");
	/* unless it was just changing chunks */
	EXPECT(r.ctls[1].busy || r.streams[1].flags == (LOG_CHUNK_LAST | (LOG_STOP_ASYNC_CANCEL + 1)
										 << LOG_CHUNK_WHY));
	uint64_t next;
	EXPECT(counts_up(&r.streams[1], 0, &next));
	run_release(&r);
}

void check_thread_exit(void)
{
	RUN(r, "thread_exit");
	EXITED(r, 0);
	MATCH(&r, 0, HEAD " RETURN create(0,1) w8:* join(0,1) w8:9 " TAIL);
	MATCH(&r, 1,
		"THREAD(created) CALLBACK(64) RETURN V(64) thread-exit(0)... CALLBACK(60) V(1) "
		"RETURN CALLBACK_END CALLBACK(60) V(2) RETURN CALLBACK_END CALLBACK(60) V(3) "
		"RETURN CALLBACK_END*END");
	/* the fourth round is either in this stream or in one of its own */
	size_t fourth = 0;
	for (uint32_t i = 1; i < r.nstreams; i++)
		fourth += count_words(&r.streams[i], "CALLBACK(60) V(4)");
	EXPECT(fourth == 1);
	run_release(&r);
}

void check_main_thread_exit(void)
{
	RUN(r, "main_thread_exit");
	EXITED(r, 0);
	MATCH(&r, 0, HEAD " create(0,1) w8:* thread-exit(0)... END");
	MATCH(&r, 1, "THREAD(created) CALLBACK(65) RETURN V(65) CALLBACK_END END");
	MATCH(&r, 2, "THREAD(foreign) " LATE);
	EXPECT(r.shared.exited);
	run_release(&r);
}

void check_robust(void)
{
	RUN(r, "robust");
	EXITED(r, 0);
	MATCH(&r, 0,
		HEAD " mutex-init(0,16) create(0,1) w8:* join(0,1) lock(130) mutex-init(0,16) "
		     "unlock(0) " TAIL);
	run_release(&r);
}

void check_no_more_threads(void)
{
	RUN(r, "threads", .threads = 5);
	EXITED(r, 0);
	EXPECT(r.shared.nthreads == LOG_MAX_THREADS && r.shared.lost == 1000 - 4);
	MATCH(&r, LOG_MAX_THREADS - 5,
		HEAD " create(0,65532) * create(0,65535) * create(0,-1) * " TAIL);
	MATCH(&r, LOG_MAX_THREADS - 1, "THREAD(created) CALLBACK(50) * CALLBACK_END END");
	run_release(&r);
}
