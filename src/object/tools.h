/*
 * The programs that heddle runs. Their paths were found when heddle was configured; a program that
 * is gone from there is searched in PATH. HEDDLE_CC_CLANG and HEDDLE_CC_WORKER replace them, for
 * tests.
 */
#ifndef HEDDLE_OBJECT_TOOLS_H
#define HEDDLE_OBJECT_TOOLS_H

/* The compiler; NULL after error_(). Free it. */
char *tool_clang(void);
/* The linker of images; NULL after error_(). Free it. */
char *tool_lld(void);
/* `heddle` in the directory of this program, which does the work that needs LLVM
 * (cc/worker_main.h). NULL, without a message, if it is not there. Free it. */
char *tool_worker(void);

#endif
