/*
 * heddle_model.h on the real machine, for one thread: enough to run the models natively beside
 * glibc. Blocking for ever and faults end the test program; a test that expects a fault sets
 * shim_fault_jump.
 */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "heddle_model.h"
#include "shim.h"

jmp_buf *shim_fault_jump;
enum heddle_fault shim_fault_kind;
char shim_fault_text[512];
long shim_syscalls;
char **shim_argv;
int shim_argc;

bool __heddle_sync(const char *kind, void *object)
{
	(void)kind;
	(void)object;
	return false;
}

void __heddle_wait(void *q, const char *why)
{
	(void)q;
	fprintf(stderr, "shim: would wait for ever: %s\n", why);
	exit(99);
}

bool __heddle_wait_condition(void *q, const char *why)
{
	__heddle_wait(q, why);
	return true;
}

bool __heddle_has_world(void)
{
	return false;
}

bool __heddle_writes_outside(int fd)
{
	return fd == 1 || fd == 2;
}

void __heddle_order(const void *state, bool changes)
{
	(void)state, (void)changes;
}

bool __heddle_wait_until(void *q, const char *why, uint64_t deadline)
{
	struct timespec at = {(time_t)(deadline / 1000000000), (long)(deadline % 1000000000)};

	(void)q;
	(void)why;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	return false;
}

unsigned __heddle_notify_one(void *q)
{
	(void)q;
	return 0;
}

unsigned __heddle_notify_all(void *q)
{
	(void)q;
	return 0;
}

bool __heddle_notify_thread(unsigned thread)
{
	(void)thread;
	return false;
}

uint64_t __heddle_now(int clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

unsigned __heddle_thread_create(void (*start)(void *), void *arg)
{
	(void)start;
	(void)arg;
	fprintf(stderr, "shim: no threads here\n");
	exit(99);
}

unsigned __heddle_thread_self(void)
{
	return 0;
}

void __heddle_thread_exit(void)
{
	exit(99);
}

void __heddle_fault(enum heddle_fault kind, const char *message, void *object)
{
	(void)object;
	shim_fault_kind = kind;
	snprintf(shim_fault_text, sizeof shim_fault_text, "%s", message);
	if (shim_fault_jump)
		longjmp(*shim_fault_jump, 1);
	fprintf(stderr, "shim: fault %d: %s\n", kind, message);
	exit(99);
}

void __heddle_exit(int status)
{
	_exit(status);
}

void __heddle_unmodelled(const char *what)
{
	fprintf(stderr, "shim: unmodelled: %s\n", what);
	exit(99);
}

void __heddle_assumption(const char *expression)
{
	__heddle_unmodelled(expression);
}

void __heddle_input(void *object, size_t size, const char *name)
{
	(void)object, (void)size, (void)name;
}

size_t __heddle_known(size_t n)
{
	return n;
}

size_t __heddle_read_size(int fd, size_t n)
{
	(void)fd;
	return n;
}

/* The size asked for stands before the object; fresh bytes are never zero by chance. */
struct header {
	size_t size, start;
};

void *__heddle_alloc(size_t size, size_t align, bool zero)
{
	size_t head = align > sizeof(struct header) ? align : sizeof(struct header);
	char *base = size < PTRDIFF_MAX / 2
			     ? aligned_alloc(head, (size + head + head - 1) / head * head)
			     : NULL;
	struct header *h;

	if (!base)
		return NULL;
	memset(base, zero ? 0 : 0xa5, size + head);
	h = (struct header *)(base + head) - 1;
	*h = (struct header){size, head};
	return base + head;
}

void __heddle_free(void *p)
{
	struct header *h = (struct header *)p - 1;

	free((char *)p - h->start);
}

size_t __heddle_alloc_size(const void *p)
{
	return ((const struct header *)p - 1)->size;
}

long __heddle_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long r = syscall(number, a, b, c, d, e, f);

	shim_syscalls++;
	return r == -1 ? -errno : r;
}

char **__heddle_argv(int *argc)
{
	*argc = shim_argc;
	return shim_argv;
}

char **__heddle_envp(void)
{
	return environ;
}

void (*__heddle_ctor(unsigned i))(int, char **, char **)
{
	(void)i;
	return NULL;
}

void (*__heddle_dtor(unsigned i))(void)
{
	(void)i;
	return NULL;
}

int __heddle_format_double(char *buf, size_t n, const char *spec, double x)
{
	return snprintf(buf, n, spec, x);
}

int __heddle_format_ldouble(char *buf, size_t n, const char *spec, const long double *x)
{
	char with_l[64];
	size_t k = strlen(spec);

	snprintf(with_l, sizeof with_l, "%.*sL%c", (int)k - 1, spec, spec[k - 1]);
	return snprintf(buf, n, with_l, *x);
}

#define PARSE(type, name, function) \
	size_t __heddle_parse_##name(const char *s, type *out, int *range) \
	{ \
		char *end; \
		int error = errno; \
		errno = 0; \
		*out = function(s, &end); \
		if (errno == ERANGE) \
			*range = 1; \
		errno = error; \
		return (size_t)(end - s); \
	}
PARSE(float, float, strtof)
PARSE(double, double, strtod)
PARSE(long double, ldouble, strtold)
