/* The assertion behind an untaken branch fails. Both threads call a function that can be excluded.
 */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b, hashes[2];
__attribute__((noinline)) int library_hash(int x)
{
	for (int i = 0; i < 10; i++)
		x = x * 31 + i;
	return x;
}
static void *w(void *x)
{
	hashes[0] = library_hash(3);
	pthread_mutex_lock(&m);
	a = 1;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	b = 1;
	pthread_mutex_unlock(&m);
	return x;
}
static void *r(void *x)
{
	hashes[1] = library_hash(4);
	pthread_mutex_lock(&m);
	int p = a;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	int q = b;
	pthread_mutex_unlock(&m);
	if (p && !q) {
		pthread_mutex_lock(&m);
		int z = a + b;
		pthread_mutex_unlock(&m);
		assert(z == 2);
	}
	return x;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, w, 0);
	pthread_create(&u, 0, r, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
