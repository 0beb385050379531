/*
 * check-name: airline: as many agents as seats, and one lock: nobody is ever refused
 * check-command: heddle branches -- $exe
 * check-branch: none
 * check-branch: not stop
 * check-branch: not oversold
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { AGENTS = 3, SEATS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sold;

static void *agent(void *arg)
{
	pthread_mutex_lock(&lock);
	if (sold < SEATS) /* BRANCH: stop */
		sold++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[AGENTS];

	for (int i = 0; i < AGENTS; i++) {
		pthread_create(&t[i], NULL, agent, NULL);
		natural(1);
	}
	for (int i = 0; i < AGENTS; i++)
		pthread_join(t[i], NULL);
	if (sold > SEATS) /* BRANCH: oversold */
		abort();
	return 0;
}
