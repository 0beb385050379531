/*
 * check-name: a program that closes its standard output at the end has not redirected it
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <pthread.h>
#include <stdio.h>

static void *prints(void *arg)
{
	printf("%s\n", (char *)arg);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, prints, "a");
	pthread_create(&u, NULL, prints, "b");
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return fclose(stdout) ? 1 : 0;
}
