/*
 * check-name: getopt_long with permutation and messages
 * check-args: first -v --name=x second -abq --number 5 --no-such --verb -c -- -z third
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	static int flag;
	static const struct option longs[] = {{"name", required_argument, NULL, 'n'},
		{"number", required_argument, NULL, 1000}, {"flag", no_argument, &flag, 3},
		{"verbose", no_argument, NULL, 'v'}, {0}};
	int c;

	argv[0] = strdup("prog");
	while ((c = getopt_long(argc, argv, "ab:vc::", longs, NULL)) != -1)
		printf("%d %s %d\n", c, optarg ? optarg : "-", optind);
	while (optind < argc)
		printf("rest %s\n", argv[optind++]);
	return 0;
}
