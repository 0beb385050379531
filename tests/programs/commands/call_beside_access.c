/*
 * check-name: a call of the C library is one step only where no other thread accesses its memory
 * check-command: heddle explore --switch access -- $exe; a=$?; heddle explore --switch access -- $exe t; b=$?; heddle explore --switch access -- $exe t lock; test $a$b$? = 330
 * check-output-contains: a call of 'strcpy' and another thread may access the same memory
 * check-output-contains: strtok_r' and another thread may access the same memory
 * check-output-contains: heddle: no failure in any schedule of this input
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun;
static char text[16] = "a,b,c", other[16] = "long text";
static int options, seen;

static void lock(void)
{
	if (options > 2)
		pthread_mutex_lock(&m);
}

static void unlock(void)
{
	if (options > 2)
		pthread_mutex_unlock(&m);
}

static void *writes(void *arg)
{
	char *state = text + 2, line[8];

	atomic_store(&begun, 1);
	lock();
	if (options > 1)
		strtok_r(NULL, ",", &state);
	else
		strcpy(text, other);
	unlock();
	snprintf(line, sizeof line, "%s", "mine");
	return arg;
}

static void *reads(void *arg)
{
	if (atomic_load(&begun)) {
		lock();
		seen = text[3];
		unlock();
	}
	printf("%s\n", "read");
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t, u;

	(void)argv;
	options = argc;
	pthread_create(&t, NULL, writes, NULL);
	pthread_create(&u, NULL, reads, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
