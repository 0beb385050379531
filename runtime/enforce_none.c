/*
 * enforce.h for the recording runtime, which has no schedule: the functions do nothing.
 */
#include <stddef.h>
#include "runtime/enforce.h"

void enforce_attach(int fd)
{
	(void)fd;
}

void enforce_main(void)
{
}

void enforce_point(uint8_t kind, const volatile void *object)
{
	(void)kind;
	(void)object;
}

void enforce_range(uint64_t addr, uint64_t n)
{
	(void)addr;
	(void)n;
}

struct controlled *enforce_create(void)
{
	return NULL;
}

void enforce_created(struct controlled *child, uint64_t self, bool done)
{
	(void)child;
	(void)self;
	(void)done;
}

bool enforce_stack(const struct controlled *child, const pthread_attr_t *attr, pthread_attr_t *own)
{
	(void)child;
	(void)attr;
	(void)own;
	return false;
}

void enforce_begin(struct controlled *me)
{
	(void)me;
}

void enforce_meet(void)
{
}

void enforce_survives(void)
{
}

void enforce_handler(bool fault)
{
	(void)fault;
}

void enforce_handled(void)
{
}

bool enforce_watches(void)
{
	return false;
}

void enforce_end(bool twice)
{
	(void)twice;
}

void enforce_exit(uint32_t kind, int status)
{
	(void)kind;
	(void)status;
}

void enforce_crash(int signo, uint64_t addr)
{
	(void)signo;
	(void)addr;
}

void enforce_assert(const char *expression, const char *file, int line, const char *function)
{
	(void)expression;
	(void)file;
	(void)line;
	(void)function;
}

void enforce_input(void *object, size_t size, const char *name)
{
	(void)object;
	(void)size;
	(void)name;
}

void enforce_child(void)
{
}
