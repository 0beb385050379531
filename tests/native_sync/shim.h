/*
 * A small stand-in for the machine: the primitives of models/heddle_model.h that the thread models
 * use, over coroutines and a seeded random scheduler. One run of a scenario in one process is one
 * schedule; the models' own state starts afresh because each run is a fork.
 *
 * Scenarios and models are compiled with names.h, so that pthread_mutex_lock here is the model's
 * and the C library keeps its own.
 */
#ifndef HEDDLE_TESTS_NATIVE_SYNC_SHIM_H
#define HEDDLE_TESTS_NATIVE_SYNC_SHIM_H

#include "models/heddle_model.h"

enum outcome {
	OUTCOME_RETURN,   /* main returned, or the last thread ended: 0 */
	OUTCOME_DEADLOCK, /* every thread blocked for ever */
	OUTCOME_UNMODELLED,
	OUTCOME_BROKEN,   /* a CHECK of the scenario failed, or it did not end */
	OUTCOME_FAULT,    /* + enum heddle_fault */
};

struct scenario {
	const char *name;
	void (*run)(void);
	enum outcome expected;
	enum outcome also; /* seen under some of the seeds; the same as expected if none */
};

/* The scenarios of each file, ended by one without a name. */
extern const struct scenario lock_scenarios[], wait_scenarios[], thread_scenarios[],
	misuse_scenarios[];

#define FAULT(kind) (OUTCOME_FAULT + HEDDLE_FAULT_##kind)
#define ALWAYS(run_, outcome_) {#run_, run_, outcome_, outcome_}
#define SOMETIMES(run_, outcome_) {#run_, run_, OUTCOME_RETURN, outcome_}

/* Runs it under the seed and returns what happened; call in a process of its own. */
enum outcome shim_run(void (*scenario)(void), uint64_t seed);

/* For scenarios: a switch point, such as --switch access has at every access. */
void step(void);
/* True once in n, by the schedule's seed. */
bool chance(unsigned n);
void shim_broken(const char *file, int line, const char *what);

#define CHECK(e) ((e) ? (void)0 : shim_broken(__FILE__, __LINE__, #e))

#endif
