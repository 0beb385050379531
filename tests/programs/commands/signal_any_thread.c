/*
 * check-name: a signal to the process may be delivered in any thread that does not block it
 * check-command: heddle explore --switch access -- $exe; a=$?; heddle explore --switch access -- $exe main; test $a$? = 30
 * check-output-contains: kill with a signal that several threads may take is not modelled
 * check-output-contains: heddle: no failure in any schedule of this input
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static __thread int sender;
static atomic_int elsewhere;

static void handler(int sig)
{
	(void)sig;
	if (!sender)
		atomic_store(&elsewhere, 1);
}

static void *ends(void *arg)
{
	return arg;
}

static void *sends(void *arg)
{
	sender = 1;
	kill(getpid(), SIGUSR1);
	return arg;
}

/* With an argument no other thread is left that could get it. */
int main(int argc, char **argv)
{
	pthread_t t, u;
	sigset_t set;

	(void)argv;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	signal(SIGUSR1, handler);
	if (argc > 1) {
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		pthread_create(&t, NULL, ends, NULL);
		pthread_join(t, NULL);
		pthread_create(&u, NULL, ends, NULL);
		pthread_join(u, NULL);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		sends(NULL);
	} else {
		pthread_create(&t, NULL, ends, NULL);
		pthread_create(&u, NULL, sends, NULL);
		pthread_join(t, NULL);
		pthread_join(u, NULL);
	}
	assert(!atomic_load(&elsewhere));
	return 0;
}
