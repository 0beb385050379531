/*
 * The end of a program: exit and its handlers, last registered first; then the destructors, then
 * stdio. A handler may register further ones, and may call exit again, which goes on with the
 * rest.
 */
#include "model.h"
#include "model_signal.h"
#include "model_stdio.h"
#include <stdlib.h>
#include <unistd.h>

struct handler {
	enum { NO_ARGUMENT, STATUS_AND_ARGUMENT, ARGUMENT } kind;
	union {
		void (*plain)(void);
		void (*on_exit)(int, void *);
		void (*cxa)(void *);
	} fn;
	void *arg;
	void *dso;
	struct handler *next;
};

static struct handler *at_exit_list, *at_quick_exit_list;
static __thread struct handler *at_thread_exit_list;

static int push(struct handler **list, struct handler h)
{
	struct handler *p = __heddle_alloc(sizeof *p, _Alignof(struct handler), false);

	if (!p)
		return -1;
	__heddle_order(list, true);
	h.next = *list;
	*p = h;
	*list = p;
	return 0;
}

static void call_all(struct handler **list, int status)
{
	while (*list) {
		struct handler *p = *list, h = *p;
		*list = h.next;
		__heddle_free(p);
		switch (h.kind) {
		case NO_ARGUMENT: h.fn.plain(); break;
		case STATUS_AND_ARGUMENT: h.fn.on_exit(status, h.arg); break;
		case ARGUMENT: h.fn.cxa(h.arg); break;
		}
	}
}

int atexit(void (*fn)(void))
{
	return push(&at_exit_list, (struct handler){.kind = NO_ARGUMENT, .fn.plain = fn});
}

int on_exit(void (*fn)(int, void *), void *arg)
{
	return push(&at_exit_list,
		(struct handler){.kind = STATUS_AND_ARGUMENT, .fn.on_exit = fn, .arg = arg});
}

int at_quick_exit(void (*fn)(void))
{
	return push(&at_quick_exit_list, (struct handler){.kind = NO_ARGUMENT, .fn.plain = fn});
}

int __cxa_atexit(void (*fn)(void *), void *arg, void *dso)
{
	return push(&at_exit_list,
		(struct handler){.kind = ARGUMENT, .fn.cxa = fn, .arg = arg, .dso = dso});
}

int __cxa_at_quick_exit(void (*fn)(void *), void *dso)
{
	return push(
		&at_quick_exit_list, (struct handler){.kind = ARGUMENT, .fn.cxa = fn, .dso = dso});
}

int __cxa_thread_atexit_impl(void (*fn)(void *), void *arg, void *dso)
{
	return push(&at_thread_exit_list,
		(struct handler){.kind = ARGUMENT, .fn.cxa = fn, .arg = arg, .dso = dso});
}

/* One image only: nothing to do before exit. */
void __cxa_finalize(void *dso)
{
	(void)dso;
}

/* For pthread_exit and the end of a thread's start function as well. */
void __call_tls_dtors(void)
{
	call_all(&at_thread_exit_list, 0);
}

void exit(int status)
{
	static unsigned destructor;
	void (*dtor)(void);

	__heddle_sync("exit", NULL); /* other threads may still fail before the exit */
	__call_tls_dtors();
	call_all(&at_exit_list, status);
	while ((dtor = __heddle_dtor(destructor++)))
		dtor();
	__m_stdio_exit();
	_Exit(status);
}

void quick_exit(int status)
{
	call_all(&at_quick_exit_list, status);
	_Exit(status);
}

void _Exit(int status)
{
	__heddle_sync("exit", NULL);
	__heddle_exit(status);
}
M_ALIAS(_exit, _Exit);

void abort(void)
{
	__m_signal_abort();
	__heddle_fault(HEDDLE_FAULT_ABORT, "abort() called", NULL);
}
