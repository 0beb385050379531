/*
 * Macros that define most wrappers of log/sync.def, in both runtimes. NAME is the function, P its
 * parameters with types, A the same without types, O the parameter that is the object. BEFORE and
 * AFTER are expressions before and after the operation, whose result is r.
 */
#ifndef HEDDLE_RUNTIME_SYNC_WRAPPERS_H
#define HEDDLE_RUNTIME_SYNC_WRAPPERS_H

#include "runtime/runtime.h"

/* Acquires or reads the object: the sequence number is taken after the operation. */
#define ACQUIRE_WITH(NAME, KIND, P, A, O, BEFORE, AFTER)                                           \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (unlikely(ctl->native))                                                         \
			return NAME A;                                                             \
		BEFORE;                                                                            \
		int r = NAME A;                                                                    \
		AFTER;                                                                             \
		put_sync(ctl, LOG_S_##KIND, r, seq_of(O));                                         \
		return r;                                                                          \
	}
#define ACQUIRE(NAME, KIND, P, A, O) ACQUIRE_WITH(NAME, KIND, P, A, O, (void)0, (void)0)
/* with one more word about the object */
#define ACQUIRE_EXTRA(NAME, KIND, P, A, O, BEFORE, AFTER, EXTRA_WORD)                              \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (unlikely(ctl->native))                                                         \
			return NAME A;                                                             \
		BEFORE;                                                                            \
		int r = NAME A;                                                                    \
		AFTER;                                                                             \
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_##KIND,                       \
					   .flags = LOG_F_EXTRA,                                   \
					   .result = r,                                            \
					   .seq = seq_of(O),                                       \
					   .extra = EXTRA_WORD});                                  \
		return r;                                                                          \
	}

/* Acquires a lock: tries it first, to know whether the thread has to wait. */
#define LOCK(NAME, TRY, KIND, P, A, O, BUSY)                                                       \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (unlikely(ctl->native))                                                         \
			return NAME A;                                                             \
		int r = TRY(O);                                                                    \
		if (likely(r != BUSY)) {                                                           \
			put_sync(ctl, LOG_S_##KIND, r, seq_of(O));                                 \
			return r;                                                                  \
		}                                                                                  \
		put_blocked(ctl);                                                                  \
		r = NAME A;                                                                        \
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_##KIND,                       \
					   .flags = LOG_F_WAITED,                                  \
					   .result = r,                                            \
					   .seq = seq_of(O)});                                     \
		return r;                                                                          \
	}

/* Releases the object: the sequence number is taken before the operation. */
#define RELEASE_WITH(NAME, KIND, P, A, O, BEFORE, AFTER)                                           \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (unlikely(ctl->native))                                                         \
			return NAME A;                                                             \
		BEFORE;                                                                            \
		uint32_t seq = seq_of(O);                                                          \
		int r = NAME A;                                                                    \
		AFTER;                                                                             \
		put_sync(ctl, LOG_S_##KIND, r, seq);                                               \
		return r;                                                                          \
	}
#define RELEASE(NAME, KIND, P, A, O) RELEASE_WITH(NAME, KIND, P, A, O, (void)0, (void)0)
/* of a function without a result */
#define RELEASE_VOID(NAME, KIND, P, A, O, BEFORE, AFTER)                                           \
	WRAP(void, NAME) P                                                                         \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (unlikely(ctl->native)) {                                                       \
			NAME A;                                                                    \
			return;                                                                    \
		}                                                                                  \
		BEFORE;                                                                            \
		uint32_t seq = seq_of(O);                                                          \
		NAME A;                                                                            \
		AFTER;                                                                             \
		put_sync(ctl, LOG_S_##KIND, 0, seq);                                               \
	}

/* Acquires the object; can be cancelled while it waits. WAITS: whether it has to wait. */
#define ACQUIRE_CANCEL(NAME, KIND, P, A, O, WAITS)                                                 \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (unlikely(ctl->native))                                                         \
			return NAME A;                                                             \
		if (WAITS)                                                                         \
			put_blocked(ctl);                                                          \
		ctl->native = 1;                                                                   \
		int r = NAME A;                                                                    \
		put_sync(ctl, LOG_S_##KIND, r, seq_of(O));                                         \
		ctl->native = 0;                                                                   \
		return r;                                                                          \
	}

#endif
