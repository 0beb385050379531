/*
 * Runs every scenario under seeds 1..n (first argument, 100 by default; a name after it runs that
 * one only), each in a process of its own, and prints TAP.
 */
#include "shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OUTCOMES = 32 };

static int run_in_child(const struct scenario *s, uint64_t seed)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(20);
		_exit((int)shim_run(s->run, seed));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return OUTCOME_BROKEN;
	return WIFEXITED(status) ? WEXITSTATUS(status) : OUTCOME_BROKEN;
}

static bool run_seeds(const struct scenario *s, uint64_t seeds)
{
	unsigned seen[MOST_OUTCOMES] = {0};

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		int outcome = run_in_child(s, seed);
		if (outcome != (int)s->expected && outcome != (int)s->also) {
			printf("# %s: outcome %d under seed %lu, expected %d\n", s->name, outcome,
				(unsigned long)seed, s->expected);
			return false;
		}
		seen[outcome]++;
	}
	if (!seen[s->expected] || !seen[s->also]) {
		printf("# %s: only one of its two outcomes seen\n", s->name);
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct scenario *files[] = {lock_scenarios, wait_scenarios, thread_scenarios,
		misuse_scenarios};
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	int n = 0, failed = 0;

	setvbuf(stdout, NULL, _IONBF, 0); /* children must not print it again */
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
		for (const struct scenario *s = files[f]; s->name; s++) {
			if (argc > 2 && strcmp(argv[2], s->name))
				continue;
			bool ok = run_seeds(s, seeds);
			printf("%s %d - %s\n", ok ? "ok" : "not ok", ++n, s->name);
			failed += !ok;
		}
	}
	printf("1..%d\n", n);
	return failed != 0;
}
