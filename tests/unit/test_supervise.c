/* Stages that end, run too long, use too much memory, die, and leave processes behind. */
#include "base/base.h"
#include "base/clock.h"
#include "base/process_tree.h"
#include "base/strbuf.h"
#include "base/supervise.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

static void keep_message(void *ctx, const char *message, size_t n)
{
	strbuf_add(ctx, message, n);
	strbuf_addc(ctx, ';');
}

static enum stage_end run_stage(int (*work)(void *ctx, int fd), double seconds, uint64_t memory,
	struct supervised *st, struct strbuf *got)
{
	struct supervisor s;
	struct process_tree left = {0};
	enum stage_end end;

	assert_int_equal(supervisor_open(&s, 60, memory), 0);
	*st = (struct supervised){.work = work, .receive = keep_message, .ctx = got};
	st->until = clock_seconds() + seconds;
	end = supervisor_run(&s, st);
	supervisor_close(&s);
	process_tree_read(&left, getpid());
	assert_int_equal(left.at.n, 0);
	process_tree_release(&left);
	return end;
}

static int send_two(void *ctx, int fd)
{
	(void)ctx;
	stage_send(fd, "one", 3);
	stage_send(fd, "two", 3);
	return 0;
}

static int send_and_fail(void *ctx, int fd)
{
	(void)ctx;
	stage_send(fd, "one", 3);
	return -1;
}

static void results(void **state)
{
	struct strbuf got = {0};
	struct supervised st;

	(void)state;
	assert_int_equal(run_stage(send_two, 60, 0, &st, &got), STAGE_DONE);
	assert_true(st.returned && !st.result);
	assert_string_equal(got.s, "one;two;");
	strbuf_clear(&got);
	assert_int_equal(run_stage(send_and_fail, 60, 0, &st, &got), STAGE_DONE);
	assert_true(st.returned && st.result == -1);
	assert_string_equal(got.s, "one;");
	strbuf_release(&got);
}

/* Does not look at the request to stop, and has a child that does not, either. */
static int ignore_all(void *ctx, int fd)
{
	(void)ctx;
	stage_send(fd, "begun", 5);
	signal(SIGTERM, SIG_IGN);
	if (!fork())
		prctl(PR_SET_PDEATHSIG, 0);
	while (getppid()) /* for ever */
		pause();
	return 0;
}

static int stop_politely(void *ctx, int fd)
{
	(void)ctx;
	while (!*stage_stop())
		usleep(1000);
	stage_send(fd, "stopped", 7);
	return 0;
}

static void time_holds(void **state)
{
	struct strbuf got = {0};
	struct supervised st;

	(void)state;
	assert_int_equal(run_stage(ignore_all, 0.2, 0, &st, &got), STAGE_TIME);
	assert_true(!st.returned);
	assert_string_equal(got.s, "begun;");
	strbuf_clear(&got);
	assert_int_equal(run_stage(stop_politely, 0.2, 0, &st, &got), STAGE_TIME);
	assert_true(st.returned && !st.result);
	assert_string_equal(got.s, "stopped;");
	strbuf_release(&got);
}

static int leave_child(void *ctx, int fd)
{
	(void)ctx;
	(void)fd;
	if (!fork()) {
		setsid();
		for (;;)
			pause();
	}
	return 0;
}

static void no_process_is_left(void **state)
{
	struct strbuf got = {0};
	struct supervised st;

	(void)state;
	assert_int_equal(run_stage(leave_child, 60, 0, &st, &got), STAGE_DONE);
	strbuf_release(&got);
}

static int use_memory(void *ctx, int fd)
{
	(void)ctx;
	(void)fd;
	while (memset(xmalloc(1 << 20), 1, 1 << 20))
		usleep(200);
	return 0;
}

/* Pages that a process shares with its children count once. */
static int share_memory(void *ctx, int fd)
{
	char *p = xmalloc(40 << 20);

	(void)ctx;
	(void)fd;
	memset(p, 1, 40 << 20);
	for (int i = 0; i < 8; i++)
		if (!fork())
			for (;;)
				pause();
	usleep(600000);
	free(p);
	return 0;
}

static void memory_holds(void **state)
{
	struct strbuf got = {0};
	struct supervised st;

	(void)state;
	assert_int_equal(run_stage(use_memory, 60, 100 << 20, &st, &got), STAGE_MEMORY);
	assert_int_equal(run_stage(share_memory, 60, 150 << 20, &st, &got), STAGE_DONE);
	strbuf_release(&got);
}

static int die(void *ctx, int fd)
{
	(void)ctx;
	(void)fd;
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 0;
}

static int run_out(void *ctx, int fd)
{
	(void)ctx;
	(void)fd;
	_exit(1); /* as oom_die() does */
}

static void death_is_no_result(void **state)
{
	struct strbuf got = {0};
	struct supervised st;

	(void)state;
	assert_int_equal(run_stage(die, 60, 0, &st, &got), STAGE_DIED);
	assert_int_equal(run_stage(run_out, 60, 0, &st, &got), STAGE_DIED);
	assert_true(!st.returned);
	strbuf_release(&got);
}

/* The caller's own signal: it is the stage that ends, and the caller learns which signal it was. */
static int signal_parent(void *ctx, int fd)
{
	(void)ctx;
	kill(getppid(), SIGTERM);
	while (!*stage_stop())
		usleep(1000);
	stage_send(fd, "stopped", 7);
	return 0;
}

static void signals_end_it(void **state)
{
	struct strbuf got = {0};
	struct supervisor s;
	struct supervised st = {.work = signal_parent, .receive = keep_message, .ctx = &got};
	double began = clock_seconds();

	(void)state;
	assert_int_equal(supervisor_open(&s, 600, 0), 0);
	st.until = began + 600;
	assert_int_equal(supervisor_run(&s, &st), STAGE_SIGNAL);
	assert_true(s.interrupted == SIGTERM && supervisor_left(&s) < 10);
	supervisor_close(&s);
	assert_string_equal(got.s, "stopped;");
	strbuf_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results),
		cmocka_unit_test(time_holds),
		cmocka_unit_test(no_process_is_left),
		cmocka_unit_test(memory_holds),
		cmocka_unit_test(death_is_no_result),
		cmocka_unit_test(signals_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
