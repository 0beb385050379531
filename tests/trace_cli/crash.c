/* Crashes in a thread, as its argument says, after a last record; what is logged behind that record
 * must not be taken for what happened. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct node {
	struct node *next;
	long v;
};

static struct node *list;
static long sum;
static char *area;

static void *work(void *how)
{
	switch (*(char *)how) {
	case 'n': /* a null pointer that was just read */
		list = NULL;
		printf("%ld\n", list->v);
		break;
	case 'l': /* off the end of a list */
		for (struct node *n = list;; n = n->next)
			sum += n->v;
	case 'm': /* off the end of a mapping */
		for (long i = 0;; i++)
			area[i] = (char)i;
	case 'w': /* what is no address */
		list = (struct node *)0xdeadbeefcafef00d;
		sum += list->v;
		break;
	case 'd':
		sum /= (long)list->next;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	for (int i = 0; i < 5; i++) {
		struct node *n = malloc(sizeof *n);
		n->next = i > 1 ? list : NULL;
		n->v = i;
		list = n;
	}
	if (argc > 1 && *argv[1] == 'd')
		list->next = NULL;
	area = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(area + 4096, 4096);
	pthread_create(&t, NULL, work, argv[argc - 1]);
	pthread_join(t, NULL);
	printf("%ld\n", sum);
	return 0;
}
