/*
 * The driver when things go wrong: a worker is killed, the time or the memory is spent. Each time what
 * is known is told, and the rest counts as undecided.
 */
#include "base/vec.h"
#include "ctp_make.h"

#include "predict/predict.h"
#include "trace/check.h"

#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { X, Y };
enum { M };
enum { THREADS = 12, HARD = 3 };

struct got {
	uint32_t races, asserts;
	struct predict_stats st;
};

static void found(void *ctx, struct finding *f)
{
	struct got *g = ctx;

	g->races += f->kind == FAULT_RACE;
	g->asserts += f->kind == FAULT_ASSERT;
	finding_free(f);
}

/*
 * A race that is found at once, and assertions that nobody can decide in a minute: the threads multiply
 * and add, each with numbers of its own, in any order.
 */
static struct ctp *hard_program(struct ctp_make *m)
{
	uint32_t value = 1;

	ctp_make_init(m, THREADS + 1);
	make_object(m, M, CHECK_MUTEX, 0, 0);
	for (uint32_t t = 1; t <= THREADS; t++)
		make_create(m, 0, t);
	make_write(m, 1, Y, make_const(m, 1), 1, 5);
	make_write(m, 2, Y, make_const(m, 2), 2, 6);
	for (uint32_t t = 1; t <= THREADS; t++) {
		uint32_t r, by = 2 * t + 1, more = 1000003 * t;

		make_sync(m, t, CTP_LOCK, M, 10);
		r = make_read(m, t, X, t == 1 ? 0 : value, 11);
		value = (t == 1 ? 0 : value) * by + more;
		make_write(m, t, X,
			term_add(m->c->ts, term_mul(m->c->ts, make_sym(m, r), make_const(m, by)),
				make_const(m, more)),
			value, 12);
		make_sync(m, t, CTP_UNLOCK, M, 13);
		make_end(m, t);
	}
	for (uint32_t t = 1; t <= THREADS; t++)
		make_join(m, 0, t);
	for (uint32_t i = 0; i < HARD; i++) {
		uint32_t r = make_read(m, 0, X, value, 30 + 2 * i);

		make_guard(m, 0, CTP_ASSERT,
			term_ne(m->c->ts, make_sym(m, r), make_const(m, 0x12345678 + i)),
			31 + 2 * i);
	}
	make_end(m, 0);
	return ctp_made(m);
}

static void ask(struct got *g, struct predict_options opt)
{
	struct ctp_make m;
	struct ctp *c = hard_program(&m);

	*g = (struct got){0};
	opt.kinds = 1u << FAULT_RACE | 1u << FAULT_ASSERT;
	opt.switches = -1;
	opt.found = found;
	opt.ctx = g;
	assert_null(ctp_wrong(c));
	assert_int_equal(predict(c, &opt, &g->st), 0);
	ctp_free(c);
	ctp_make_release(&m);
}

static bool says(const struct got *g, const char *text)
{
	vec_each (&g->st.limits, i)
		if (strstr(g->st.limits.at[i], text))
			return true;
	return false;
}

/* ---- a worker is killed ------------------------------------------------------------------------ */

/* The processes that have this parent, but for this one. */
static uint32_t children_of(pid_t parent, pid_t *out, uint32_t max)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	uint32_t n = 0;

	while (d && (e = readdir(d))) {
		char path[300], line[512] = "", state;
		int ppid;
		FILE *f;

		if (!isdigit(e->d_name[0]))
			continue;
		snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(line, sizeof line, f) && strrchr(line, ')') &&
			sscanf(strrchr(line, ')') + 1, " %c %d", &state, &ppid) == 2 &&
			ppid == parent && state != 'Z' && atoi(e->d_name) != getpid() && n < max)
			out[n++] = atoi(e->d_name);
		fclose(f);
	}
	if (d)
		closedir(d);
	return n;
}

/* One worker after the other, each when it has been there for a while: it then works at something
 * hard. */
static pid_t start_killer(uint32_t kills)
{
	pid_t parent = getpid(), pid = fork(), last = 0;

	if (pid)
		return pid;
	for (uint32_t i = 0; i < 600 && kills; i++) {
		pid_t at[8];
		uint32_t n = children_of(parent, at, 8);

		if (n && at[0] == last && !kill(at[0], SIGKILL))
			kills--;
		last = n ? at[0] : 0;
		usleep(400000);
	}
	_exit(0);
}

static void test_killed(void **state)
{
	struct got g;
	pid_t killer = start_killer(HARD);

	(void)state;
	ask(&g, (struct predict_options){.jobs = 2, .query_seconds = 100});
	kill(killer, SIGKILL);
	waitpid(killer, NULL, 0);
	assert_int_equal(g.races, 1);
	assert_int_equal(g.asserts, 0);
	assert_int_equal(g.st.kind[FAULT_ASSERT].unknown, HARD);
	assert_int_equal(g.st.kind[FAULT_RACE].unknown, 0);
	assert_true(says(&g, "3 of 4 possible violations could not be decided: the worker was killed by "
			     "SIGKILL"));
	assert_true(says(&g, "3 worker processes died"));
	predict_stats_release(&g.st);
}

/* ---- budgets ------------------------------------------------------------------------------------- */

static double out_of_time(uint32_t jobs, double seconds, double query_seconds)
{
	double took;
	struct got g;

	ask(&g, (struct predict_options){
			.jobs = jobs, .seconds = seconds, .query_seconds = query_seconds});
	assert_int_equal(g.races, 1);
	assert_int_equal(g.asserts, 0);
	assert_true(says(&g, "the limit of time"));
	assert_true(says(&g, "the solver ran out of time"));
	took = g.st.seconds;
	predict_stats_release(&g.st);
	return took;
}

static void test_time(void **state)
{
	(void)state;
	assert_true(out_of_time(1, 1, 100) < 3);
	assert_true(out_of_time(2, 1, 100) < 3);
	/* the second query would end after 6 seconds */
	assert_true(out_of_time(1, 3.5, 3) < 5);
}

static void test_memory(void **state)
{
	struct got g;

	(void)state;
	for (uint32_t jobs = 1; jobs < 3; jobs++) {
		ask(&g, (struct predict_options){.jobs = jobs, .memory = 1, .query_seconds = 100});
		assert_int_equal(g.races + g.asserts, 0);
		assert_true(says(&g, "4 of 4 possible violations were not checked completely"));
		assert_true(says(&g, "memory"));
		predict_stats_release(&g.st);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
