/* The collector's part of reader.h: the memory file, the target, and its chunks. */
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "reader_parts.h"

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void append(struct stream *s, const uint8_t *data, size_t n)
{
	if (s->n + n > s->capacity) {
		s->capacity = 2 * (s->n + n);
		s->data = realloc(s->data, s->capacity);
	}
	if (n)
		memcpy(s->data + s->n, data, n);
	s->n += n;
}

static struct log_chunk *chunk(uint8_t *base, uint32_t i)
{
	return (struct log_chunk *)(base + LOG_CHUNK_AT(i));
}

static void give_back(struct log_shared *sh, uint8_t *base, uint32_t i)
{
	uint64_t head = __atomic_load_n(&sh->free_head, __ATOMIC_SEQ_CST);
	do
		chunk(base, i)->next = (uint32_t)head - 1;
	while (!__atomic_compare_exchange_n(&sh->free_head, &head,
		((head >> 32) + 1) << 32 | (uint64_t)(i + 1), false, __ATOMIC_SEQ_CST,
		__ATOMIC_SEQ_CST));
	__atomic_fetch_add(&sh->room, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &sh->room, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

static void need_stream(struct run *r, uint32_t thread)
{
	if (thread < r->nstreams)
		return;
	r->streams = realloc(r->streams, (thread + 1) * sizeof(*r->streams));
	memset(r->streams + r->nstreams, 0, (thread + 1 - r->nstreams) * sizeof(*r->streams));
	r->nstreams = thread + 1;
}

static bool take_done(struct run *r, uint8_t *base)
{
	struct log_shared *sh = (struct log_shared *)base;
	uint64_t head = __atomic_exchange_n(&sh->done_head, 0, __ATOMIC_SEQ_CST);
	uint32_t list = LOG_NONE, next;
	if (!head)
		return false;
	for (uint32_t i = (uint32_t)head - 1; i != LOG_NONE; i = next) { /* newest first */
		next = chunk(base, i)->next;
		chunk(base, i)->next = list;
		list = i;
	}
	for (uint32_t i = list; i != LOG_NONE; i = next) {
		struct log_chunk *c = chunk(base, i);
		next = c->next;
		need_stream(r, c->thread);
		struct stream *s = &r->streams[c->thread];
		if (c->seq != s->chunks)
			s->bad = "chunks out of order";
		if (s->flags & LOG_CHUNK_LAST)
			s->bad = "a chunk after the last";
		if (!c->seq)
			s->first_used = c->used;
		s->states += (c->flags & LOG_CHUNK_STATE) != 0;
		if (c->flags & LOG_CHUNK_STATE &&
			((uint8_t *)(c + 1))[c->flags >> LOG_CHUNK_AT] != LOG_STATE)
			s->bad = "no state where the chunk says so";
		append(s, (uint8_t *)(c + 1), c->used);
		s->chunks++;
		s->flags = c->flags;
		give_back(sh, base, i);
	}
	return true;
}

static void take_rest(struct run *r, uint8_t *base)
{
	struct log_shared *sh = (struct log_shared *)base;
	for (uint32_t i = 0; i < sh->nthreads; i++) {
		struct log_ctl *ctl = (struct log_ctl *)(base + LOG_CTL_AT(i));
		if (ctl->state != LOG_RUNNING || ctl->chunk == LOG_NONE)
			continue;
		need_stream(r, i);
		struct stream *s = &r->streams[i];
		if (ctl->seq < s->chunks || ctl->seq != ctl->commit_seq)
			continue;
		const uint8_t *data = (uint8_t *)(chunk(base, ctl->chunk) + 1);
		uint64_t n = (uint64_t)ctl->commit - sh->base - ((uint64_t)data - (uint64_t)base);
		if (n > LOG_CHUNK_DATA) {
			s->bad = "commit outside of the chunk";
			continue;
		}
		append(s, data, n);
		s->taken_from_ctl = true;
	}
	r->shared = *sh;
	need_stream(r, sh->nthreads ? sh->nthreads - 1 : 0);
	r->ctls = calloc(r->nstreams, sizeof(*r->ctls) + 256);
	memcpy(r->ctls, base + LOG_CTL_AT(0), r->nstreams * sizeof(*r->ctls));
}

static pid_t dead_pid(void)
{
	pid_t pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void start_target(
	const char *program, const char *scenario, const struct run_options *opt, int fd)
{
	char var[64], options[1100];
	snprintf(var, sizeof(var), LOG_ENV_FD "=%d", fd);
	snprintf(options, sizeof(options), "HEDDLE_OPTIONS=%s", opt->options ? opt->options : "");
	char *argv[] = {(char *)program, (char *)scenario, NULL};
	if (opt->environment) {
		char *envp[] = {"FIRST=1", options, var, "LAST=2", NULL};
		execve(program, argv, envp);
	} else {
		if (opt->options)
			putenv(options);
		if (!opt->off)
			putenv(var);
		execv(program, argv);
	}
	_exit(97);
}

static uint64_t now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void collect(struct run *r, uint8_t *base, pid_t pid, const struct run_options *opt)
{
	struct log_shared *sh = (struct log_shared *)base;
	uint64_t started = now_ms();
	bool ended = false;
	while (!ended) {
		ended = waitpid(pid, &r->status, WNOHANG) == pid;
		if (now_ms() - started > 60000)
			kill(pid, SIGKILL);
		if (opt->kill_after_ms && now_ms() - started >= (uint64_t)opt->kill_after_ms)
			kill(pid, SIGKILL);
		bool some = !opt->gone && take_done(r, base);
		if (some && opt->stop)
			__atomic_store_n(&sh->stop, opt->stop, __ATOMIC_SEQ_CST);
		if (ended || (some && !opt->lazy))
			continue;
		__atomic_store_n(&sh->waiting, 1, __ATOMIC_SEQ_CST);
		uint32_t wake = __atomic_load_n(&sh->wake, __ATOMIC_SEQ_CST);
		struct timespec ts = {.tv_nsec = (opt->lazy ? 1 : 5) * 1000000};
		if (!__atomic_load_n(&sh->done_head, __ATOMIC_SEQ_CST))
			syscall(SYS_futex, &sh->wake, FUTEX_WAIT, wake, &ts, NULL, 0);
		__atomic_store_n(&sh->waiting, 0, __ATOMIC_SEQ_CST);
	}
	take_done(r, base);
}

void run_target(
	struct run *r, const char *program, const char *scenario, const struct run_options *opt)
{
	int fd = memfd_create("log", 0);
	memset(r, 0, sizeof(*r));
	if (fd < 0 || ftruncate(fd, (off_t)LOG_SHARED_SIZE))
		die("memfd_create");
	uint8_t *base = mmap(
		NULL, LOG_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (base == MAP_FAILED)
		die("mmap");
	struct log_shared *sh = (struct log_shared *)base;
	sh->magic = LOG_MAGIC;
	sh->version = LOG_VERSION;
	sh->size = sizeof(*sh);
	sh->collector = (uint32_t)(opt->gone ? dead_pid() : getpid());
	sh->nwaiting = opt->chunks;
	sh->nthreads = opt->threads ? LOG_MAX_THREADS - opt->threads : 0;
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		start_target(program, scenario, opt, fd);
	collect(r, base, pid, opt);
	take_rest(r, base);
	munmap(base, LOG_SHARED_SIZE);
	close(fd);
	for (uint32_t i = 0; i < r->nstreams; i++)
		stream_read(&r->streams[i], i);
}

void run_release(struct run *r)
{
	for (uint32_t i = 0; i < r->nstreams; i++) {
		free(r->streams[i].data);
		free(r->streams[i].text);
		free(r->streams[i].tables);
		free(r->streams[i].syncs);
	}
	free(r->streams);
	free(r->ctls);
}
