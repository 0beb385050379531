/*
 * pthread_once and call_once. The control word is 0 before (the static initializer), DONE after,
 * and while the routine runs it holds the runner's machine id + 1 above the RUNNING bit, so that a
 * routine which calls itself through the same control is reported. A runner that exits or is
 * cancelled resets the word to 0; another caller then runs the routine.
 */
#include <threads.h>

#include "model_thread.h"

enum { RUNNING = 1, DONE = 2, OWNER_SHIFT = 2 };

static void once(pthread_once_t *control, void (*routine)(void))
{
	struct model_thread *t = __m_self();
	int mine = (int)((t->id + 1) << OWNER_SHIFT | RUNNING);

	if (*control == mine)
		__heddle_fault(HEDDLE_FAULT_DOUBLE_LOCK,
			"pthread_once called by its own routine with the same control: would hang",
			control);
	while (*control & RUNNING)
		__heddle_wait(control, "pthread_once");
	if (*control == DONE)
		return;
	struct model_once frame = {t->once, control};
	t->once = &frame;
	*control = mine;
	routine();
	t->once = frame.outer;
	*control = DONE;
	__heddle_notify_all(control);
}

int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	__heddle_sync("pthread_once", control);
	once(control, routine);
	return 0;
}

void call_once(once_flag *flag, void (*routine)(void))
{
	__heddle_sync("call_once", flag);
	once(&flag->__data, routine);
}

void __m_once_abandon(struct model_thread *t)
{
	for (; t->once; t->once = t->once->outer) {
		*t->once->control = PTHREAD_ONCE_INIT;
		__heddle_notify_all(t->once->control);
	}
}
