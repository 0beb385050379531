/*
 * check-name: a pointer is checked in one lock region and followed in the next
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: null pointer dereference
 * check-finds: null use
 * check-allows: atomicity 'connection'
 * check-force: SIGSEGV
 */
#include "order.h"
#include <pthread.h>
#include <stddef.h>

struct connection {
	int sent;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection only;
static struct connection *connection = &only;

static void *sender(void *arg)
{
	int open;

	pthread_mutex_lock(&lock);
	open = connection != NULL;
	pthread_mutex_unlock(&lock);
	forced(2);
	if (open) {
		pthread_mutex_lock(&lock);
		connection->sent++; /* BUG: use */
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *closer(void *arg)
{
	natural(1);
	forced(1);
	pthread_mutex_lock(&lock);
	connection = NULL;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, sender, NULL);
	pthread_create(&t2, NULL, closer, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return only.sent != 1;
}
