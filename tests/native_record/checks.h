/* What the checks of record_runtime.c share. */
#ifndef TESTS_NATIVE_RECORD_CHECKS_H
#define TESTS_NATIVE_RECORD_CHECKS_H

#include "reader.h"

#define CHECK(name) void check_##name(void);
#include "checks.def"
#undef CHECK

/* How the main thread begins, and how it ends when main returns. */
#define HEAD "THREAD(main) CALLBACK(90) V(90) CALLBACK_END CALLBACK(1) RETURN"
#define LATE "CALLBACK(92) V(92) CALLBACK_END CALLBACK(91) V(91) CALLBACK_END END"
#define TAIL "CALLBACK_END " LATE

extern const char *target, *target_whole;
void fail_(const char *file, int line, const char *what, const char *got);
bool matches_(
	const struct run *r, uint32_t thread, const char *pattern, const char *file, int line);
void exited_(const struct run *r, int code, const char *file, int line);
#define EXPECT(x) ((x) ? (void)0 : fail_(__FILE__, __LINE__, #x, NULL))
/* The whole stream as words; * stands for anything. */
#define MATCH(r, thread, pattern) matches_(r, thread, pattern, __FILE__, __LINE__)
#define RUN(r, name, ...)                                                                          \
	struct run r;                                                                              \
	run_target(&r, target, name, &(struct run_options){__VA_ARGS__})
#define EXITED(r, code) exited_(&(r), code, __FILE__, __LINE__)

size_t count_words(const struct stream *s, const char *w);
/* Values (but the constructor's) are from, from + 1, … */
bool counts_up(const struct stream *s, uint64_t from, uint64_t *next);

#endif
