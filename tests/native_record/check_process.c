/* Checks of signals, and of the process: exits, forks, exec, kills. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "checks.h"

static uint32_t why_of(const struct stream *s)
{
	return (s->flags >> LOG_CHUNK_WHY & 0xff) - 1;
}

void check_signals(void)
{
	RUN(r, "signals");
	EXITED(r, 0);
	MATCH(&r, 0, HEAD " V(1) sigaction(0,10) raise(0,10) V(2) RETURN V(3) " TAIL);
	for (uint32_t i = 1; i <= 2; i++) {
		MATCH(&r, i, "THREAD(signal) CALLBACK(70) V(70) CALLBACK_END END");
		EXPECT(r.streams[i].head.signo == SIGUSR1 && r.streams[i].head.parent == 0);
	}
	run_release(&r);
}

void check_signal_storm(void)
{
	RUN(r, "signal_storm");
	EXITED(r, 0);
	MATCH(&r, 0,
		HEAD " sigaction(0,14) RETURN V(0) malloc(0) free(0) V(1) * free(0) RETURN " TAIL);
	char *late =
		r.streams[0].text ? strstr(r.streams[0].text, " CALLBACK_END CALLBACK(92)") : NULL;
	uint64_t next = 0;
	if (late)
		*late = 0;
	EXPECT(late && counts_up(&r.streams[0], 0, &next) && next >= 100000);
	EXPECT(r.nstreams > 500);
	for (uint32_t i = 1; i < r.nstreams; i++)
		if (!MATCH(&r, i, "THREAD(signal) CALLBACK(70) V(70) CALLBACK_END END"))
			break;
	run_release(&r);
}

void check_signal_jump(void)
{
	RUN(r, "signal_jump");
	EXITED(r, 0);
	MATCH(&r, 0, HEAD " sigaction(0,10) V(1) SETJMP");
	EXPECT(why_of(&r.streams[0]) == LOG_STOP_JUMP_OUT_OF_SIGNAL);
	char pattern[128];
	snprintf(pattern, sizeof(pattern),
		"THREAD(signal) CALLBACK(71) SETJMP JUMP(1) V(71) STOP(%d)",
		LOG_STOP_JUMP_OUT_OF_SIGNAL);
	MATCH(&r, 1, pattern);
	run_release(&r);
}

void check_signal_jump_any(void)
{
	for (int i = 0; i < 30; i++) {
		RUN(r, "signal_jump_any");
		EXITED(r, 0);
		MATCH(&r, 0, HEAD " sigaction(0,14) SETJMP*");
		uint64_t next;
		EXPECT(counts_up(&r.streams[0], 0, &next));
		EXPECT(r.ctls[0].busy || why_of(&r.streams[0]) == LOG_STOP_JUMP_OUT_OF_SIGNAL);
		for (uint32_t k = 1; k < r.nstreams; k++)
			/* a handler may be left before it says anything */
			MATCH(&r, k, "THREAD(signal)*");
		run_release(&r);
	}
}

void check_signal_old(void)
{
	RUN(r, "signal_old");
	EXITED(r, 0);
	EXPECT(r.nstreams == 1); /* a native handler has no stream */
	MATCH(&r, 0,
		HEAD " sigaction(0,11) w152:0 sigaction(0,12) w152:0 sigaction(0,12) w152:* "
		     "raise(0,12) sigaction(0,12) sigaction(0,12) sigaction(0,12) sigaction(-1,9) "
		     "sigaction(-1,1000) " TAIL);
	run_release(&r);
}

void check_signal_fork(void)
{
	RUN(r, "signal_fork");
	EXITED(r, 0);
	EXPECT(r.shared.forks == 1);
	MATCH(&r, 0, HEAD " sigaction(0,10) V(0) V(1) * V(49998) V(49999) RETURN " TAIL);
	char *late = r.streams[0].text ? strstr(r.streams[0].text, " RETURN CALLBACK_END") : NULL;
	uint64_t next = 0;
	if (late)
		*late = 0;
	EXPECT(late && counts_up(&r.streams[0], 0, &next) && next == 50000);
	MATCH(&r, 1, "THREAD(signal) CALLBACK(72) fork(*) V(72) CALLBACK_END END");
	run_release(&r);
}

static void fatal(const char *scenario, int signo, uint64_t addr)
{
	RUN(r, scenario);
	EXPECT(WIFSIGNALED(r.status) && WTERMSIG(r.status) == signo);
	MATCH(&r, 0, HEAD "*");
	EXPECT(r.ctls[0].crash_signo == signo && r.ctls[0].crash_addr == addr);
	EXPECT(r.ctls[0].crash_pc != 0);
	run_release(&r);
}

void check_fatal(void)
{
	fatal("crash", SIGSEGV, 0x1238);
	fatal("kill_self", SIGBUS, 0);
	fatal("abort", SIGABRT, 0);
	RUN(r, "divide");
	EXPECT(WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGFPE);
	EXPECT(r.ctls[0].crash_signo == SIGFPE && r.ctls[0].crash_addr == r.ctls[0].crash_pc);
	run_release(&r);
	RUN(t, "raised");
	EXPECT(WIFSIGNALED(t.status) && WTERMSIG(t.status) == SIGTERM);
	EXPECT(t.ctls[0].crash_signo == 0 && !t.shared.exited);
	run_release(&t);
}

void check_exits(void)
{
	RUN(r, "exit");
	EXITED(r, 3);
	MATCH(&r, 0, HEAD " V(1) exit(3)... " LATE);
	EXPECT(r.shared.exited && r.shared.exit_kind == 0 && r.shared.exit_status == 3);
	run_release(&r);
	RUN(n, "exit_now");
	EXITED(n, 4);
	MATCH(&n, 0, HEAD " V(1) exit(4)...");
	EXPECT(n.shared.exited && n.shared.exit_kind == 1 && n.shared.exit_status == 4);
	run_release(&n);
	RUN(q, "exit_quick");
	EXITED(q, 6);
	MATCH(&q, 0, HEAD " RETURN exit(6)... CALLBACK(80) V(80) CALLBACK_END END");
	EXPECT(q.shared.exited && q.shared.exit_status == 6);
	run_release(&q);
	RUN(a, "abort");
	MATCH(&a, 0, HEAD " V(1) exit(134)...");
	EXPECT(a.shared.exited && a.shared.exit_kind == 3);
	run_release(&a);
}

void check_exec(void)
{
	RUN(r, "exec");
	EXITED(r, 7);
	MATCH(&r, 0, HEAD " V(1) exec(0)...");
	EXPECT(r.shared.exited && r.shared.exit_kind == 2);
	run_release(&r);
	RUN(f, "exec_fails");
	EXITED(f, 0);
	MATCH(&f, 0, HEAD " exec(0)... exec(-1) V(1) " TAIL);
	EXPECT(f.shared.exited && f.shared.exit_kind == 0);
	run_release(&f);
}

void check_fork(void)
{
	RUN(r, "fork");
	EXITED(r, 0);
	EXPECT(r.shared.forks == 2 && r.nstreams == 1);
	MATCH(&r, 0,
		HEAD
		" RETURN V(1) CALLBACK(81) V(81) CALLBACK_END fork(*) V(0) V(1) * V(99999) "
		"RETURN V(1) CALLBACK(81) V(81) CALLBACK_END fork(*) V(0) * V(99999) RETURN " TAIL);
	EXPECT(!count_words(&r.streams[0], " V(66) V(66)"));
	run_release(&r);
	RUN(n, "fork_native");
	EXITED(n, 0);
	EXPECT(n.shared.forks == 1 && n.nstreams == 1);
	MATCH(&n, 0, HEAD " V(1) RETURN V(0) V(1) * V(99999) RETURN " TAIL);
	run_release(&n);
}

void check_kill(void)
{
	for (int ms = 3; ms < 40; ms += 3) {
		RUN(r, "endless", .kill_after_ms = ms);
		EXPECT(WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGKILL);
		const struct stream *s = &r.streams[0];
		uint64_t next;
		if (s->n && s->bad)
			fail_(__FILE__, __LINE__, s->bad, NULL);
		EXPECT(!s->n || counts_up(s, 0, &next));
		EXPECT(!r.shared.exited);
		run_release(&r);
	}
}

/* The program goes on without it. */
void check_no_collector(void)
{
	RUN(r, "storm", .chunks = 8, .gone = true);
	EXITED(r, 0);
	for (uint32_t i = 0; i < r.nstreams; i++)
		EXPECT(r.ctls[i].state == LOG_ENDED || r.ctls[i].scratch);
	run_release(&r);
}

void check_told_to_stop(void)
{
	RUN(r, "storm", .chunks = 6, .stop = LOG_STOP_LIMIT + 1);
	EXITED(r, 0);
	size_t stopped = 0;
	for (uint32_t i = 1; i < r.nstreams; i++) {
		const struct stream *s = &r.streams[i];
		uint64_t next;
		EXPECT(!s->bad && counts_up(s, i * 1000000, &next));
		stopped += s->flags & LOG_CHUNK_LAST && why_of(s) == LOG_STOP_LIMIT;
	}
	EXPECT(stopped > 0);
	run_release(&r);
}
