/*
 * The programs outside that src/build runs. Their paths were found when heddle was configured; one
 * that is gone is looked for in PATH under its name. HEDDLE_CC_CLANG and HEDDLE_CC_WORKER replace
 * them, for tests.
 */
#ifndef HEDDLE_OBJECT_TOOLS_H
#define HEDDLE_OBJECT_TOOLS_H

/* The compiler; NULL after error_(). Free it. */
char *tool_clang(void);
/* `heddle` beside this program: it does the work that needs LLVM (worker.h). NULL if it is not
 * there, without a message. Free it. */
char *tool_worker(void);

#endif
