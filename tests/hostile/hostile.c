/*
 * A program that attacks the heddle that runs it, in the way that its argument names. It knows
 * heddle's descriptors and memory: those of its parent are in /proc, its own mappings, too.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *work(void *arg)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		shared++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void run_threads(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/* Cuts the memory files of the parent to `size` bytes. */
static void truncate_parent(long size)
{
	char dir[64], name[512], to[512];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof dir, "/proc/%d/fd", (int)getppid());
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		ssize_t n;
		int fd;

		snprintf(name, sizeof name, "%s/%.64s", dir, e->d_name);
		n = readlink(name, to, sizeof to - 1);
		if (n < 0)
			continue;
		to[n] = 0;
		if (!strstr(to, "memfd:heddle"))
			continue;
		fd = open(name, O_RDWR);
		printf("truncate: %s\n", fd >= 0 && !ftruncate(fd, size) ? "done" : "refused");
	}
}

enum { MOST = 32 << 20 }; /* bytes of each mapping: its head and tables are at its start */

static uint64_t state = 88172645463325252u;

static uint64_t rng_next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static char *maps[8];
static size_t sizes[8];
static int nmaps;

/* The mappings that are shared with heddle. */
static void find_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && nmaps < 8 && fgets(line, sizeof line, f)) {
		unsigned long lo, hi;

		if (!strstr(line, "memfd:heddle") || sscanf(line, "%lx-%lx", &lo, &hi) != 2)
			continue;
		maps[nmaps] = (char *)lo;
		sizes[nmaps++] = hi - lo < MOST ? hi - lo : MOST;
	}
	if (f)
		fclose(f);
}

__attribute__((noinline)) static void scribble(const char *how)
{
	for (int i = 0; i < nmaps; i++) {
		volatile uint64_t *p = (volatile uint64_t *)maps[i];
		size_t n = sizes[i] / 8;

		for (size_t k = 0; k < n; k++)
			if (!strcmp(how, "ones"))
				p[k] = UINT64_MAX;
			else if (!strcmp(how, "zeros"))
				p[k] = 0;
			else if (!strcmp(how, "random"))
				p[k] = rng_next();
			else if (!strcmp(how, "few")) /* plausible numbers, here and there */
				k += rng_next() % 64, k < n ? p[k] = rng_next() % 70000 : 0;
			else /* large ones behind the head, which is not changed */
				k < 64 ? 0 : (p[k] |= UINT64_C(0x7fffffff7fffffff));
	}
}

static void leave(void)
{
	fflush(stdout);
	syscall(SYS_exit_group, 0);
}

/* A process that goes on writing when the program has ended. */
static void scribble_later(void)
{
	if (!fork()) {
		setsid();
		for (;;)
			scribble("random");
	}
	usleep(20000);
	leave();
}

static void fork_tree(int depth)
{
	for (int i = 0; i < depth; i++)
		fork();
}

/* Each process ends as soon as it has a successor. */
static void fork_chain(unsigned pause)
{
	if (fork())
		return;
	setsid();
	for (;;) {
		if (fork())
			_exit(0);
		usleep(pause);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	run_threads();
	find_maps();
	if (!strcmp(how, "cut")) {
		truncate_parent(0);
	} else if (!strcmp(how, "grow")) {
		truncate_parent(INT64_C(1) << 40);
	} else if (!strcmp(how, "kill")) {
		kill(getppid(), SIGKILL);
	} else if (!strcmp(how, "later")) {
		scribble_later();
	} else if (!strcmp(how, "tree")) {
		pid_t own = getpid();

		fork_tree(6);
		if (getpid() != own)
			for (;;)
				pause();
	} else if (!strcmp(how, "chain")) {
		fork_chain(3000);
	} else if (!strcmp(how, "fast-chain")) {
		fork_chain(0);
	} else if (*how) {
		scribble(how);
		leave();
	}
	run_threads();
	printf("end %d\n", shared);
	return 0;
}
