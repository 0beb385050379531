/*
 * check-name: threads sum up checksums that are made with carry-less multiplication, unlocked
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: race total
 * check-output-excludes: modelled up to
 * check-force: tsan data race
 */
#include "clmul_crc.h"
#include "order.h"

static uint64_t total;

static void *worker(void *arg)
{
	uint64_t c = checksum(data[(long)arg], BLOCK), was;

	was = total; /* BUG: total */
	forced(1);
	total = was ^ c; /* BUG: total */
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
