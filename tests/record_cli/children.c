/* Says its number, and whether it has a child. */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int status;

	printf("pid %d\n", (int)getpid());
	if (waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD)
		puts("no child");
	return 0;
}
