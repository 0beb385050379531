#include "cc/unit.h"

#include "base/base.h"
#include "base/strbuf.h"
#include "object/spawn.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* the number of bitcode compiles of one command that run at the same time */
#define PARALLEL 2

/* Why a source in that language has no bitcode; NULL if it has. */
static const char *unit_language_why(enum cc_lang lang)
{
	switch (lang) {
	case CC_L_C: return NULL;
	case CC_L_CXX: return "C++ source";
	case CC_L_ASM: return "assembler source";
	case CC_L_IR: return "source in LLVM IR";
	default: return "source in another language than C";
	}
}

/* The number of sources, at most `want`, that can have their memory files open at the same time. */
static uint32_t count_possible_units(uint32_t want)
{
	const rlim_t others = 64, each = 3;
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return want;
	if (r.rlim_cur < others + want * each && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = MIN(r.rlim_max, (rlim_t)(others + want * each));
		setrlimit(RLIMIT_NOFILE, &r);
	}
	return r.rlim_cur > others ? (uint32_t)MIN((r.rlim_cur - others) / each, (rlim_t)want) : 0;
}

void units_init(struct units *us, const struct cc_args *a, const char *clang, int input)
{
	uint32_t room = count_possible_units(a->nsources);

	*us = (struct units){.args = a, .clang = clang, .input = input};
	vec_each (&a->at, i) {
		const struct cc_arg *x = &a->at.at[i];
		struct unit *u;

		if (!cc_arg_is_source(x))
			continue;
		u = vec_add(&us->at);
		*u = (struct unit){.arg = i,
			.source = x->text,
			.lang = x->lang,
			.raw = -1,
			.clean = -1,
			.messages = -1};
		if (unit_language_why(x->lang)) {
			u->why = xstrdup(unit_language_why(x->lang));
			continue;
		}
		if (us->ntaken == room) {
			u->why = xstrdup("too many sources in one command (raise the limit of open "
					 "files)");
			continue;
		}
		us->ntaken++;
		u->raw = memory_file("raw");
		u->clean = memory_file("clean");
		u->messages = memory_file("messages");
	}
}

void units_release(struct units *us)
{
	vec_each (&us->at, i) {
		struct unit *u = &us->at.at[i];

		free(u->why);
		if (u->raw < 0)
			continue;
		close(u->raw);
		close(u->clean);
		close(u->messages);
	}
	vec_release(&us->at);
}

/* A new descriptor for the input of a compile: a duplicate would share its offset. */
static int open_input(const struct units *us, const struct unit *u)
{
	char path[32];

	if (strcmp(u->source, "-"))
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/self/fd/%d", us->input);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void start_compile(const struct units *us, struct unit *u)
{
	static const char *const front_end[] = {"-c", "-emit-llvm", "-w", "-fno-crash-diagnostics",
		"-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-O0-optnone", "-o", "-"};
	struct words w = {0};
	struct spawn s = SPAWN_INIT;
	int in = open_input(us, u);

	vec_push(&w, us->clang);
	for (size_t i = 0; i < ARRAY_SIZE(front_end); i++)
		vec_push(&w, front_end[i]);
	cc_args_compile(us->args, u->arg, CC_NATIVE, &w);
	/* after the options of the user: the last one counts */
	vec_push(&w, "-g");
	/* with exceptions, <pthread.h> makes cleanup handlers that need the unwinder */
	vec_push(&w, "-fno-exceptions");
	vec_push(&w, NULL);
	s.argv = w.at;
	s.in = in;
	s.out = u->raw;
	s.err = u->messages;
	u->pid = spawn_start(&s);
	if (u->pid < 0)
		u->why = xstrdup("the compiler could not be started a second time");
	close(in);
	vec_release(&w);
}

/* The first error among the messages: why the second compile failed. */
static char *first_error(const struct unit *u, int status)
{
	struct strbuf text = {0};
	char *found, *why;

	memory_read(u->messages, &text);
	found = text.n ? strstr(text.s, "error: ") : NULL;
	if (found)
		why = xasprintf("no bitcode: %.*s", (int)strcspn(found + 7, "\n"), found + 7);
	else
		why = xasprintf("no bitcode: the compiler ended with status %d", status);
	strbuf_release(&text);
	return why;
}

static void start_next(struct units *us)
{
	while (us->started < us->at.n) {
		struct unit *u = &us->at.at[us->started++];

		if (!u->why) {
			start_compile(us, u);
			return;
		}
	}
}

void units_start(struct units *us)
{
	for (int i = 0; i < PARALLEL; i++)
		start_next(us);
}

void units_finish(struct units *us)
{
	int status;

	vec_each (&us->at, i) {
		struct unit *u = &us->at.at[i];

		if (u->pid <= 0)
			continue;
		status = spawn_wait(u->pid);
		u->pid = 0;
		if (status)
			u->why = first_error(u, status);
		start_next(us);
	}
}

void units_cancel(struct units *us)
{
	vec_each (&us->at, i) {
		spawn_kill(us->at.at[i].pid);
		us->at.at[i].pid = 0;
	}
}

int unit_compile_native(const struct units *us, const struct unit *u, const char *object)
{
	struct words w = {0};
	struct spawn s = SPAWN_INIT;
	int in = open_input(us, u), quiet = open("/dev/null", O_WRONLY | O_CLOEXEC), status;

	vec_push(&w, us->clang);
	cc_args_compile(us->args, u->arg, 0, &w);
	vec_push(&w, "-w");
	vec_push(&w, "-c");
	vec_push(&w, "-o");
	vec_push(&w, object);
	vec_push(&w, NULL);
	s.argv = w.at;
	s.in = in;
	s.err = quiet;
	status = spawn_run(&s);
	close(in);
	close(quiet);
	vec_release(&w);
	return status;
}
