/*
 * Calls on state that the C library keeps (log/hidden.h, rows with HIDDEN_VERSIONED) become critical
 * sections on a variable, the *version* of the state. So the order of the calls is visible to every
 * engine in the way that the order of accesses is:
 *
 *	pthread_mutex_lock(&lock);
 *	old = version;
 *	new = __heddle_hidden_version(old, function, kinds, arguments …);
 *	version = new;                 (not if the call only reads the state)
 *	r = rand();
 *	pthread_mutex_unlock(&lock);
 *
 * __heddle_hidden_version() is native code (runtime/hidden_version.c). Its result is a hash of the
 * old version, the function, and the arguments with the strings that they point to; so equal versions
 * stand for equal states, whichever threads made the calls. Because it is native, a path of a thread
 * assumes the old version as recorded: in a schedule with another order of calls the thread leaves
 * its path there, and a run shows what it does then.
 *
 * Calls about files have a lock and a version for each of a few hash values of the path
 * (__heddle_hidden_bucket()), so that calls about different files seldom depend on each other.
 *
 * Only programs that create threads change. The program itself does not: heddle compiles its images
 * from the changed module.
 */
#ifndef HEDDLE_BITCODE_HIDDEN_ORDER_H
#define HEDDLE_BITCODE_HIDDEN_ORDER_H

#include <llvm-c/Types.h>

/* Makes the critical sections of a whole program. */
void hidden_order_insert(LLVMModuleRef m);
/* Removes the calls of these two functions, for an image without a runtime. */
void hidden_order_remove(LLVMModuleRef m);

#endif
