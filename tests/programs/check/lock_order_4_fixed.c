/*
 * check-name: a ring of four locks, the lower one first
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>
#include <stdint.h>

enum { STAGES = 4 };
static struct stage {
	pthread_mutex_t lock;
	int items;
} stages[STAGES];

static void *move(void *arg)
{
	int i = (int)(intptr_t)arg, j = (i + 1) % STAGES;
	struct stage *from = &stages[i], *to = &stages[j];
	struct stage *low = i < j ? from : to, *high = i < j ? to : from;

	pthread_mutex_lock(&low->lock);
	forced(1);
	pthread_mutex_lock(&high->lock);
	from->items--;
	to->items++;
	pthread_mutex_unlock(&high->lock);
	pthread_mutex_unlock(&low->lock);
	return NULL;
}

int main(void)
{
	pthread_t t[STAGES];

	for (int i = 0; i < STAGES; i++)
		pthread_mutex_init(&stages[i].lock, NULL);
	for (int i = 0; i < STAGES; i++) {
		pthread_create(&t[i], NULL, move, (void *)(intptr_t)i);
		natural(1);
	}
	for (int i = 0; i < STAGES; i++)
		pthread_join(t[i], NULL);
	return stages[0].items;
}
