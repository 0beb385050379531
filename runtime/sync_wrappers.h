/*
 * Macros that define most wrappers of log/sync.def. NAME is the function, P its parameters with
 * types, A the same without types, O the parameter that is the object.
 */
#ifndef HEDDLE_RUNTIME_SYNC_WRAPPERS_H
#define HEDDLE_RUNTIME_SYNC_WRAPPERS_H

#include "runtime/runtime.h"

/* Acquires or reads the object: the sequence number is taken after the operation. */
#define ACQUIRE(NAME, KIND, P, A, O)                                                               \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		int r = NAME A;                                                                    \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (likely(!ctl->native))                                                          \
			put_sync(ctl, LOG_S_##KIND, r, seq_of(O));                                 \
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
#define RELEASE(NAME, KIND, P, A, O)                                                               \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (unlikely(ctl->native))                                                         \
			return NAME A;                                                             \
		uint32_t seq = seq_of(O);                                                          \
		int r = NAME A;                                                                    \
		put_sync(ctl, LOG_S_##KIND, r, seq);                                               \
		return r;                                                                          \
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

/* ACQUIRE with one more word about the object. */
#define ACQUIRE_EXTRA(NAME, KIND, P, A, O, EXTRA_WORD)                                             \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		int r = NAME A;                                                                    \
		if (likely(!ctl->native))                                                          \
			put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_##KIND,               \
						   .flags = LOG_F_EXTRA,                           \
						   .result = r,                                    \
						   .seq = seq_of(O),                               \
						   .extra = EXTRA_WORD});                          \
		return r;                                                                          \
	}

#endif
