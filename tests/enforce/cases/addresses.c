/*
 * check-name: addresses of blocks and stacks do not depend on the schedule
 * drive: --mode random --seed 1
 * same: output
 * expect: fate exited 0
 * expect: flags 0
 * drive: --mode random --seed 2
 * same: output
 * drive: --mode random --seed 3 --trace traced
 * same: output
 * drive: --mode pct --depth 3 --length 100 --seed 5
 * same: output
 * drive: --step 0:3 --step 3:12 --step 2:12 --step 1:9
 * same: output
 * expect: diverged 0
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static int turns; /* points between which others may run */
static void *passed[3];
static char said[6][2048];

static void say(long who, const char *what, const void *p)
{
	size_t n = strlen(said[who]);

	snprintf(said[who] + n, sizeof said[who] - n, "%ld %s %p\n", who, what, p);
}

static int inner(void *arg)
{
	int here;

	say((long)arg, "stack", &here);
	say((long)arg, "self", (void *)pthread_self());
	say((long)arg, "malloc", malloc(100));
	turns++;
	return 7;
}

static void *outer(void *arg)
{
	long who = (long)arg;
	int here, got;
	void *p = NULL;
	thrd_t t;

	say(who, "stack", &here);
	say(who, "self", (void *)pthread_self());
	for (int i = 0; i < 3; i++) {
		free(p);
		p = malloc(10 + 100 * (size_t)i);
		say(who, "malloc", p);
		turns++;
	}
	say(who, "calloc", calloc(3, 1000));
	say(who, "realloc", p = realloc(p, 5000));
	say(who, "large", malloc(50 << 20));
	say(who, "aligned", aligned_alloc(4096, 8192));
	if (posix_memalign(&p, 256, 100))
		abort();
	say(who, "aligned", p);
	free(passed[who]); /* who allocated it does not feel it */
	passed[(who + 1) % 3] = malloc(30);
	thrd_create(&t, inner, (void *)(who + 3));
	turns++;
	thrd_join(t, &got);
	if (got != 7)
		abort();
	say(who, "last", p = malloc(1));
	return p;
}

int main(void)
{
	pthread_attr_t attr;
	pthread_t t[3];
	void *p;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], i ? &attr : NULL, outer, (void *)i);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &p);
		free(p);
	}
	for (int i = 0; i < 6; i++)
		fputs(said[i], stdout);
	return 0;
}
