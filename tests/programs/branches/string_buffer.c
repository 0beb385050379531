/*
 * check-name: string buffer: one is appended to another whose length changes between two looks at it
 * check-command: heddle branches -- $exe
 * check-branch: bug get_chars
 * check-branch: any grow
 * check-branch: unclear end
 * check-branch: unclear some
 */
#include "../check/order.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
	pthread_mutex_t lock;
	volatile int count;
	int size;
	char *text;
};
static char a_text[8], b_text[8] = "abcdef";
static struct buffer a = {PTHREAD_MUTEX_INITIALIZER, 4, 8, a_text};
static struct buffer b = {PTHREAD_MUTEX_INITIALIZER, 6, 8, b_text};

static int length(struct buffer *s)
{
	int n;

	pthread_mutex_lock(&s->lock);
	n = s->count;
	pthread_mutex_unlock(&s->lock);
	return n;
}

static void get_chars(struct buffer *s, int end, char *to)
{
	pthread_mutex_lock(&s->lock);
	if (end > s->count) /* BRANCH: get_chars */
		abort();
	memcpy(to, s->text, end);
	pthread_mutex_unlock(&s->lock);
}

static void *append(void *arg)
{
	int n, count;

	pthread_mutex_lock(&a.lock);
	n = length(&b);
	count = a.count + n;
	if (count > a.size) { /* BRANCH: grow */
		a.text = calloc(count, 1);
		a.size = count;
	}
	get_chars(&b, n, a.text + a.count);
	a.count = count;
	pthread_mutex_unlock(&a.lock);
	return arg;
}

static void *delete(void *arg)
{
	int end = 6, n;

	pthread_mutex_lock(&b.lock);
	if (end > b.count) /* BRANCH: end */
		end = b.count;
	n = end - 1;
	if (n > 0) /* BRANCH: some */
		b.count -= n;
	pthread_mutex_unlock(&b.lock);
	return arg;
}

static void *trim(void *arg)
{
	pthread_mutex_lock(&b.lock);
	b.count = 4;
	pthread_mutex_unlock(&b.lock);
	return arg;
}

int main(void)
{
	pthread_t t1, t2, t3, t4;

	pthread_create(&t1, NULL, append, NULL);
	natural(1);
	pthread_create(&t2, NULL, delete, NULL);
	natural(1);
	pthread_create(&t3, NULL, delete, NULL);
	natural(1);
	pthread_create(&t4, NULL, trim, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	pthread_join(t3, NULL);
	pthread_join(t4, NULL);
	return 0;
}
