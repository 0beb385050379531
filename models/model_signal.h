/* Functions of signal.c for other models. */
#ifndef HEDDLE_MODELS_SIGNAL_H
#define HEDDLE_MODELS_SIGNAL_H

#include <signal.h>

/* Runs the program's SIGABRT handler, if there is one, and returns when the handler returns. */
void __m_signal_abort(void);
/* pthread_sigmask and sigprocmask of the calling thread; an errno value. */
int __m_sigmask(int how, const sigset_t *set, sigset_t *old);
/* Turns the raw result of a write into errno and -1; on EPIPE raises SIGPIPE first. */
long __m_written(int fd, long r);
/* Delivers sig to the calling thread: handler, default action, or pending while it is blocked. */
void __m_signal_raise(int sig);

#endif
