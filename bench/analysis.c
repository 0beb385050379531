/*
 * Times what happens to a bitcode file before anything runs: the import (LLVM's own reading and our
 * translation) and the points-to analysis. Prints: instructions, import seconds, points-to seconds.
 */
#include "base/strbuf.h"
#include "base/vec.h"
#include "facts/points_to.h"
#include "import/import.h"

#include <stdio.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	struct points_to_options opt = {0};
	struct strbuf bytes = {0};
	struct ir_program *p = ir_program_new();
	struct points_to *pt;
	uint64_t n = 0;
	double start, import, solve;

	if (argc != 2 || strbuf_read_file(&bytes, argv[1])) {
		fprintf(stderr, "usage: bench_analysis FILE.bc\n");
		return 2;
	}
	start = now();
	if (import_bitcode(p, argv[1], bytes.s, bytes.n, 0))
		return 1;
	import = now() - start;
	vec_each (&p->funcs, f)
		n += p->funcs.at[f].insns.n;
	start = now();
	pt = points_to_new(p, &opt);
	solve = now() - start;
	printf("%llu %.3f %.3f\n", (unsigned long long)n, import, solve);
	points_to_free(pt);
	ir_program_free(p);
	strbuf_release(&bytes);
	return 0;
}
