/*
 * The worker: the part of the driver that needs LLVM, in a process of its own. Loading LLVM takes
 * longer than many a compile, so the driver does without, starts the worker beside the compiler,
 * and gives it work when the compiler is done. And whatever happens to LLVM over a strange module,
 * the driver lives on and the native program stays.
 *
 * The driver writes records (fields.h) to the worker's standard input:
 *	level NAME                           clean-up level of raw units (clean.h)
 *	wrap SYMBOL OWN                      of the linker's --wrap; OWN is 1 if references inside the
 *	                                     unit that defines the symbol are wrapped too
 *	unit NAME PATH OFFSET SIZE RAW OUT   bitcode in a file; RAW is 1 if it is to be cleaned up; OUT
 *	                                     is a descriptor for the cleaned unit, or "-"
 *	merge OUT                            link all units and write the module to that descriptor
 *	go                                   the end; without it the worker has been given up
 * PATH may be "fd:N", a descriptor that it inherited. Descriptor 3 takes the answers:
 *	begin I                              work on unit I starts (to know whom to blame for a crash)
 *	taken I SOURCE                       unit I was taken in
 *	left I WHY                           or it was not
 *	extern NAME                          a function that the merged module calls and does not have
 *	done                                 everything was written
 */
#ifndef HEDDLE_CC_WORKER_MAIN_H
#define HEDDLE_CC_WORKER_MAIN_H

#define WORKER_COMMAND "cc-worker"
#define WORKER_REPORT  3

/* The whole of `heddle cc-worker`; the exit status. */
int worker_main(void);

#endif
