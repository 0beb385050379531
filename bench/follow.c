/*
 * For bench_record.py: executes every thread of a trace again, one after the other, with nobody
 * looking on. Prints instructions, bytes of log and CPU seconds; 1 if a thread is not reproduced.
 */
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	struct trace *t = argc > 1 ? trace_open(argv[1]) : NULL;
	struct trace_observer nobody = {0};
	uint64_t instructions = 0, bytes = 0;
	bool good = true;
	double began;

	if (!t)
		return 1;
	began = cpu_seconds();
	if (trace_follow(t, &nobody, NULL, 1))
		return 1;
	began = cpu_seconds() - began;
	for (uint32_t i = 0; i < trace_nthreads(t); i++) {
		const struct follow_result *r = &trace_thread(t, i)->result;

		instructions += r->instructions;
		bytes += r->bytes;
		good &= r->status == FOLLOW_DONE || r->status == FOLLOW_CUT;
	}
	printf("%" PRIu64 " %" PRIu64 " %.6f\n", instructions, bytes, began);
	trace_close(t);
	return !good;
}
