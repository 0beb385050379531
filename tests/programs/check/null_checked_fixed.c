/*
 * check-name: a pointer is checked and followed in one lock region
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
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
	pthread_mutex_lock(&lock);
	if (connection != NULL) {
		forced(2);
		connection->sent++;
	}
	pthread_mutex_unlock(&lock);
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
	return only.sent > 1;
}
