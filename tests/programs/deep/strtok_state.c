/*
 * check-name: strtok keeps its place for all threads, although each call is under a lock
 * check-command: heddle check --deep -- $exe
 * check-finds: assert token
 * check-allows: race
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char first[] = "a,b", second[] = "x,y";
static int wrong;

static char *next_token(char *text)
{
	char *token;

	pthread_mutex_lock(&lock);
	token = strtok(text, ",");
	pthread_mutex_unlock(&lock);
	return token;
}

static void *split(void *arg)
{
	char *p = next_token(arg), *q = next_token(NULL);

	if (!q || q != p + 2)
		wrong = 1;
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, split, first);
	pthread_create(&u, NULL, split, second);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(!wrong); /* BUG: token */
	return 0;
}
