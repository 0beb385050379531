/* A program under tests/import returns 0, or the line of the first CHECK that did not hold. */
#define CHECK(c)                                                                                   \
	do {                                                                                       \
		if (!(c))                                                                          \
			fail(__LINE__);                                                            \
	} while (0)
_Noreturn void exit(int status);
static inline void fail(int line)
{
	exit(line % 251 + 1);
}
/* a value that no optimizer knows */
#define HIDE(x) ({ volatile __typeof__(x) hidden_ = (x); hidden_; })
