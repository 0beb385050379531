/*
 * check-name: a ring of four locks, taken by four stages of a pipeline
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-output-contains: deadlock
 * check-finds: deadlock order
 * check-force: hang
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
	int i = (int)(intptr_t)arg;
	struct stage *from = &stages[i], *to = &stages[(i + 1) % STAGES];

	pthread_mutex_lock(&from->lock);
	forced(1);
	pthread_mutex_lock(&to->lock); /* BUG: order */
	from->items--;
	to->items++;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
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
