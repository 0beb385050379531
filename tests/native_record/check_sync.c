/* Checks of one thread, and of synchronization. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "checks.h"

void check_values(void)
{
	RUN(r, "values");
	EXITED(r, 0);
	/* the handler of atexit and the destructor come after 99999 */
	MATCH(&r, 0, HEAD " V(0) RETURN V(1) V(2) * V(99998) V(99999) " TAIL);
	char *late = strstr(r.streams[0].text, " CALLBACK_END CALLBACK(92)");
	uint64_t next = 0;
	if (late)
		*late = 0;
	EXPECT(late && counts_up(&r.streams[0], 0, &next) && next == 100000);
	EXPECT(r.streams[0].chunks > 10 && r.streams[0].flags & LOG_CHUNK_LAST);
	EXPECT(r.shared.base && r.shared.target && r.shared.plan == 0x1234);
	EXPECT(r.shared.tsc_start && r.shared.tsc_end > r.shared.tsc_start);
	EXPECT(r.shared.ns_start && r.shared.ns_end > r.shared.ns_start);
	EXPECT(r.shared.exited == 1 && r.shared.exit_kind == 0 && r.shared.exit_status == 0);
	const struct log_thread *t = &r.streams[0].head;
	EXPECT(t->ntls == 2 && t->nglobals == 3 && t->nfuncs == 2);
	const uint64_t *a = r.streams[0].tables;
	EXPECT(a[0] && a[1] && a[0] != a[1] && a[2] && !a[3] && a[4] && a[5] && !a[6]);
	EXPECT(t->stack_lo < t->stack_hi);
	run_release(&r);
}

static uint64_t sum_of(const uint8_t *p, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + p[i];
	return sum;
}

void check_bulk(void)
{
	static uint8_t from[200000];
	size_t n = sizeof(from);
	char pattern[512];
	for (size_t i = 0; i < n; i++)
		from[i] = (uint8_t)(i * 7 + (i >> 8));
	snprintf(pattern, sizeof(pattern),
		HEAD " B(10:%lx) B(200000:%lx) B(199900:%lx) B(199997:%lx) V(1) " TAIL,
		sum_of(from, 10), sum_of(from, n), sum_of(from, n - 100), sum_of(from + 3, n - 3));
	RUN(r, "bulk");
	EXITED(r, 0);
	MATCH(&r, 0, pattern);
	run_release(&r);
}

void check_heap(void)
{
	RUN(r, "heap");
	EXITED(r, 0);
	/* 'hello' is copied into the new block: at most 100 bytes and what malloc adds */
	MATCH(&r, 0,
		HEAD " malloc(0) malloc(0) realloc(0)... malloc(0) w10?:*6f6c6c6568 "
		     "realloc(0)... malloc(0) free(0) free(0) free(0) malloc(0) w8:* free(0) "
		     "malloc(0) " TAIL);
	const struct sync *y = r.streams[0].syncs;
	EXPECT(r.streams[0].nsyncs == 12);
	EXPECT(y[0].value && y[1].value && y[3].value && y[3].value != y[0].value);
	EXPECT(y[5].value == y[3].value); /* in place */
	EXPECT(y[2].s.seq > y[0].s.seq);  /* one object */
	EXPECT(y[6].s.seq == 0);          /* free(NULL) */
	EXPECT(y[7].s.seq > y[5].s.seq && y[4].s.seq > y[3].s.seq);
	EXPECT(y[11].value == 0);
	run_release(&r);
}

void check_locks(void)
{
	RUN(r, "locks");
	EXITED(r, 0);
	MATCH(&r, 0,
		HEAD " mutex-init(0,0) mutex-init(0,1) lock(0) trylock(16) lock(110) unlock(0) "
		     "lock(0) lock(0) unlock(0) unlock(0) rdlock(0) trywrlock(16) rwlock-unlock(0) "
		     "spin-init(0) spin-lock(0) spin-unlock(0) mutex-destroy(0) " TAIL);
	const struct sync *y = r.streams[0].syncs;
	for (int i = 3; i <= 5; i++)
		EXPECT(y[i].s.seq > y[i - 1].s.seq);
	uint64_t last = 0;
	uint32_t stamps = 0;
	for (size_t i = 0; i < r.streams[0].nsyncs; i++) {
		EXPECT(!y[i].tsc || y[i].tsc > last);
		EXPECT(!y[i].tsc == !(y[i].s.flags & LOG_F_HASH));
		stamps += y[i].tsc != 0;
		last = y[i].tsc ? y[i].tsc : last;
	}
	EXPECT(stamps >= r.streams[0].nsyncs / LOG_STAMPED);
	run_release(&r);
}

void check_waits(void)
{
	RUN(r, "waits");
	EXITED(r, 0);
	MATCH(&r, 0,
		HEAD
		" barrier-init(0,2) sem-init(0,0) sem-trywait(-1) create(0,1) w8:* RETURN "
		"lock(0) cond-wait(0,0)... cond-woken(110,0) cond-signal(0,0) unlock(0) "
		"barrier-enter(0)... barrier-leave(*) sem-wait(0) join(0,1) sem-open(-1) " TAIL);
	MATCH(&r, 1,
		"THREAD(created) CALLBACK(10) lock(0) cond-wait(0,0)... cond-woken(0,0)* "
		"unlock(0) barrier-enter(0)... barrier-leave(*) sem-post(0) CALLBACK_END END");
	const struct sync *m = r.streams[0].syncs, *w = r.streams[1].syncs;
	if (r.streams[1].nsyncs < 6 || r.streams[0].nsyncs < 13)
		return;
	EXPECT(w[1].value == w[2].value && w[1].value != 0);
	EXPECT(w[1].s.seq < w[2].s.seq && w[1].seq2 > w[0].s.seq && w[2].seq2 > w[1].seq2);
	EXPECT(m[7].s.kind == LOG_S_COND_SIGNAL && m[7].seq2 > m[7].s.seq);
	EXPECT(m[7].s.seq > w[1].s.seq && m[7].s.seq < w[2].s.seq);
	EXPECT(m[8].s.kind == LOG_S_UNLOCK && m[8].s.seq < w[2].seq2);
	run_release(&r);
}

void check_once(void)
{
	RUN(r, "once");
	EXITED(r, 0);
	MATCH(&r, 0,
		HEAD " once-begin(0)... CALLBACK(21) once-begin(0)... CALLBACK(20) V(20) CALLBACK_END "
		     "once(0,1) V(21) CALLBACK_END once(0,1) once-begin(0)... once(0,0) "
		     "once-begin(0)... once(0,0) " TAIL);
	run_release(&r);
}

void check_jumps(void)
{
	RUN(r, "jumps");
	EXITED(r, 0);
	MATCH(&r, 0, HEAD " SETJMP JUMP(5) V(5) CALLBACK(30) JUMP(7) V(7) V(1) " TAIL);
	run_release(&r);
}

void check_foreign(void)
{
	RUN(r, "foreign");
	EXITED(r, 0);
	MATCH(&r, 0, HEAD " RETURN join(0,*) " TAIL);
	MATCH(&r, 1, "THREAD(foreign) CALLBACK(40) V(40) RETURN CALLBACK_END END");
	run_release(&r);
}

void check_vararg(void)
{
	RUN(r, "vararg");
	EXITED(r, 0);
	char pattern[128];
	snprintf(pattern, sizeof(pattern), HEAD " V(1) STOP(%d)", LOG_STOP_VARARG_CALLBACK);
	MATCH(&r, 0, pattern);
	EXPECT(r.streams[0].flags ==
		(LOG_CHUNK_LAST | (LOG_STOP_VARARG_CALLBACK + 1) << LOG_CHUNK_WHY));
	run_release(&r);
}

void check_context(void)
{
	RUN(r, "context");
	EXITED(r, 0);
	char pattern[128];
	snprintf(pattern, sizeof(pattern), HEAD " V(1) STOP(%d)", LOG_STOP_CONTEXT);
	MATCH(&r, 0, pattern);
	run_release(&r);
}

void check_environment(void)
{
	RUN(r, "environment", .environment = true, .options = "other=1");
	EXITED(r, 0);
	MATCH(&r, 0, HEAD " " TAIL);
	run_release(&r);
}

void check_state(void)
{
	struct run r;
	run_target(&r, target_whole, "state", &(struct run_options){0});
	EXITED(r, 0);
	const struct stream *s = &r.streams[0];
	MATCH(&r, 0, HEAD " V(0) malloc(0) free(0) V(1) * STATE(0,5,6,1) V(*) " TAIL);
	EXPECT(s->first_used == sizeof(struct log_thread) + 7 * 8);
	EXPECT(s->states >= 3 && s->states == s->chunks - 2); /* not the first, nor main's entry */
	EXPECT(count_words(s, "STATE(") == s->states);
	run_release(&r);
}

/* By hand: everything works, nothing is recorded. */
void check_off(void)
{
	static const char *const names[] = {"values", "bulk", "heap", "locks", "waits", "once",
		"jumps", "foreign", "threads", "cancel", "thread_exit", "signals", "signal_storm",
		"signal_jump", "signal_fork", "fork", "exec_fails", "vararg", "context"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		RUN(r, names[i], .off = true);
		if (!WIFEXITED(r.status) || WEXITSTATUS(r.status))
			fail_(__FILE__, __LINE__, "fails when not recorded", names[i]);
		EXPECT(!r.shared.base && !r.shared.nthreads);
		run_release(&r);
	}
}

void check_dump(void)
{
	char path[] = "/tmp/record_dump.XXXXXX", options[64];
	int fd = mkstemp(path);
	snprintf(options, sizeof(options), "a=1:dump=%s:b=2", path);
	for (int off = 0; off < 2; off++) {
		RUN(r, "locks", .options = options, .off = off);
		EXITED(r, 0);
		/* after the handlers of atexit, which change the first */
		static const char want[] = "\0\0\0\0\10\0\0\0\0\0\0\0\x22\x22\0\0\0\0\0\0"
					   "\2\0\0\0\5\0\0\0\0\0\0\0text";
		char got[128];
		ssize_t n = pread(fd, got, sizeof(got), 0);
		EXPECT(n == sizeof(want) && !memcmp(got, want, sizeof(want)));
		EXPECT(!ftruncate(fd, 0));
		run_release(&r);
	}
	unlink(path);
	close(fd);
}
