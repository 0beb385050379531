/* Everything that a program may see of how it was started. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	char line[100], cwd[1000];
	sigset_t mask;

	for (int i = 0; i < argc; i++)
		printf("argument: %s\n", argv[i]);
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "HEDDLE_OPTIONS=", 15))
			printf("environment: %s\n", *e);
	printf("directory: %s\n", getcwd(cwd, sizeof cwd));
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("descriptor: %d\n", fd);
	printf("next descriptor: %d\n", open("/dev/null", O_RDONLY));
	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int s = 1; s < 32; s++) {
		struct sigaction sa;

		sigaction(s, NULL, &sa);
		if (sigismember(&mask, s) || sa.sa_handler == SIG_IGN)
			printf("signal: %d\n", s);
	}
	while (fgets(line, sizeof line, stdin))
		printf("in: %s", line);
	return 0;
}
