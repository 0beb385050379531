/*
 * Real calls of library functions, many times with random memory, beside what log/libc.def says
 * of them. Usage: effects [rounds]. The result is TAP.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "watch.h"

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"text", cases_text},
	{"numbers", cases_numbers},
	{"print", cases_print},
	{"scan", cases_scan},
	{"streams", cases_streams},
	{"files", cases_files},
	{"sockets", cases_sockets},
	{"time", cases_time},
	{"process", cases_process},
	{"threads", cases_threads},
	{"math", cases_math},
};

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;
	uint32_t bad, all = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%zu\n", ARRAY_SIZE(cases) + 1);
	printf("%sok 1 - a change without a word is noticed\n", watch_self_test() ? "" : "not ");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bad = watch_failures();
		for (int r = 0; r < rounds && watch_failures() == bad; r++) {
			rng = rng_seed(r);
			round_begin();
			cases[i].run();
		}
		all += watch_failures() != bad;
		printf("%sok %zu - %s, %u calls so far\n", watch_failures() == bad ? "" : "not ",
			i + 2, cases[i].name, watch_calls());
	}
	return all != 0;
}
