/*
 * The collector against a process that plays the runtime: threads that log as fast as they can,
 * killed at any time, crashed, held up by a disk that is full, or writing nonsense over the memory
 * that both share. What is in the trace is a prefix of what each thread logged.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "log/collect.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char box[] = "/tmp/heddle-test-collect-XXXXXX";
static char messages[4096];

static void take_message(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(messages, sizeof messages, "%s", text);
}

static int enter(void **state)
{
	(void)state;
	strcpy(box + strlen(box) - 6, "XXXXXX");
	messages[0] = 0;
	diag_set_sink(take_message, NULL);
	return mkdtemp(box) && !chdir(box) ? 0 : -1;
}

static int leave(void **state)
{
	char *command = xasprintf("rm -r '%s'", box);
	int rc = chdir("/") || system(command);

	(void)state;
	free(command);
	diag_set_sink(NULL, NULL);
	return rc;
}

/* ---- the process that plays the runtime ------------------------------------------------------ */

enum how { HOW_END, HOW_CRASH, HOW_FOREVER, HOW_NONSENSE, HOW_NOTHING };

struct player {
	uint8_t *map;
	struct log_shared *sh;
	enum how how;
	uint32_t chunks;
};

struct player_thread {
	struct player *p;
	uint32_t id;
};

/* Byte i of a thread's stream. A "record" ends at every multiple of 8. */
static uint8_t byte_of(uint32_t thread, uint64_t i)
{
	return (uint8_t)(hash_u64((uint64_t)thread << 40 | i >> 3) >> (i & 3) * 8);
}

static struct log_chunk *chunk_at(struct player *p, uint32_t i)
{
	return (struct log_chunk *)(p->map + LOG_CHUNK_AT(i));
}

static uint32_t take_chunk(struct player *p)
{
	uint64_t head = __atomic_load_n(&p->sh->free_head, __ATOMIC_ACQUIRE), next;

	while ((uint32_t)head) {
		uint32_t i = (uint32_t)head - 1;

		next = ((head >> 32) + 1) << 32 | (uint32_t)(chunk_at(p, i)->next + 1);
		if (__atomic_compare_exchange_n(&p->sh->free_head, &head, next, true,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return i;
	}
	/* few chunks, so that they go round */
	if (__atomic_load_n(&p->sh->nchunks, __ATOMIC_RELAXED) < 24)
		return __atomic_fetch_add(&p->sh->nchunks, 1, __ATOMIC_RELAXED);
	return LOG_NONE;
}

static void hand_over(struct player *p, uint32_t i, uint32_t used, uint32_t flags)
{
	uint64_t head = __atomic_load_n(&p->sh->done_head, __ATOMIC_RELAXED);

	chunk_at(p, i)->used = used;
	chunk_at(p, i)->flags = flags;
	do
		chunk_at(p, i)->next = (uint32_t)head - 1;
	while (!__atomic_compare_exchange_n(&p->sh->done_head, &head, (uint64_t)i + 1, true,
		__ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	__atomic_fetch_add(&p->sh->wake, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&p->sh->waiting, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &p->sh->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void enter_chunk(struct player *p, volatile struct log_ctl *ctl, uint32_t seq)
{
	uint32_t i, room;

	for (;;) {
		room = __atomic_load_n(&p->sh->room, __ATOMIC_ACQUIRE);
		i = take_chunk(p);
		if (i != LOG_NONE)
			break;
		syscall(SYS_futex, &p->sh->room, FUTEX_WAIT, room, NULL, NULL, 0);
	}
	chunk_at(p, i)->thread = ctl->id;
	chunk_at(p, i)->seq = seq;
	ctl->chunk = i;
	ctl->commit = (uint8_t *)(chunk_at(p, i) + 1);
	ctl->seq = seq;
	ctl->commit_seq = seq;
	ctl->cur = (uint8_t *)(chunk_at(p, i) + 1);
}

static void *play(void *ctx)
{
	struct player_thread *t = ctx;
	struct player *p = t->p;
	volatile struct log_ctl *ctl = (struct log_ctl *)(p->map + LOG_CTL_AT(t->id));
	uint64_t at = 0;
	uint32_t used = 0;

	ctl->id = t->id;
	enter_chunk(p, ctl, 0);
	ctl->state = LOG_RUNNING;
	for (uint32_t seq = 0; p->how == HOW_FOREVER || seq < p->chunks; seq++) {
		if (seq) {
			hand_over(p, ctl->chunk, used, 0);
			enter_chunk(p, ctl, seq);
		}
		used = LOG_CHUNK_DATA - (seq % 5) * 8;
		for (uint32_t i = 0; i < used; i++) {
			uint8_t *cur = ctl->cur;

			ctl->cur = cur + 1; /* room first, the value then, as compiled code does */
			*(volatile uint8_t *)cur = byte_of(t->id, at++);
			if (at % 8 == 0)
				ctl->commit = ctl->cur;
		}
	}
	if (p->how == HOW_CRASH) {
		hand_over(p, ctl->chunk, used, 0);
		enter_chunk(p, ctl, p->chunks);
		for (int i = 0; i < 13; i++) { /* eight bytes and their record, five more */
			*ctl->cur = byte_of(t->id, at++);
			ctl->cur++;
			if (i == 7)
				ctl->commit = ctl->cur;
		}
		ctl->crash_addr = 0x1234;
		ctl->crash_signo = SIGSEGV;
		kill(getpid(), SIGKILL);
	}
	hand_over(p, ctl->chunk, used, LOG_CHUNK_LAST | 3u << LOG_CHUNK_WHY);
	ctl->state = LOG_ENDED;
	return NULL;
}

static void write_nonsense(struct player *p)
{
	for (uint64_t i = 0, x = 1; i < LOG_CHUNK_AT(40) / 8; i++)
		((uint64_t *)p->map)[i] = x = hash_u64(x + i);
	for (uint32_t i = 0; i < 24; i++) /* a list that is a circle */
		chunk_at(p, i)->next = (i + 1) % 24;
	p->sh->done_head = 3;
	p->sh->nthreads = UINT32_MAX;
	for (uint32_t i = 0; i < 10; i++) {
		struct log_ctl *ctl = (struct log_ctl *)(p->map + LOG_CTL_AT(i));

		*ctl = (struct log_ctl){.state = LOG_RUNNING,
			.chunk = i,
			.commit = (uint8_t *)-5ul,
			.cur = (uint8_t *)p->map,
			.crash_signo = 7,
			.id = i};
	}
}

static pid_t start_player(int fd, enum how how, uint32_t nthreads, uint32_t chunks)
{
	struct player_thread t[8];
	struct player p = {.how = how, .chunks = chunks};
	pthread_t threads[8];
	pid_t pid = fork();

	if (pid)
		return pid;
	p.map = mmap(NULL, LOG_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	p.sh = (struct log_shared *)p.map;
	if (how == HOW_NOTHING)
		_exit(3);
	p.sh->base = (uint64_t)(uintptr_t)p.map;
	p.sh->plan = 0xabc;
	p.sh->target = (uint32_t)getpid();
	if (how == HOW_NONSENSE) {
		write_nonsense(&p);
		_exit(0);
	}
	__atomic_store_n(&p.sh->nthreads, nthreads, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < nthreads; i++) {
		t[i] = (struct player_thread){&p, i};
		pthread_create(&threads[i], NULL, play, &t[i]);
	}
	for (uint32_t i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	p.sh->exited = 1;
	_exit(0);
}

/* ---- running it --------------------------------------------------------------------------- */

struct run {
	enum how how;
	uint32_t nthreads, chunks;
	useconds_t kill_after; /* 0 = never */
	rlim_t disk; /* size of the largest file (RLIMIT_FSIZE), for a full disk; 0 = any */
	struct store_meta meta;
};

struct killer {
	pid_t pid;
	useconds_t after;
};

static void *kill_later(void *ctx)
{
	const struct killer *k = ctx;

	usleep(k->after);
	kill(k->pid, SIGKILL);
	return NULL;
}

static void run_collector(struct collector *c, int pidfd, rlim_t disk)
{
	struct rlimit old, small;

	getrlimit(RLIMIT_FSIZE, &old);
	small = (struct rlimit){disk ? disk : old.rlim_cur, old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	collector_run(c, pidfd);
	setrlimit(RLIMIT_FSIZE, &old);
}

static void record(struct run *r)
{
	struct store_writer *w = store_create("t", 0);
	struct collector *c = collector_new(w);
	struct killer k = {.after = r->kill_after};
	pthread_t killer;
	int pidfd, status;

	k.pid = start_player(collector_fd(c), r->how, r->nthreads, r->chunks);
	pidfd = (int)syscall(SYS_pidfd_open, k.pid, 0);
	assert_true(pidfd >= 0);
	if (r->kill_after)
		pthread_create(&killer, NULL, kill_later, &k);
	run_collector(c, pidfd, r->disk);
	if (r->kill_after)
		pthread_join(killer, NULL);
	assert_int_equal(waitpid(k.pid, &status, 0), k.pid);
	r->meta = (struct store_meta){.version = LOG_VERSION};
	collector_describe(c, &r->meta);
	store_put_meta(w, &r->meta);
	if (!r->kill_after) /* that may come before the first instruction */
		assert_int_equal(collector_met_target(c), r->how != HOW_NOTHING);
	collector_free(c);
	close(pidfd);
	store_close(w);
}

/* Every stream is a prefix; bytes of it. */
static uint64_t check_stream(struct store *s, uint32_t i)
{
	uint8_t *got = xmalloc(LOG_CHUNK_DATA);
	const struct store_stream *st = store_stream(s, i);
	uint64_t at = 0;

	assert_null(st->damage);
	for (uint32_t k = 0; k < st->nchunks; k++) {
		int64_t n = store_read(s, i, k, got);

		assert_true(n >= 0);
		for (int64_t b = 0; b < n; b++)
			if (got[b] != byte_of(st->thread, at + (uint64_t)b))
				fail_msg("thread %u: byte %lu differs", st->thread,
					at + (uint64_t)b);
		at += (uint64_t)n;
	}
	free(got);
	return at;
}

static void test_whole(void **state)
{
	struct run r = {.how = HOW_END, .nthreads = 4, .chunks = 60};
	struct store *s;

	(void)state;
	record(&r);
	s = store_open("t");
	assert_int_equal(store_nthreads(s), 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(
			check_stream(s, i), 60ull * LOG_CHUNK_DATA - 12 * (8 + 16 + 24 + 32));
		assert_true(store_stream(s, i)->begins && store_stream(s, i)->ends);
		assert_int_equal(store_stream(s, i)->stop, 3);
	}
	assert_true(r.meta.exited && r.meta.nthreads == 4 && !r.meta.stop && !r.meta.crashes.n);
	assert_true(r.meta.plan == 0xabc && r.meta.tsc_end > r.meta.tsc_start &&
		    r.meta.ns_end > r.meta.ns_start);
	store_free(s);
}

static void test_killed(void **state)
{
	uint64_t bytes = 0, records = 0;

	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		struct run r = {
			.how = HOW_FOREVER, .nthreads = 3, .kill_after = 1 + hash_u64(i) % 60000};
		struct store *s;

		record(&r);
		s = store_open("t");
		for (uint32_t k = 0; k < store_nthreads(s); k++) {
			uint64_t n = check_stream(s, k);

			assert_int_equal(n % 8, 0); /* up to a record */
			assert_false(store_stream(s, k)->ends);
			bytes += n;
			records += n % LOG_CHUNK_DATA != 0;
		}
		assert_false(r.meta.exited);
		store_free(s);
	}
	assert_true(bytes > 1 << 20 && records > 10);
}

static void test_crashed(void **state)
{
	struct run r = {.how = HOW_CRASH, .nthreads = 1, .chunks = 2};
	struct store *s;

	(void)state;
	record(&r);
	s = store_open("t");
	assert_int_equal(check_stream(s, 0), 2ull * LOG_CHUNK_DATA - 8 + 13);
	assert_int_equal(r.meta.crashes.n, 1);
	assert_int_equal(r.meta.crashes.at[0].signo, SIGSEGV);
	assert_int_equal(r.meta.crashes.at[0].addr, 0x1234);
	assert_int_equal(r.meta.crashes.at[0].proven, 8);
	vec_release(&r.meta.crashes);
	store_free(s);
}

static void test_nothing_logged(void **state)
{
	struct run r = {.how = HOW_NOTHING};
	struct store *s;

	(void)state;
	record(&r);
	s = store_open("t");
	assert_int_equal(store_nthreads(s), 0);
	store_free(s);
}

static void test_nonsense(void **state)
{
	struct run r = {.how = HOW_NONSENSE};
	struct store *s;

	(void)state;
	record(&r);
	s = store_open("t");
	assert_non_null(s);
	store_free(s);
	vec_release(&r.meta.crashes);
}

/* The target comes to its end all the same. */
static void test_full_disk(void **state)
{
	struct run r = {.how = HOW_END, .nthreads = 4, .chunks = 60, .disk = 1000000};
	struct store *s;

	(void)state;
	record(&r);
	assert_true(r.meta.exited);
	assert_int_equal(r.meta.stop, LOG_STOP_DISK + 1);
	assert_non_null(strstr(messages, "cannot write 't/log'"));
	s = store_open("t");
	assert_true(store_nthreads(s) >= 1);
	for (uint32_t i = 0; i < store_nthreads(s); i++)
		check_stream(s, i);
	store_free(s);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		T(test_whole),
		T(test_killed),
		T(test_crashed),
		T(test_nothing_logged),
		T(test_nonsense),
		T(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
