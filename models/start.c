/* The start of a program: the work of the C start-up files and the dynamic loader. */
#include "model.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int main(int argc, char **argv, char **envp);
extern char *__progname, *__progname_full;
void __m_time_start(void);

void __heddle_start(void)
{
	int argc;
	char **argv = __heddle_argv(&argc);
	void (*ctor)(int, char **, char **);

	__m_time_start();
	__environ = __heddle_envp();
	if (argc > 0) {
		char *slash = strrchr(argv[0], '/');
		__progname_full = argv[0];
		__progname = slash ? slash + 1 : argv[0];
	}
	for (unsigned i = 0; (ctor = __heddle_ctor(i)); i++)
		ctor(argc, argv, __environ);
	exit(main(argc, argv, __environ));
}
