/*
 * check-name: approved by two who must each find the other's mark, then changed, then signed
 * check-command: heddle check --deep -- $exe
 * check-finds: assert signed
 */
#include "../check/order.h"
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int marks, text, signed_text = -1;

static int mark(int mine)
{
	int m;

	pthread_mutex_lock(&lock);
	m = marks;
	marks = m | mine;
	pthread_mutex_unlock(&lock);
	return m;
}

static void sign(void)
{
	pthread_mutex_lock(&lock);
	signed_text = text;
	pthread_mutex_unlock(&lock);
}

static void *first(void *arg)
{
	if (mark(1) & 2)
		if (mark(4) & 8)
			sign();
	return arg;
}

static void *second(void *arg)
{
	natural(1);
	mark(2);
	mark(8);
	return arg;
}

static void *editor(void *arg)
{
	natural(2);
	pthread_mutex_lock(&lock);
	text = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3;

	pthread_create(&t1, NULL, first, NULL);
	pthread_create(&t2, NULL, second, NULL);
	pthread_create(&t3, NULL, editor, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	assert(signed_text != 1); /* BUG: signed */
	return 0;
}
