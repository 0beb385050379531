#include "log/collect.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/vec.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

struct taken {                   /* chunks of one thread that were written */
	uint32_t next;           /* seq of the next chunk */
	bool any;                /* a whole chunk was written */
	uint32_t part_seq, part; /* last partial chunk: its seq, and its size in bytes */
};

struct collector {
	struct store_writer *w;
	int fd, pidfd;
	uint8_t *map;
	struct log_shared *sh;
	bool dead;                  /* the target is dead; set by the watcher */
	void (*started)(void *ctx); /* NULL after it was called */
	void *started_ctx;
	VEC(struct taken) taken; /* by thread */
	VEC(struct store_crash) crashes;
	uint32_t nthreads;
	uint32_t stop;       /* reason why the target must stop logging: enum log_stop_why + 1; 0 */
	bool parts;          /* partial chunks are written while the target runs */
	bool main_began;     /* the main thread's partial chunk was written, if it had one */
	uint64_t next_parts; /* time of the next partial chunks, in ns */
	uint64_t first_left; /* bytes of the main thread's first record not received yet */
	uint32_t *order;     /* chunks of the list being drained, newest first */
	uint8_t *copy; /* of the chunk being written: the target can change its chunk meanwhile */
	uint64_t tsc_start, ns_start, tsc_end, ns_end;
};

enum { PARTS_EVERY = 100000000 }; /* ns */
enum { BATCH = 128 };             /* chunks after which threads that wait for room are woken */

/* ---- the shared memory ------------------------------------------------------------------- */

static void read_clocks(uint64_t *tsc, uint64_t *ns)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	*tsc = __rdtsc();
	*ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static long call_futex(uint32_t *at, int op, uint32_t value, const struct timespec *timeout)
{
	return syscall(SYS_futex, at, op, value, timeout, NULL, 0);
}

static struct log_chunk *chunk_at(const struct collector *c, uint32_t i)
{
	return (struct log_chunk *)(c->map + LOG_CHUNK_AT(i));
}

static const struct log_ctl *ctl_at(const struct collector *c, uint32_t i)
{
	return (const struct log_ctl *)(c->map + LOG_CTL_AT(i));
}

struct collector *collector_new(struct store_writer *w)
{
	struct collector *c = xcalloc(1, sizeof *c);
	void *p = MAP_FAILED;

	c->w = w;
	c->first_left = sizeof(struct log_thread);
	c->parts = !store_is_limited(w);
	c->fd = sealed_memory("heddle log", LOG_SHARED_SIZE);
	if (c->fd >= 0)
		p = mmap(NULL, LOG_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			c->fd, 0);
	if (p == MAP_FAILED) {
		error_("cannot make memory for the log: %s", strerror(errno));
		if (c->fd >= 0)
			close(c->fd);
		free(c);
		return NULL;
	}
	c->map = p;
	c->sh = p;
	c->order = xmalloc(LOG_MAX_CHUNKS * sizeof *c->order);
	c->copy = xmalloc(LOG_CHUNK_DATA);
	read_clocks(&c->tsc_start, &c->ns_start);
	*c->sh = (struct log_shared){.magic = LOG_MAGIC,
		.version = LOG_VERSION,
		.size = sizeof *c->sh,
		.collector = (uint32_t)getpid()};
	return c;
}

void collector_adopt(struct collector *c, pid_t pid)
{
	__atomic_store_n(&c->sh->collector, (uint32_t)pid, __ATOMIC_RELEASE);
}

void collector_free(struct collector *c)
{
	munmap(c->map, LOG_SHARED_SIZE);
	close(c->fd);
	vec_release(&c->taken);
	vec_release(&c->crashes);
	free(c->order);
	free(c->copy);
	free(c);
}

int collector_fd(const struct collector *c)
{
	return c->fd;
}

void collector_on_start(struct collector *c, void (*started)(void *ctx), void *ctx)
{
	c->started = started;
	c->started_ctx = ctx;
}

bool collector_met_target(const struct collector *c)
{
	return __atomic_load_n(&c->sh->target, __ATOMIC_ACQUIRE) != 0;
}

/* ---- one chunk --------------------------------------------------------------------------- */

/* STORE_KEEP for chunks with the first record of a thread: a limit must not drop them. In an image
 * for a limit, such a record has a chunk of its own; that of the main thread may need several. */
static uint32_t keep_flag(
	struct collector *c, uint32_t thread, uint32_t seq, const uint8_t *data, uint32_t n)
{
	struct log_thread t;

	if (thread)
		return seq ? 0 : STORE_KEEP;
	if (!c->first_left)
		return 0;
	if (!seq && n >= sizeof t) {
		memcpy(&t, data, sizeof t);
		c->first_left += 8 * ((uint64_t)t.ntls + t.nglobals + t.nfuncs);
	}
	c->first_left -= MIN(c->first_left, n);
	return STORE_KEEP;
}

/* The runtime hands over each chunk once, in order of seq. A chunk that is not in order comes from
 * damaged memory. */
static bool in_order(struct collector *c, uint32_t thread, uint32_t seq)
{
	struct taken *t;

	if (thread >= c->taken.n)
		vec_resize(&c->taken, thread + 1);
	t = &c->taken.at[thread];
	if (seq < t->next)
		return false;
	c->nthreads += !t->any;
	t->next = seq + 1;
	t->any = true;
	return true;
}

/* Writes the n bytes of c->copy. */
static void write_chunk(
	struct collector *c, uint32_t thread, uint32_t seq, uint32_t flags, uint32_t n)
{
	if (!store_put_chunk(c->w, thread, seq, flags, c->copy, n))
		return;
	c->stop = LOG_STOP_DISK + 1;
	__atomic_store_n(&c->sh->stop, c->stop, __ATOMIC_RELEASE);
}

static void take_part(struct collector *c, uint32_t id);

static void put_chunk(struct collector *c, uint32_t thread, uint32_t seq, uint32_t flags,
	const uint8_t *data, uint32_t n)
{
	/* The trace is unreadable without the main thread's first record: write it before any
	 * other chunk can fill the disk. */
	if (thread && c->parts && !c->main_began) {
		c->main_began = true;
		take_part(c, 0);
	}
	if (thread >= LOG_MAX_THREADS || n > LOG_CHUNK_DATA || !in_order(c, thread, seq))
		return;
	memcpy(c->copy, data, n);
	flags = (flags & ~STORE_KEEP) | keep_flag(c, thread, seq, c->copy, n);
	write_chunk(c, thread, seq, flags, n);
}

static void give_back(struct collector *c, uint32_t i)
{
	uint64_t head = __atomic_load_n(&c->sh->free_head, __ATOMIC_RELAXED), next;

	do {
		chunk_at(c, i)->next = (uint32_t)head - 1; /* LOG_NONE at the end */
		next = ((head >> 32) + 1) << 32 | (i + 1);
	} while (!__atomic_compare_exchange_n(
		&c->sh->free_head, &head, next, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static void tell_room(struct collector *c)
{
	__atomic_add_fetch(&c->sh->room, 1, __ATOMIC_RELEASE);
	call_futex(&c->sh->room, FUTEX_WAKE, INT32_MAX, NULL);
}

/* ---- the list of full chunks ---------------------------------------------------------------- */

/* Moves the list of full chunks, newest first, to c->order; returns their number. The length limit
 * ends a damaged list. */
static uint32_t take_list(struct collector *c)
{
	uint64_t head = __atomic_exchange_n(&c->sh->done_head, 0, __ATOMIC_ACQUIRE);
	uint32_t i = (uint32_t)head - 1, n = 0;

	while (i < LOG_MAX_CHUNKS && n < LOG_MAX_CHUNKS) {
		c->order[n++] = i;
		i = chunk_at(c, i)->next;
	}
	return n;
}

/* Writes all chunks of the list; false if it was empty. */
static bool drain_list(struct collector *c)
{
	uint32_t n = take_list(c);

	for (uint32_t k = n; k-- > 0;) {
		const struct log_chunk *h = chunk_at(c, c->order[k]);

		put_chunk(c, h->thread, h->seq, h->flags, (const uint8_t *)(h + 1), h->used);
		give_back(c, c->order[k]);
		if (k % BATCH == 0)
			tell_room(c);
	}
	return n;
}

/* ---- last chunks of a dead target ----------------------------------------------------------- */

/* Bytes of the chunk before p, an address in the target; 0 if p is outside the chunk. */
static uint32_t bytes_up_to(const struct collector *c, uint32_t chunk, const uint8_t *p)
{
	uint64_t start = c->sh->base + LOG_CHUNK_AT(chunk) + sizeof(struct log_chunk);
	uint64_t n = (uint64_t)(uintptr_t)p - start;

	return n <= LOG_CHUNK_DATA ? (uint32_t)n : 0;
}

/* Flags of a chunk that was cut to n bytes: without its LOG_STATE if that is not in them. */
static uint32_t cut_flags(uint32_t flags, uint32_t n)
{
	return flags & LOG_CHUNK_STATE && flags >> LOG_CHUNK_AT < n
		       ? LOG_CHUNK_STATE | (flags >> LOG_CHUNK_AT) << LOG_CHUNK_AT
		       : 0;
}

static void take_left(struct collector *c, uint32_t id)
{
	const struct log_ctl *t = ctl_at(c, id);
	const struct log_chunk *h;
	uint32_t proven = 0, n;

	if (t->state == LOG_RUNNING && t->chunk < LOG_MAX_CHUNKS) {
		h = chunk_at(c, t->chunk);
		if (t->commit_seq == t->seq)
			proven = bytes_up_to(c, t->chunk, t->commit);
		n = t->crash_signo ? MAX(proven, bytes_up_to(c, t->chunk, t->cur)) : proven;
		if (n && h->thread == id && h->seq == t->seq)
			put_chunk(
				c, id, t->seq, cut_flags(h->flags, n), (const uint8_t *)(h + 1), n);
		else
			proven = LOG_CHUNK_DATA; /* the last chunk was handed over complete */
	}
	if (t->crash_signo)
		vec_push(&c->crashes, (struct store_crash){.thread = id,
					      .signo = t->crash_signo,
					      .addr = t->crash_addr,
					      .pc = t->crash_pc,
					      .proven = proven});
}

/* ---- partial chunks, while the target runs -------------------------------------------------- */

/* Whether the chunk is half as large again as its last part: so all parts of a chunk together are
 * at most three times its size. */
static bool has_grown(struct collector *c, uint32_t id, uint32_t seq, uint32_t n)
{
	struct taken *t;

	if (id >= c->taken.n)
		vec_resize(&c->taken, id + 1);
	t = &c->taken.at[id];
	if (seq != t->next || !n || (seq == t->part_seq && n < t->part + t->part / 2 + 1))
		return false;
	t->part_seq = seq;
	t->part = n;
	return true;
}

/* Writes the current chunk of a thread up to its last record. The thread may switch to another
 * chunk at the same time; only the collector frees this one, so its data stays. */
static void take_part(struct collector *c, uint32_t id)
{
	const volatile struct log_ctl *t = ctl_at(c, id);
	uint32_t seq = t->seq, chunk = t->chunk, n;

	if (t->state != LOG_RUNNING || chunk >= LOG_MAX_CHUNKS || t->commit_seq != seq)
		return;
	n = bytes_up_to(c, chunk, t->commit);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (t->seq != seq || t->chunk != chunk || chunk_at(c, chunk)->thread != id ||
		chunk_at(c, chunk)->seq != seq || !has_grown(c, id, seq, n))
		return;
	memcpy(c->copy, chunk_at(c, chunk) + 1, n);
	write_chunk(c, id, seq, STORE_PARTIAL, n);
}

static void take_parts(struct collector *c)
{
	uint32_t nthreads = MIN(c->sh->nthreads, LOG_MAX_THREADS);
	uint64_t tsc, ns;

	read_clocks(&tsc, &ns);
	if (!c->parts || ns < c->next_parts)
		return;
	c->next_parts = ns + PARTS_EVERY;
	for (uint32_t i = 0; i < nthreads; i++)
		take_part(c, i);
}

/* ---- the main loop ----------------------------------------------------------------------- */

/* Sleeps until the target hands over a chunk or dies; at most 100 ms, in case a wake-up is lost. */
static void sleep_until_woken(struct collector *c)
{
	static const struct timespec most = {.tv_nsec = 100000000};
	uint32_t wake;

	__atomic_store_n(&c->sh->waiting, 1, __ATOMIC_SEQ_CST);
	wake = __atomic_load_n(&c->sh->wake, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&c->sh->done_head, __ATOMIC_SEQ_CST) &&
		!__atomic_load_n(&c->dead, __ATOMIC_SEQ_CST))
		call_futex(&c->sh->wake, FUTEX_WAIT, wake, &most);
	__atomic_store_n(&c->sh->waiting, 0, __ATOMIC_RELAXED);
}

static void tell_start(struct collector *c)
{
	void (*started)(void *ctx) = c->started;

	/* the runtime sets base last */
	if (!started || !__atomic_load_n(&c->sh->base, __ATOMIC_ACQUIRE))
		return;
	c->started = NULL;
	started(c->started_ctx);
}

static void *watch_log(void *ctx)
{
	struct collector *c = ctx;
	struct pollfd p = {.fd = c->pidfd, .events = POLLIN};

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	__atomic_store_n(&c->dead, true, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&c->sh->wake, 1, __ATOMIC_SEQ_CST);
	call_futex(&c->sh->wake, FUTEX_WAKE, 1, NULL);
	return NULL;
}

void collector_run(struct collector *c, int pidfd)
{
	uint32_t nthreads;
	pthread_t watcher;

	c->pidfd = pidfd;
	if (pthread_create(&watcher, NULL, watch_log, c))
		oom_die();
	while (!__atomic_load_n(&c->dead, __ATOMIC_ACQUIRE)) {
		tell_start(c);
		if (!drain_list(c))
			sleep_until_woken(c);
		take_parts(c);
	}
	pthread_join(watcher, NULL);
	tell_start(c);
	drain_list(c); /* once: a process that the target left behind could add chunks for ever */
	nthreads = MIN(c->sh->nthreads, LOG_MAX_THREADS);
	for (uint32_t i = 0; i < nthreads; i++)
		take_left(c, i);
	read_clocks(&c->tsc_end, &c->ns_end);
}

/* Exit status in the form of waitpid(). A target that recorded no end was killed by an unknown
 * signal: SIGKILL is assumed. */
static int32_t told_status(const struct collector *c)
{
	if (c->crashes.n)
		return c->crashes.at[0].signo & 0x7f;
	return c->sh->exited ? W_EXITCODE(c->sh->exit_status & 0xff, 0) : SIGKILL;
}

void collector_describe(const struct collector *c, struct store_meta *m)
{
	const struct log_shared *sh = c->sh;
	bool start = sh->tsc_start && sh->ns_start;

	if (sh->tsc_end && sh->ns_end) {
		m->tsc_end = sh->tsc_end;
		m->ns_end = sh->ns_end;
	} else if (c->tsc_end) {
		m->tsc_end = c->tsc_end;
		m->ns_end = c->ns_end;
	} else {
		read_clocks(&m->tsc_end, &m->ns_end);
	}
	m->plan = sh->plan;
	m->tsc_start = start ? sh->tsc_start : c->tsc_start;
	m->ns_start = start ? sh->ns_start : c->ns_start;
	m->exited = sh->exited && !c->crashes.n;
	m->status = told_status(c);
	m->forks = sh->forks;
	m->lost = sh->lost;
	m->nthreads = c->nthreads;
	m->stop = c->stop;
	vec_clear(&m->crashes);
	vec_each (&c->crashes, i)
		vec_push(&m->crashes, c->crashes.at[i]);
}
