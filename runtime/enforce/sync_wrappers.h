/*
 * The wrappers of the enforcing runtime begin with a scheduling point, and none waits in the
 * library.
 */
#ifndef HEDDLE_RUNTIME_ENFORCE_SYNC_WRAPPERS_H
#define HEDDLE_RUNTIME_ENFORCE_SYNC_WRAPPERS_H

#include "runtime/enforce/control.h"
#include "runtime/sync_wrappers.h"

/* CHECK and AFTER are expressions before and after the operation. */
#define CHECKED_RELEASE(NAME, KIND, P, A, O, CHECK, AFTER)                                         \
	RELEASE_WITH(NAME, KIND, P, A, O, (arrive(LOG_S_##KIND, O), CHECK), (AFTER, passed()))

#endif
