/*
 * check-name: locks used wrongly
 * explore: --sym argv[1]:1
 * args: x
 * test: {"argv": ["x", "u"], "outcome": {"fate": "fault", "kind": "double-unlock"}}
 * says: same: the main thread unlocked a lock that no thread held
 * test: {"argv": ["x", "l"], "outcome": {"fate": "fault", "kind": "double-lock"}}
 * says: same: the main thread waits for itself
 * test: {"argv": ["x", "d"], "outcome": {"fate": "fault", "kind": "destroy"}}
 * says: same: the main thread destroyed a lock that was held
 * test: {"argv": ["x", "x"], "outcome": {"fate": "fault", "kind": "use-destroyed"}}
 * says: same: the main thread used a destroyed object
 */
#include <pthread.h>

int main(int argc, char **argv)
{
	pthread_mutex_t m;
	char what = argc > 1 ? argv[1][0] : 0;

	pthread_mutex_init(&m, NULL);
	if (what == 'u')
		pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	if (what == 'l')
		pthread_mutex_lock(&m);
	if (what == 'd')
		pthread_mutex_destroy(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_destroy(&m);
	if (what == 'x')
		pthread_mutex_lock(&m);
	return 0;
}
