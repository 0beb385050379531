/*
 * check-name: a function of which nothing is known is called by two threads: no claim about their order
 * check-command: heddle check -- $exe
 * check-finds: nothing
 * check-exit: 3
 * check-output-contains: calls of 'basename_of_host' (unknown_library.c:19), about which nothing is known, were not reordered
 */
#include <pthread.h>

/* in another library, without bitcode */
__asm__(".globl basename_of_host\n"
	".type basename_of_host, @function\n"
	"basename_of_host: mov $7, %eax\n ret\n");
int basename_of_host(void);

static int got[2];
static void *ask(void *arg)
{
	*(int *)arg = basename_of_host();
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, ask, &got[0]);
	pthread_create(&t[1], NULL, ask, &got[1]);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return got[0] != 7 || got[1] != 7;
}
