/*
 * check-name: an unlock of a lock that is not held
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: double-unlock unlock
 */
#include <pthread.h>
#include <unistd.h>

int main(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
	pthread_mutex_init(&m, &attr);
	if (c != 'n')
		pthread_mutex_lock(&m);
#ifdef CORRECT
	if (c != 'n')
#endif
		pthread_mutex_unlock(&m); /* BUG: unlock */
	return 0;
}
