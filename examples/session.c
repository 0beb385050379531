/*
 * check-name: a session used after another thread freed it
 * check-command: heddle exec --seeds=200 --switch=access -- $exe
 * check-exit: 66
 * check-error-contains: use after free
 * check-error-contains: in session_put
 *
 * Users share a session, and the last one frees it. session_put() reads the counter again after it
 * released the lock: another user may have freed the session before that. Ordinary runs pass.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define USERS 3

struct session {
	int users;
	long served;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct session *session_new(int users)
{
	struct session *s = calloc(1, sizeof *s);

	if (!s)
		abort();
	s->users = users;
	return s;
}

static void session_put(struct session *s)
{
	pthread_mutex_lock(&lock);
	s->users--;
	pthread_mutex_unlock(&lock);
	if (s->users == 0)
		free(s);
}

static void *user(void *arg)
{
	struct session *s = arg;

	pthread_mutex_lock(&lock);
	s->served++;
	pthread_mutex_unlock(&lock);
	session_put(s);
	return NULL;
}

int main(void)
{
	struct session *s = session_new(USERS);
	pthread_t threads[USERS];

	for (int i = 0; i < USERS; i++)
		pthread_create(&threads[i], NULL, user, s);
	for (int i = 0; i < USERS; i++)
		pthread_join(threads[i], NULL);
	puts("all users served");
	return 0;
}
