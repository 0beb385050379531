/*
 * check-name: neighbours in an array and in a struct are different memory
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 */
#include "order.h"
#include <pthread.h>

static char letters[4];
static struct {
	char a, b;
	short c;
	int d;
} fields;

static void *even(void *arg)
{
	letters[0] = 'a';
	letters[2] = 'c';
	fields.a = 1;
	fields.c = 3;
	return arg;
}

static void *odd(void *arg)
{
	natural(1);
	letters[1] = 'b';
	letters[3] = 'd';
	fields.b = 2;
	fields.d = 4;
	return arg;
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, even, NULL);
	pthread_create(&t2, NULL, odd, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return letters[0] + letters[3] != 'a' + 'd' || fields.a + fields.b + fields.c + fields.d != 10;
}
