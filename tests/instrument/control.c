/* Ways of control: pointers to functions, variable arguments, jumps, cleanups, computed goto. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf env;
static int log_[64], nlog;

static void note(int x) { log_[nlog++ & 63] = x; }
static int twice(int x) { note(x); return 2 * x; }
extern int twice_alias(int x) __attribute__((alias("twice_weak")));
__attribute__((weak)) int twice_weak(int x) { return twice(x) + 1; }

static int sum(int n, ...)
{
	va_list ap, other;
	int s = 0;

	va_start(ap, n);
	va_copy(other, ap);
	for (int i = 0; i < n; i++)
		s += va_arg(ap, int);
	s += (int)va_arg(ap, double) + va_arg(other, int);
	va_end(ap);
	va_end(other);
	return s;
}

static int machine(const char *code)
{
	static void *const ops[] = {&&inc, &&dbl, &&stop};
	int x = 1;

	goto *ops[*code - '0'];
inc:
	x++;
	note(x);
	code++;
	goto *ops[*code - '0'];
dbl:
	x *= 2;
	code++;
	goto *ops[*code - '0'];
stop:
	return x;
}

static void jump(int n)
{
	char text[40];

	snprintf(text, sizeof text, "%d", n);
	if (n == 3)
		longjmp(env, atoi(text) + 4);
	jump(n + 1);
}

static void on_signal(int s) { note(s == SIGUSR1); }
static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }
__attribute__((constructor)) static void before(void) { note(100); }
__attribute__((destructor)) static void after(void) { printf("after %d\n", nlog); }
static void at_exit(void) { printf("at exit %d\n", log_[0]); }

int main(int argc, char **argv)
{
	int (*table[])(int) = {twice, twice_weak, twice_alias, abs};
	int (*machines[])(const char *) = {machine, atoi};
	int (*variadic)(int, ...) = sum;
	size_t (*length)(const char *) = strlen;
	void (*release)(void *) = free;
	int v[] = {3, 1, 2}, r;
	char *text = strdup("text");

	(void)argv;
	atexit(at_exit);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	for (int i = 0; i < 4; i++)
		printf("%d ", table[i](i - 3 * argc));
	printf("%d %d\n", machines[0]("00110002"), machines[argc]("12"));
	printf("%d %d %zu\n", sum(2, 4, 5, 1.5), variadic(1, 8, 2.0), length(text));
	release(text);
	r = setjmp(env);
	printf("setjmp %d\n", r);
	if (!r)
		jump(0);
	qsort(v, 3, sizeof *v, descending);
	printf("%d%d%d %d\n", v[0], v[1], v[2], nlog);
	return 3;
}
