/*
 * Deferred cancellation: a thread with a pending request ends at its next cancellation point in a
 * model (__m_testcancel, cancellable __m_wait). Asynchronous cancellation of another
 * thread is not modelled. Cleanup handlers are those of glibc's C macros: a chain of jump buffers.
 */
#include "model_thread.h"

int pthread_cancel(pthread_t handle)
{
	__heddle_sync("pthread_cancel", NULL);
	struct model_thread *t = __m_live_thread(handle);

	if (t->ended)
		return 0;
	t->cancel_asked = true;
	if (t->cancel_state == PTHREAD_CANCEL_ENABLE &&
		t->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS) {
		if (t == __m_self())
			__m_testcancel();
		__heddle_unmodelled("asynchronous cancellation");
	}
	if (t->cancel_awaits) {
		t->cancel_awaits = false;
		t->cancel_woken = __heddle_notify_thread(t->id);
	}
	return 0;
}

void pthread_testcancel(void)
{
	__heddle_sync("pthread_testcancel", NULL);
	__m_testcancel();
}

/* With asynchronous cancellation enabled, a pending request takes effect at once. */
static void asynchronous_check(const struct model_thread *t)
{
	if (t->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS)
		__m_testcancel();
}

int pthread_setcancelstate(int state, int *old)
{
	struct model_thread *t = __m_self();

	if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
		return EINVAL;
	if (old)
		*old = t->cancel_state;
	t->cancel_state = state;
	asynchronous_check(t);
	return 0;
}

int pthread_setcanceltype(int type, int *old)
{
	struct model_thread *t = __m_self();

	if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
		return EINVAL;
	if (old)
		*old = t->cancel_type;
	t->cancel_type = type;
	asynchronous_check(t);
	return 0;
}

/* ---- expansions of pthread_cleanup_push and pop ------------------------------------------- */

/* __pad[0] links to the outer buffer, __pad[1] keeps the cancellation type to restore */

void __pthread_register_cancel(__pthread_unwind_buf_t *buf)
{
	struct model_thread *t = __m_self();

	buf->__pad[0] = t->cleanup;
	t->cleanup = buf;
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t *buf)
{
	__m_self()->cleanup = buf->__pad[0];
}

void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buf)
{
	struct model_thread *t = __m_self();

	__pthread_register_cancel(buf);
	buf->__pad[1] = (void *)(intptr_t)t->cancel_type;
	t->cancel_type = PTHREAD_CANCEL_DEFERRED;
}

void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buf)
{
	struct model_thread *t = __m_self();

	__pthread_unregister_cancel(buf);
	t->cancel_type = (int)(intptr_t)buf->__pad[1];
	asynchronous_check(t);
}

void __pthread_unwind_next(__pthread_unwind_buf_t *buf)
{
	(void)buf;
	__m_unwind(__m_self());
}

/* With -fexceptions the macros give each frame a variable with a cleanup attribute instead. This is
 * its cleanup function at the normal end of the scope. */
void __pthread_cleanup_routine(struct __pthread_cleanup_frame *frame)
{
	if (frame->__do_it)
		frame->__cancel_routine(frame->__cancel_arg);
}
