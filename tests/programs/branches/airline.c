/*
 * check-name: airline: each agent stops when the seats are gone, but sells without holding on to that
 * check-command: heddle branches -- $exe
 * check-branch: bug stop
 * check-branch: any last
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>

enum { AGENTS = 3, SEATS = 2 };
static volatile int sold;
static volatile int stop_sales;

static void *agent(void *arg)
{
	int n;

	if (!stop_sales) { /* BRANCH: stop */
		n = __atomic_add_fetch(&sold, 1, __ATOMIC_SEQ_CST);
		if (n >= SEATS) /* BRANCH: last */
			stop_sales = 1;
	}
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
	if (sold > SEATS)
		abort();
	return 0;
}
