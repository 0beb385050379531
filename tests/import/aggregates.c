/* Structures by value in every class of the calling convention, variadic functions. */
#include "check.h"

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

struct c1 { char a; };
struct c3 { char a[3]; };
struct i2 { int a, b; };
struct l2 { long a, b; };
struct mix { int a; double b; };
struct f2 { float a, b; };
struct f3 { float a, b, c; };
struct d2 { double a, b; };
struct big { long a[5]; char s[7]; };
struct ld { long double x; };
struct empty {};
struct pad { char a; long b; short c; };
struct packed { char a; int b; } __attribute__((packed));
union u { int i; float f; char c[12]; };

#define ROUND_TRIP(T)                                                                              \
	__attribute__((noinline)) static struct T pass_##T(struct T x, int k, struct T y)         \
	{                                                                                          \
		return k ? x : y;                                                                  \
	}
ROUND_TRIP(c1)
ROUND_TRIP(c3)
ROUND_TRIP(i2)
ROUND_TRIP(l2)
ROUND_TRIP(mix)
ROUND_TRIP(f2)
ROUND_TRIP(f3)
ROUND_TRIP(d2)
ROUND_TRIP(big)
ROUND_TRIP(ld)
ROUND_TRIP(pad)
ROUND_TRIP(packed)

static struct empty pass_empty(struct empty e, int *n)
{
	++*n;
	return e;
}

static void by_value(void)
{
	struct c1 a = {1}, a2 = {2};
	struct c3 b = {{1, 2, 3}}, b2 = {{4, 5, 6}};
	struct i2 c = {1, 2}, c2 = {3, 4};
	struct l2 d = {1, 2}, d2 = {3, 4};
	struct mix e = {1, 2.5}, e2 = {3, 4.5};
	struct f2 f = {1, 2}, f2 = {3, 4};
	struct f3 g = {1, 2, 3}, g2 = {4, 5, 6};
	struct d2 h = {1, 2}, h2 = {3, 4};
	struct big i = {{1, 2, 3, 4, 5}, "abcdef"}, i2 = {{6}, "x"};
	struct ld j = {1.5L}, j2 = {2.5L};
	struct pad k = {1, 2, 3}, k2 = {4, 5, 6};
	struct packed l = {1, 2}, l2 = {3, 4};
	int n = 0;

	CHECK(pass_c1(a, HIDE(0), a2).a == 2);
	CHECK(pass_c3(b, HIDE(1), b2).a[2] == 3 && pass_c3(b, HIDE(0), b2).a[0] == 4);
	CHECK(pass_i2(c, HIDE(1), c2).b == 2 && pass_i2(c, HIDE(0), c2).a == 3);
	CHECK(pass_l2(d, HIDE(1), d2).a == 1 && pass_l2(d, HIDE(0), d2).b == 4);
	CHECK(pass_mix(e, HIDE(1), e2).b == 2.5 && pass_mix(e, HIDE(0), e2).a == 3);
	CHECK(pass_f2(f, HIDE(1), f2).b == 2 && pass_f2(f, HIDE(0), f2).a == 3);
	CHECK(pass_f3(g, HIDE(1), g2).c == 3 && pass_f3(g, HIDE(0), g2).b == 5);
	CHECK(pass_d2(h, HIDE(1), h2).a == 1 && pass_d2(h, HIDE(0), h2).b == 4);
	CHECK(!strcmp(pass_big(i, HIDE(1), i2).s, "abcdef") && pass_big(i, HIDE(0), i2).a[0] == 6);
	CHECK(pass_ld(j, HIDE(1), j2).x == 1.5L && pass_ld(j, HIDE(0), j2).x == 2.5L);
	CHECK(pass_pad(k, HIDE(1), k2).c == 3 && pass_pad(k, HIDE(0), k2).b == 5);
	CHECK(pass_packed(l, HIDE(1), l2).b == 2 && pass_packed(l, HIDE(0), l2).b == 4);
	pass_empty((struct empty){}, &n);
	CHECK(n == 1);
}

/* a copy made for the callee is the callee's own */
__attribute__((noinline)) static long scribble(struct big b)
{
	b.a[0] = 99;
	return b.a[0] + b.a[1];
}

static void copies(void)
{
	struct big b = {{1, 2}, "z"}, *p = &b;

	CHECK(scribble(*p) == 101 && b.a[0] == 1);
	struct big c = b;
	c.a[1] = 7;
	CHECK(b.a[1] == 2 && c.a[1] == 7 && !memcmp(b.s, c.s, sizeof b.s));
	union u u = {.f = 1.0f};
	CHECK(u.i == 0x3f800000);
}

static double sum(const char *kinds, ...)
{
	va_list ap, again;
	double s = 0;

	va_start(ap, kinds);
	va_copy(again, ap);
	for (; *kinds; kinds++)
		switch (*kinds) {
		case 'i': s += va_arg(ap, int); break;
		case 'l': s += va_arg(ap, long); break;
		case 'd': s += va_arg(ap, double); break;
		case 'L': s += (double)va_arg(ap, long double); break;
		case 'p': s += *va_arg(ap, int *); break;
		case '2': s += va_arg(ap, struct i2).b; break;
		case 'f': s += va_arg(ap, struct f2).b; break;
		case 'D': s += va_arg(ap, struct d2).b; break;
		case 'm': s += va_arg(ap, struct mix).b; break;
		case 'b': s += va_arg(ap, struct big).a[4]; break;
		case 'w': s += (double)va_arg(ap, __int128); break;
		default: CHECK(0);
		}
	va_end(ap);
	s += va_arg(again, int);
	va_end(again);
	return s;
}

static void variadic(void)
{
	int x = 5;
	struct i2 a = {1, 2};
	struct f2 f = {1, 3};
	struct d2 d = {1, 4};
	struct mix m = {1, 6};
	struct big b = {{0, 0, 0, 0, 8}, ""};

	CHECK(sum("i", 3) == 6);
	CHECK(sum("ildLp", 1, 2l, 3.0, 4.0L, &x) == 16);
	CHECK(sum("i2fDmb", 1, a, f, d, m, b) == 25);
	CHECK(sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 56);
	CHECK(sum("iddddddddddd", 1, 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11.) == 68);
	CHECK(sum("iw", 1, (__int128)9) == 11);
	CHECK(sum("iiiiiw", 1, 1, 1, 1, 1, (__int128)9) == 15);
}

struct list { struct list *next; struct { int x, y; } p[3]; };

static void addresses(void)
{
	struct list a = {0}, b = {&a, {{1, 2}, {3, 4}, {5, 6}}};
	int i = HIDE(2), m[3][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
	char *s = "hello";
	int n = HIDE(5), vla[n][2];

	CHECK(b.p[i].y == 6 && b.next->p[i - 1].x == 0);
	CHECK(m[i][HIDE(3)] == 11 && *(*(m + 1) + i) == 6 && (&m[0][0])[HIDE(7)] == 7);
	CHECK(s[HIDE((signed char)-1) + 2] == 'e' && (s + 5)[HIDE(-1)] == 'o');
	CHECK((char *)&b.p[1].y - (char *)&b == offsetof(struct list, p[1].y));
	for (int k = 0; k < n; k++)
		vla[k][0] = vla[k][1] = k * k;
	CHECK(vla[3][1] == 9 && sizeof vla == n * 8);
	CHECK(&m[2] - &m[0] == 2);
}

int main(void)
{
	by_value();
	copies();
	variadic();
	addresses();
	return 0;
}
