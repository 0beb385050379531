/*
 * check-name: places that are none are refused with what would have been possible
 * check-command: for s in 'wrok@T1' 'work:999@T1' 'work' 'work@T1,main@T1' 'main>helper@T0' 'work@T1@sleep' 'work:26@T1@wait' ''; do heddle explore --tests none -o $tmp/out --from "$s" -- $exe 2>&1; echo "status $?"; done
 * check-output-contains: no function 'wrok'
 * check-output-contains: did you mean 'work'
 * check-output-contains: last line with code is
 * check-output-contains: write FUNCTION[:LINE]@T1
 * check-output-contains: two places
 * check-output-contains: only '@wait'
 * check-output-contains: no call on line 26
 * check-output-contains: status 2
 * check-output-excludes: status 0
 * check-output-excludes: status 1
 * check-output-excludes: status 66
 */
#include <pthread.h>

static int helper(int x)
{
	return x + 1;
}

static void *work(void *arg)
{
	return (void *)(long)helper((int)(long)arg);
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
