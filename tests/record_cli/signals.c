/* Waits for a signal and says which. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t got;

static void on_signal(int signo)
{
	got = signo;
}

int main(void)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGUSR1, SIGHUP};

	for (int i = 0; i < 4; i++)
		signal(signals[i], on_signal);
	puts("ready");
	fflush(stdout);
	while (!got)
		usleep(1000);
	printf("got %d\n", (int)got);
	return 5;
}
