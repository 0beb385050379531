/*
 * check-name: an assumption about the global variables of the initial state leaves fewer paths and no false failure
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-run: --from work:$first@T1 => assert small
 * check-run: --from work:$first@T1 --assume 'conf.limit == 8' --assume 'conf.part[1] < conf.limit' => 3
 * check-run: --from work:$first@T1 --assume 'conf.part[1] <= conf.limit && conf.limit == 8' => assert small
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct conf {
	unsigned limit;
	unsigned char part[2];
};

static struct conf conf;
static int seen;

static void *work(void *arg)
{
	if (seen) /* AT: first */
		return NULL;
	if (conf.limit < 9)
		assert(conf.part[1] < conf.limit); /* BUG: small */
	seen = 1;
	return conf.part[0] ? arg : NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 2)
		return 1;
	conf.limit = (unsigned)atoi(argv[1]);
	conf.part[0] = (unsigned char)argv[1][0];
	conf.part[1] = (unsigned char)argv[1][1];
	seen = argc > 2;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return seen;
}
