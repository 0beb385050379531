/*
 * check-name: two threads read the same file through streams of their own
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *reads(void *in)
{
	assert(fgetc(in) == 'x');
	fclose(in);
	return NULL;
}

int main(void)
{
	pthread_t t, u;
	FILE *f = fopen("shared.tmp", "w"), *a, *b;

	fputs("x", f);
	fclose(f);
	a = fopen("shared.tmp", "r");
	b = fopen("shared.tmp", "r");
	pthread_create(&t, NULL, reads, a);
	pthread_create(&u, NULL, reads, b);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	remove("shared.tmp");
	return 0;
}
