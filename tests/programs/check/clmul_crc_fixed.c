/*
 * check-name: threads sum up checksums that are made with carry-less multiplication, under a lock
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "clmul_crc.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t total;

static void *worker(void *arg)
{
	uint64_t c = checksum(data[(long)arg], BLOCK);

	pthread_mutex_lock(&lock);
	total ^= c;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[BLOCKS];

	memset(data, 7, sizeof data);
	for (long i = 0; i < BLOCKS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (int i = 0; i < BLOCKS; i++)
		pthread_join(t[i], NULL);
	printf("%llx\n", (unsigned long long)total);
	return 0;
}
