/*
 * The worker: the part of the driver that needs LLVM, in a process of its own. Loading LLVM takes
 * longer than many compiles. So the driver does not load it, but starts the worker beside the
 * compiler and sends it orders when the compiler has finished. If LLVM crashes on a module, the
 * driver survives and the native program stays.
 *
 * The driver writes lines of fields (object/fields.h) to the standard input of the worker:
 *	level NAME                           clean-up level of raw units (bitcode/clean_up.h)
 *	wrap SYMBOL OWN                      a symbol of the linker's --wrap; OWN is 1 if references in
 *	                                     the unit that defines the symbol are wrapped too
 *	unit NAME PATH OFFSET SIZE RAW OUT   bitcode in a file; RAW is 1 if it needs clean-up; OUT is a
 *	                                     descriptor for the unit after clean-up, or "-"
 *	merge OUT                            link all units and write the module to that descriptor
 *	go                                   the end; without it the worker does nothing
 * PATH may be "fd:N", an inherited descriptor. The worker writes its answers to descriptor 3:
 *	begin I                              work on unit I starts: the unit to blame for a crash
 *	taken I SOURCE                       the bitcode of unit I is used
 *	left I WHY                           it is not used
 *	extern NAME                          a function that the merged module calls and does not define
 *	done                                 everything was written
 */
#ifndef HEDDLE_CC_WORKER_MAIN_H
#define HEDDLE_CC_WORKER_MAIN_H

#define WORKER_COMMAND "cc-worker"
#define WORKER_REPORT  3

/* Runs `heddle cc-worker`; the exit status. */
int worker_main(void);

#endif
