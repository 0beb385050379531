/*
 * The processes that descend from one process, from /proc/PID/task/TID/children. On a kernel
 * without these files a process seems to have no descendants.
 */
#ifndef HEDDLE_BASE_PROCESS_TREE_H
#define HEDDLE_BASE_PROCESS_TREE_H

#include "base/vec.h"

#include <sys/types.h>

struct process {
	pid_t pid;
	bool same; /* executes the same file as the caller: a worker, not a program under test */
	uint64_t memory; /* bytes; set by process_tree_memory() */
};

struct process_tree {
	VEC(struct process) at; /* each parent before its children */
};

void process_tree_release(struct process_tree *t);
/* Replaces *t by the descendants of root, without root itself. */
void process_tree_read(struct process_tree *t, pid_t root);
/* The memory in use by all processes of the tree, in bytes. If the sum of their resident sets
 * exceeds `limit`, shared pages are divided among the processes that share them, which takes
 * longer; so the result is exact only above the limit. */
uint64_t process_tree_memory(struct process_tree *t, uint64_t limit);
/* Bytes of memory that one process uses; 0: not known. */
uint64_t process_memory(pid_t pid);
/* Makes the caller the subreaper (prctl(2)) of its descendants, so that none escapes, and replaces
 * *before by its children. */
void process_tree_adopt(struct process_tree *before);
/* Kills and reaps all descendants of the caller, except the children in `spared` and their
 * descendants. The caller is their subreaper. They have `grace` seconds to end by themselves.
 * Returns the number of processes that had to be killed, at least. */
uint32_t process_tree_kill_others(const struct process_tree *spared, double grace);
/* Kills and reaps all descendants of the caller, at once. */
void process_tree_kill_own(void);

#endif
