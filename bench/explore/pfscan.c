/*
 * A task queue, of the shape of pfscan: main puts files into a queue, workers take them and look for a
 * word in them; what they find is counted under a lock.
 *
 * context pfscan: worker>scan:{core}@T1,worker>scan:{core}@T2,main:{join}@T0
 * branches: 8
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 2, QUEUE = 4, SIZE = 16, FILES = 6, WORD = 2 };

struct file {
	const char *name;
	char text[SIZE];
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more, less;
	struct file *at[QUEUE];
	unsigned first, n;
	int closed;
} queue;

static struct file files[FILES];
static pthread_mutex_t matches_lock;
static int matches;
static char word[WORD];

static void put(struct file *f)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.n >= QUEUE)
		pthread_cond_wait(&queue.less, &queue.lock);
	queue.at[(queue.first + queue.n) % QUEUE] = f;
	queue.n++;
	pthread_cond_signal(&queue.more);
	pthread_mutex_unlock(&queue.lock);
}

static struct file *get(void)
{
	struct file *f = NULL;

	pthread_mutex_lock(&queue.lock);
	while (queue.n == 0 && !queue.closed)
		pthread_cond_wait(&queue.more, &queue.lock);
	if (queue.n > 0) {
		f = queue.at[queue.first];
		queue.first = (queue.first + 1) % QUEUE;
		queue.n--;
		pthread_cond_signal(&queue.less);
	}
	pthread_mutex_unlock(&queue.lock);
	return f;
}

static int matches_at(const char *text)
{
	for (unsigned i = 0; i < WORD; i++)
		if (text[i] != word[i])
			return 0;
	return 1;
}

static void scan(struct file *f)
{
	for (unsigned i = 0; i <= SIZE - WORD; i++) {
		if (!matches_at(f->text + i)) /* HERE: core */
			continue;
		pthread_mutex_lock(&matches_lock);
		matches++;
		pthread_mutex_unlock(&matches_lock);
	}
}

static void *worker(void *arg)
{
	struct file *f;

	while ((f = get()))
		scan(f);
	return arg;
}

int main(void)
{
	pthread_t t[WORKERS];

	memcpy(word, "ab", WORD);
	pthread_mutex_init(&queue.lock, NULL);
	pthread_cond_init(&queue.more, NULL);
	pthread_cond_init(&queue.less, NULL);
	pthread_mutex_init(&matches_lock, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < FILES; i++) {
		memcpy(files[i].text, "abcabdababcbabca", SIZE);
		put(&files[i]);
	}
	pthread_mutex_lock(&queue.lock);
	queue.closed = 1;
	pthread_cond_broadcast(&queue.more);
	pthread_mutex_unlock(&queue.lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL); /* HERE: join */
	printf("%d\n", matches);
	return 0;
}
