#include "base/base.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "replay/outcome.h"
#include "replay/replay.h"

#include "base/clock.h"
#include "base/debug.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/process_tree.h"
#include "finding/testcase.h"
#include "object/exe.h"
#include "object/spawn.h"
#include "image/image.h"
#include "config.h"
#include "log/collect.h"
#include "log/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* One run of the real program: the shared memory with its schedule, the process, the result. */

enum { MAX_SWITCHES = 1 << 20, MORE_THREADS = 1 << 14, MAX_OUTPUT = 16 << 20, MAX_TURNS = 1 << 17 };
enum { SECONDS = 60, FIRST_FD = 500 /* above the descriptors that the program itself gets */ };

struct run {
	const struct replay_options *opt;
	struct replay_result *res;
	struct image_file found;        /* if the options have no image */
	const struct image_file *image; /* that of the options, or `found` */
	int fd;                         /* memfd of `shared` */
	struct sched_shared *shared;
	struct sched_shared own; /* its head as heddle wrote it: the program can change `shared` */
	uint64_t size;
	int output[2]; /* pipe for output and errors; -1: none */
	struct store_meta meta;
	struct store_writer *writer; /* NULL: not recorded */
	struct collector *collector;
	struct process_tree before; /* the children of heddle that are not of this run */
	double started;
	bool killed; /* the time limit was reached */
};

/* ---- the schedule ------------------------------------------------------------------------ */

static void fill_threads(struct sched_shared *sh, const struct finding *f)
{
	struct sched_thread *t = (void *)((char *)sh + sh->threads_at);

	t[0] = (struct sched_thread){SCHED_NONE, SCHED_NONE};
	for (uint32_t i = 1; f && i < f->threads.n; i++)
		t[i] = (struct sched_thread){f->threads.at[i].parent, f->threads.at[i].nth};
	sh->nthreads = sh->out.nthreads = f ? MAX(f->threads.n, 1u) : 1;
}

static void fill_steps(struct sched_shared *sh, const struct finding *f)
{
	struct sched_step *s = (void *)((char *)sh + sh->steps_at);

	sh->nsteps = f ? f->moves.n : 0;
	for (uint32_t i = 0; i < sh->nsteps; i++)
		s[i] = (struct sched_step){f->moves.at[i].thread, 0, f->moves.at[i].until};
	for (uint32_t i = 0; i < sh->nsteps; i++)
		LOG(replay, "segment %u: thread %u runs until point %" PRIu64, i, s[i].thread,
			s[i].until);
	if (!f)
		return;
	sh->goal = f->goal;
	sh->a = f->a;
	sh->b = f->b;
	sh->at_a = f->at_a;
	sh->at_b = f->at_b;
}

/* Reserves space for the inputs and their texts from offset `at` on; returns the offset behind
 * it. */
static uint64_t place_inputs(const struct replay_options *opt, struct sched_shared *sh, uint64_t at)
{
	sh->ninputs = opt->ninputs;
	sh->inputs_at = at = ALIGN_UP(at, 8);
	at += opt->ninputs * sizeof(struct sched_input);
	for (uint32_t i = 0; i < opt->ninputs; i++)
		at += strlen(opt->inputs[i].name) + 1 + opt->inputs[i].n + 1;
	if (opt->private_dir) {
		sh->private_at = at;
		at += strlen(opt->private_dir) + 1;
	}
	return ALIGN_UP(at, 8);
}

static void fill_inputs(const struct replay_options *opt, struct sched_shared *sh)
{
	struct sched_input *to = (void *)((char *)sh + sh->inputs_at);
	uint64_t at = sh->inputs_at + opt->ninputs * sizeof *to;

	for (uint32_t i = 0; i < opt->ninputs; i++) {
		const struct replay_input *in = &opt->inputs[i];

		to[i] = (struct sched_input){.kind = in->kind,
			.nth = in->nth,
			.name_at = at,
			.bytes_at = at + strlen(in->name) + 1,
			.n = in->n};
		memcpy((char *)sh + to[i].name_at, in->name, strlen(in->name));
		if (in->n)
			memcpy((char *)sh + to[i].bytes_at, in->bytes, in->n);
		at = to[i].bytes_at + in->n + 1;
	}
	if (opt->private_dir)
		memcpy((char *)sh + sh->private_at, opt->private_dir, strlen(opt->private_dir));
}

static int make_schedule(struct run *r, const struct finding *f)
{
	const struct replay_options *opt = r->opt;
	uint32_t threads = (f ? f->threads.n : 1) + MORE_THREADS;
	struct sched_shared sh = {.magic = SCHED_MAGIC,
		.version = SCHED_VERSION,
		.size = sizeof sh,
		.mode = opt->mode,
		.depth = opt->depth,
		.seed = opt->seed,
		.length = opt->length,
		.flags = (opt->stop_at_switch ? SCHED_STOP_AT_SWITCH : 0) |
			 (opt->guard ? SCHED_GUARD : 0) |
			 (f && f->test && f->test->spurious ? SCHED_SPURIOUS : 0) |
			 (r->meta.open || (opt->exclude && *opt->exclude) ? SCHED_OPEN : 0)};

	sh.threads_at = sizeof sh;
	sh.counts_at = sh.threads_at + threads * sizeof(struct sched_thread);
	sh.steps_at = sh.counts_at + threads * sizeof(uint64_t);
	sh.switches_at = sh.steps_at + (f ? f->moves.n : 0) * sizeof(struct sched_step);
	r->size =
		place_inputs(opt, &sh, sh.switches_at + MAX_SWITCHES * sizeof(struct sched_switch));
	sh.out = (struct sched_outcome){
		.thread = SCHED_NONE, .max_threads = threads, .max_switches = MAX_SWITCHES};
	r->fd = sealed_memory("heddle schedule", r->size);
	if (r->fd < 0)
		return error_("cannot create the shared memory of a schedule: %s", strerror(errno));
	r->shared = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->shared == MAP_FAILED) {
		r->shared = NULL;
		return error_("cannot create the shared memory of a schedule: %s", strerror(errno));
	}
	*r->shared = sh;
	fill_threads(r->shared, f);
	fill_steps(r->shared, f);
	fill_inputs(opt, r->shared);
	r->own = *r->shared;
	return 0;
}

/* ---- the trace --------------------------------------------------------------------------- */

static void describe(struct run *r)
{
	const struct replay_options *opt = r->opt;
	struct store_meta *m = &r->meta;

	m->version = LOG_VERSION;
	m->llvm = HEDDLE_LLVM_MAJOR;
	m->exe = realpath(opt->exe, NULL);
	m->cwd = opt->cwd ? realpath(opt->cwd, NULL) : getcwd(NULL, 0);
	m->image = xstrdup("record"); /* the enforce image writes the same log */
	m->started = (uint64_t)time(NULL);
	for (char **a = opt->argv; *a; a++)
		vec_push(&m->argv, xstrdup(*a));
	for (const char *const *e = opt->exclude; e && *e; e++)
		vec_push(&m->exclude, xstrdup(*e));
}

/* A finding with a flip needs a recording: the runtime does not report the directions of branches.
 */
static int choose_trace(struct run *r, const struct finding *f)
{
	struct replay_result *res = r->res;

	if (r->opt->trace) {
		res->trace = xstrdup(r->opt->trace);
	} else if (f && f->flip.kind != FLIP_NONE && !r->opt->debugger) {
		res->trace = temporary_directory("flip");
		res->scratch = true;
		return res->trace ? 0 : -1;
	}
	return 0;
}

static int open_trace(struct run *r)
{
	struct exe *x = exe_open(r->opt->exe);
	struct exe_section bc;
	int rc = -1;

	if (!x)
		return -1;
	describe(r);
	r->writer = store_create(r->res->trace, 0);
	if (!exe_section(x, EXE_BITCODE, &bc)) {
		error_("'%s' carries no bitcode (build it with heddle-cc)", r->opt->exe);
	} else if (r->writer) {
		r->meta.bitcode = hash_bytes(bc.data, bc.n);
		if (!store_put_program(r->writer, bc.data, bc.n) &&
			!store_put_meta(r->writer, &r->meta))
			r->collector = collector_new(r->writer);
		rc = r->collector ? store_settle(r->writer) : -1;
	}
	exe_close(x);
	return rc;
}

/* Stores the executed segments in the trace, if they are complete: the runtime alone scheduled the
 * threads, recorded all segments, and has a name for each thread. */
static void put_turns(struct run *r)
{
	const struct replay_result *res = r->res;
	struct strbuf b = {0};
	bool known = r->opt->mode != SCHED_FREE &&
		     !(res->out.flags & (SCHED_F_NATIVE | SCHED_F_FULL)) &&
		     res->switches.n <= MAX_TURNS;

	for (uint32_t i = 1; i < res->threads.n; i++)
		strbuf_addf(&b, "%s%u.%u", i > 1 ? " " : "", res->threads.at[i].parent,
			res->threads.at[i].nth);
	strbuf_addc(&b, ';');
	vec_each (&res->switches, i) {
		const struct sched_switch *s = &res->switches.at[i];

		known = known && s->thread < res->threads.n;
		strbuf_addf(&b, "%s%u:%" PRIu64, i ? " " : "", s->thread, s->until);
	}
	if (known)
		r->meta.turns = strbuf_detach(&b);
	strbuf_release(&b);
}

static int close_trace(struct run *r)
{
	put_turns(r);
	collector_describe(r->collector, &r->meta);
	r->meta.status = r->res->status;
	r->meta.exited = WIFEXITED(r->res->status);
	r->meta.complete = true;
	return store_put_meta(r->writer, &r->meta) || r->meta.stop ? -1 : 0;
}

/* ---- the process ------------------------------------------------------------------------- */

/* In the child: gives it a copy of fd, whose number is in the environment variable. False:
 * errno. */
static bool inherit(int fd, const char *variable)
{
	int high = fcntl(fd, F_DUPFD, FIRST_FD);
	char number[16];

	if (high < 0)
		high = dup(fd);
	snprintf(number, sizeof number, "%d", high);
	return high >= 0 && !setenv(variable, number, 1);
}

static bool redirect(const struct run *r)
{
	const struct replay_options *opt = r->opt;
	const char *input = opt->input ? opt->input : "/dev/null";
	int fd;

	if (!opt->debugger && strcmp(input, "-")) {
		fd = open(input, O_RDONLY);
		if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
			return false;
		if (fd != STDIN_FILENO)
			close(fd);
	}
	if (r->output[1] >= 0 &&
		(dup2(r->output[1], STDOUT_FILENO) < 0 || dup2(r->output[1], STDERR_FILENO) < 0))
		return false;
	if (opt->output) {
		fd = open(opt->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
			return false;
		if (fd != STDOUT_FILENO)
			close(fd);
	}
	return !opt->cwd || !chdir(opt->cwd);
}

static void become_program(void *ctx)
{
	const struct run *r = ctx;
	const struct replay_options *opt = r->opt;
	VEC(const char *) words = {0};

	/* Without randomization the addresses are the same in every run. */
	personality(personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	if (opt->envp && !opt->debugger)
		environ = (char **)opt->envp;
	if (!redirect(r) || !inherit(r->fd, SCHED_ENV) ||
		(r->collector && !inherit(collector_fd(r->collector), LOG_ENV_FD)))
		return;
	if (!opt->debugger) {
		image_exec(r->image, opt->argv);
		return;
	}
	for (const char *const *w = opt->debugger; *w; w++)
		vec_push(&words, *w);
	vec_push(&words, r->image->path);
	vec_push(&words, NULL);
	execvp(words.at[0], (char *const *)words.at);
}

static void keep_output(struct replay_result *res, const char *data, size_t n)
{
	size_t room = MAX_OUTPUT - res->output.n;

	res->output_cut |= n > room;
	strbuf_add(&res->output, data, MIN(n, room));
}

/* Reads once from the pipe; false at its end. */
static bool read_output(struct run *r)
{
	char buf[65536];
	ssize_t n = read(r->output[0], buf, sizeof buf);

	if (n > 0)
		keep_output(r->res, buf, (size_t)n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static double time_limit(const struct run *r)
{
	return r->opt->seconds > 0 ? r->opt->seconds : SECONDS;
}

/* Waits for the end of the process, reads its output, and kills it at the time limit. Does not
 * wait for its children, which can keep the pipe open. */
static void wait_for_end(struct run *r, int pidfd)
{
	double left;
	struct pollfd p[2] = {{pidfd, POLLIN, 0}, {r->output[0], POLLIN, 0}};

	for (;;) {
		left = r->opt->debugger ? 1e6 : r->started + time_limit(r) - clock_seconds();
		if (left <= 0 && !r->killed) {
			r->killed = true;
			syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
		}
		if (poll(p, 2, left <= 0 ? -1 : (int)(left * 1000) + 1) < 0)
			continue;
		if (p[1].revents && !read_output(r))
			p[1].fd = -1;
		if (p[0].revents)
			break;
	}
	if (p[1].fd < 0)
		return;
	fcntl(p[1].fd, F_SETFL, O_NONBLOCK);
	while (read_output(r) && poll(&p[1], 1, 0) > 0)
		;
}

/* collector_run() blocks until the end of the process; a second thread handles time limit and
 * output. */
struct guard {
	struct run *r;
	int pidfd;
};

static void *guard(void *arg)
{
	struct guard *g = arg;

	wait_for_end(g->r, g->pidfd);
	return NULL;
}

static void watch(struct run *r, pid_t pid)
{
	struct guard g = {r, (int)syscall(SYS_pidfd_open, pid, 0)};
	pthread_t thread;

	if (g.pidfd < 0)
		BUG("cannot watch the program: %s", strerror(errno));
	if (r->collector) {
		if (pthread_create(&thread, NULL, guard, &g))
			BUG("cannot make a thread: %s", strerror(errno));
		collector_run(r->collector, g.pidfd);
		pthread_join(thread, NULL);
	} else {
		wait_for_end(r, g.pidfd);
	}
	close(g.pidfd);
	while (waitpid(pid, &r->res->status, 0) < 0)
		BUG_ON(errno != EINTR);
	process_tree_kill_others(&r->before, 0);
}

/* ---- the result -------------------------------------------------------------------------- */

static int gather(struct run *r, const struct finding *f)
{
	struct replay_result *res = r->res;
	const char *wrong = outcome_take(res, &r->own, f, r->shared);

	if (wrong)
		return error_("'%s' wrote over the memory that heddle shares with it, so the "
			      "outcome of its run "
			      "is not known: %s",
			r->opt->exe, wrong);
	res->killed = r->killed;
	if (r->killed && res->out.fate == SCHED_RUNNING) {
		res->out.fate = SCHED_STUCK;
		snprintf(res->out.text, sizeof res->out.text,
			"the program was killed after %.0f seconds", time_limit(r));
	}
	res->seconds = clock_seconds() - r->started;
	LOG(replay, "the program ran %u segments in %.3f s: outcome %u%s%s", res->switches.n,
		res->seconds, res->out.fate, *res->out.text ? ", " : "", res->out.text);
	return 0;
}

/* Reads the standard output from its file, and shows it. */
static int read_printed(struct run *r)
{
	const struct replay_options *opt = r->opt;

	if (strbuf_read_file(&r->res->printed, opt->output))
		return error_("cannot read '%s': %s", opt->output, strerror(errno));
	if (!opt->quiet)
		fwrite(r->res->printed.s, 1, r->res->printed.n, stdout);
	return 0;
}

/* ---- one run ----------------------------------------------------------------------------- */

static int run(struct run *r, const struct finding *f)
{
	const struct replay_options *opt = r->opt;
	pid_t pid;

	if (image_find_open(opt->exe, &r->meta.open))
		return -1;
	r->image = opt->image;
	if (!r->image && !image_cached(&r->found, opt->exe, IMAGE_ENFORCE, opt->exclude))
		r->image = &r->found;
	if (!r->image || make_schedule(r, f) || choose_trace(r, f) ||
		(r->res->trace && open_trace(r)))
		return -1;
	if (opt->quiet && !opt->debugger && pipe2(r->output, O_CLOEXEC))
		return error_("cannot create a pipe: %s", strerror(errno));
	r->started = clock_seconds();
	fflush(NULL);
	process_tree_adopt(&r->before);
	pid = spawn_call(become_program, r, true);
	if (pid < 0)
		error_("cannot start '%s': %s", opt->exe, strerror(errno));
	if (r->output[1] >= 0)
		close(r->output[1]);
	r->output[1] = -1;
	if (pid < 0)
		return -1;
	watch(r, pid);
	if (gather(r, f) || (opt->output && read_printed(r)))
		return -1;
	return r->collector ? close_trace(r) : 0;
}

int replay_run(const struct replay_options *opt, const struct finding *f, struct replay_result *res)
{
	struct run r = {.opt = opt, .res = res, .fd = -1, .output = {-1, -1}};
	int rc;

	*res = (struct replay_result){0};
	rc = run(&r, f);
	if (r.collector)
		collector_free(r.collector);
	if (r.writer)
		store_close(r.writer);
	if (r.shared)
		munmap(r.shared, r.size);
	if (r.fd >= 0)
		close(r.fd);
	if (r.output[0] >= 0)
		close(r.output[0]);
	store_meta_release(&r.meta);
	process_tree_release(&r.before);
	image_file_release(&r.found);
	if (rc)
		replay_result_release(res);
	return rc;
}

void replay_result_release(struct replay_result *r)
{
	vec_release(&r->switches);
	vec_release(&r->threads);
	vec_release(&r->counts);
	strbuf_release(&r->output);
	strbuf_release(&r->printed);
	if (r->trace && r->scratch)
		remove_directory(r->trace);
	free(r->trace);
	*r = (struct replay_result){0};
}
