/*
 * check-name: calling conventions, initializers and attributes that the IR splits or leaves out
 * check-exit: 3
 * check-output:
 * constructor
 * 4 6 13
 * 15 15 15
 * 6 7 bb 1
 * 6 12 1 2
 * 1 2 3.125 40
 * c0 1 1010101
 * destructor
 * check-output-end
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct big {
	long a[5];
};
struct two {
	float x, y;
};
struct mixed {
	double d;
	long l;
};
typedef float v4 __attribute__((vector_size(16)));

static __thread int per_thread = 5;
int *addresses[] = {0, &(int){7}};
const char *names[] = {"a", "bb"};

__attribute__((noinline)) struct big make_big(int i)
{
	struct big b;

	for (int k = 0; k < 5; k++)
		b.a[k] = i + k;
	return b;
}

__attribute__((noinline)) struct two add_mixed(struct two a, struct mixed m)
{
	a.x += (float)m.d;
	a.y += (float)m.l;
	return a;
}

__attribute__((noinline)) long sum_big(struct big b, signed char c, _Bool d)
{
	long s = c + d;

	for (int k = 0; k < 5; k++)
		s += b.a[k];
	return s;
}

__attribute__((noinline)) int sum_variable(const char *f, ...)
{
	va_list ap;
	int r = 0;

	va_start(ap, f);
	for (; *f; f++)
		switch (*f) {
		case 'i': r += va_arg(ap, int); break;
		case 'd': r += (int)va_arg(ap, double); break;
		case 'b': r += (int)va_arg(ap, struct big).a[1]; break;
		default: {
			struct two t = va_arg(ap, struct two);

			r += (int)(t.x + t.y);
		}
		}
	va_end(ap);
	return r;
}

int (*volatile by_pointer)(const char *, ...) = sum_variable;
int sum_by_alias(const char *f, ...) __attribute__((alias("sum_variable")));

__attribute__((noinline)) v4 add_vectors(v4 a, v4 b)
{
	return a + b;
}

__attribute__((noinline)) int jump(int i)
{
	static void *const labels[] = {&&one, &&two};

	goto *labels[i];
one:
	return 1;
two:
	return 2;
}

__attribute__((noinline)) long double scale(long double x)
{
	return x * 2.5L;
}

__attribute__((noinline)) __int128 multiply(__int128 a, __int128 b)
{
	return a * b + 1;
}

__attribute__((noinline)) short narrow(short a, unsigned char b)
{
	return (short)(a * b);
}

__attribute__((constructor)) static void begin(void)
{
	puts("constructor");
}

__attribute__((destructor)) static void end(void)
{
	puts("destructor");
}

int main(int argc, char **argv)
{
	struct big b = make_big(argc);
	struct two t = {1, 2};
	struct mixed m = {3, 4};
	int length[argc + 3];
	__int128 q = multiply((__int128)1 << 70, 3);
	v4 v = add_vectors((v4){1, 2, 3, 4}, (v4){5, 6, 7, 8});

	(void)argv;
	t = add_mixed(t, m);
	printf("%g %g %ld\n", t.x, t.y, sum_big(b, -3, 1));
	printf("%d %d %d\n", sum_variable("idbt", 1, 2.5, b, t), by_pointer("idbt", 1, 2.5, b, t),
		sum_by_alias("idbt", 1, 2.5, b, t));
	per_thread++;
	printf("%d %d %s %zu\n", per_thread, *addresses[1], names[1], strlen(names[0]));
	printf("%g %g %d %d\n", v[0], v[3], jump(0), jump(1));
	printf("%d %d %Lg %d\n", argc, argc + 1, scale(1.25L), narrow(-4, 246) + 1024);
	memset(length, 1, sizeof length);
	printf("%lx %lx %x\n", (long)(q >> 64), (long)q, length[argc]);
	return 3;
}
