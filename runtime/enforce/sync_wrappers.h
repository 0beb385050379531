/*
 * Macros that define the wrappers of the enforcing runtime: as in runtime/sync_wrappers.h, but each
 * begins with a scheduling point, and none waits in the library. CHECK is a statement before the
 * operation.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_SYNC_WRAPPERS_H
#define HEDDLE_RUNTIME_ENFORCE_SYNC_WRAPPERS_H

#include "runtime/enforce/control.h"

/* Never waits; the sequence number is taken after the operation. */
#define ACQUIRE(NAME, KIND, P, A, O, CHECK)                                                        \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		arrive(LOG_S_##KIND, O);                                                           \
		CHECK;                                                                             \
		int r = NAME A;                                                                    \
		me->failed = r != 0;                                                               \
		passed();                                                                          \
		put_sync(ctl, LOG_S_##KIND, r, seq_of(O));                                         \
		return r;                                                                          \
	}

#define ACQUIRE_EXTRA(NAME, KIND, P, A, O, EXTRA_WORD)                                             \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		arrive(LOG_S_##KIND, O);                                                           \
		int r = NAME A;                                                                    \
		passed();                                                                          \
		put_sync_more(ctl, &(struct sync_more){.kind = LOG_S_##KIND,                       \
					   .flags = LOG_F_EXTRA,                                   \
					   .result = r,                                            \
					   .seq = seq_of(O),                                       \
					   .extra = EXTRA_WORD});                                  \
		return r;                                                                          \
	}

/* Never waits; the sequence number is taken before the operation. AFTER is a statement after it. */
#define RELEASE(NAME, KIND, P, A, O, CHECK, AFTER)                                                 \
	WRAP(int, NAME) P                                                                          \
	{                                                                                          \
		struct log_ctl *ctl = __heddle_ctl;                                                \
		if (ctl->native)                                                                   \
			return NAME A;                                                             \
		arrive(LOG_S_##KIND, O);                                                           \
		CHECK;                                                                             \
		uint32_t seq = seq_of(O);                                                          \
		int r = NAME A;                                                                    \
		AFTER;                                                                             \
		passed();                                                                          \
		put_sync(ctl, LOG_S_##KIND, r, seq);                                               \
		return r;                                                                          \
	}

static inline void put_taken(struct log_ctl *ctl, uint8_t kind, int r, void *object, bool waited)
{
	if (!waited)
		put_sync(ctl, kind, r, seq_of(object));
	else
		put_sync_more(ctl, &(struct sync_more){.kind = kind,
					   .flags = LOG_F_WAITED,
					   .result = r,
					   .seq = seq_of(object)});
}

#endif
