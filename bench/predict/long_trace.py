#!/usr/bin/env python3
"""A C program whose run has many shared accesses and many candidates: THREADS threads go through
STEPS transactions again and again, each of which reads a counter and sets it in two regions of its
lock, so that others may come between. In every other one a semaphore, which no lockset knows, keeps
them out: there the solver has to say no.

long_trace.py ROUNDS: the program on standard output; about 2 * THREADS * STEPS * ROUNDS accesses.
"""
import sys

THREADS, STEPS, COUNTERS = 4, 128, 8

HEAD = """#include <heddle/heddle.h>
#include <pthread.h>
#include <semaphore.h>

static long counter[%d];
static pthread_mutex_t lock[%d];
static sem_t alone[%d];
"""
STEP = """
static void step%(i)d(void)
{
	long v;

%(enter)s	heddle_atomic_begin();
	pthread_mutex_lock(&lock[%(k)d]);
	v = counter[%(k)d];
	pthread_mutex_unlock(&lock[%(k)d]);
	pthread_mutex_lock(&lock[%(k)d]);
	counter[%(k)d] = v + 1;
	pthread_mutex_unlock(&lock[%(k)d]);
	heddle_atomic_end();
%(leave)s}
"""
MAIN = """
static void *work(void *arg)
{
	for (int round = 0; round < %d; round++) {
%s	}
	return arg;
}

int main(void)
{
	pthread_t t[%d];

	for (int i = 0; i < %d; i++) {
		pthread_mutex_init(&lock[i], NULL);
		sem_init(&alone[i], 0, 1);
	}
	for (int i = 0; i < %d; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < %d; i++)
		pthread_join(t[i], NULL);
	return 0;
}
"""


def program(rounds):
    out = HEAD % (COUNTERS, COUNTERS, COUNTERS)
    for i in range(STEPS):
        k = i % COUNTERS
        guarded = k % 2
        out += STEP % {"i": i, "k": k,
                       "enter": "\tsem_wait(&alone[%d]);\n" % k if guarded else "",
                       "leave": "\tsem_post(&alone[%d]);\n" % k if guarded else ""}
    calls = "".join("\t\tstep%d();\n" % i for i in range(STEPS))
    return out + MAIN % (rounds, calls, THREADS, COUNTERS, THREADS, THREADS)


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
