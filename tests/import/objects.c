/* Globals: initializers with addresses, TLS, aliases, weak symbols, constructors, strings. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct node { struct node *next; const char *name; int (*f)(int); long k; };
static int plus(int x) { return x + 1; }
static int minus(int x) { return x - 1; }
extern struct node second;
struct node first = {&second, "first", plus, 1};
struct node second = {&first, "second" + 3, minus, (long)sizeof(struct node)};
static int numbers[] = {[3] = 7, [0] = 1};
static int *const inside = &numbers[3];
int *past = numbers + 4;
static const uintptr_t as_int = (uintptr_t)&numbers[1];
static const char *const words[][2] = {{"a", "bb"}, {"ccc", 0}};
static const wchar_t wide[] = L"wide\x1234";
static const unsigned short shorts[300] = {[299] = 0xbeef};
static const double doubles[] = {1.5, -2.5, 1e300};
static struct { char c; short s; unsigned b : 3, d : 7; long double x; __int128 w; _Bool t; } odd = {
	'c', -2, 5, 99, 1.5L, -((__int128)1 << 100), 1};
static union { char c[4]; unsigned u; } un = {.u = 0x01020304};
static long diff = (char *)&second.name - (char *)&second;
int tentative;
_Thread_local int tls = 42;
static _Thread_local char tls_zero[16];
int target_of_alias = 31;
extern int other_name __attribute__((alias("target_of_alias")));
int real(int x) { return x * 2; }
int also(int x) __attribute__((alias("real")));
extern int nowhere __attribute__((weak));
extern int no_function(void) __attribute__((weak));
__attribute__((weak)) int weak_here(void) { return 6; }

static int order, at_a, at_b;
__attribute__((constructor(200))) static void second_ctor(void) { at_b = ++order; }
__attribute__((constructor(101))) static void first_ctor(void) { at_a = ++order; }

static int counter(void)
{
	static int n = 10;

	return n++;
}

int main(void)
{
	CHECK(first.next->next == &first && !strcmp(second.name, "ond") && first.f(1) == 2);
	CHECK(second.f(1) == 0 && second.k == 32 && !strcmp(first.name, "first"));
	CHECK(*inside == 7 && past - numbers == 4 && as_int == (uintptr_t)(numbers + 1));
	CHECK(!strcmp(words[1][0], "ccc") && !words[1][1] && words[0][1][1] == 'b');
	CHECK(wide[4] == 0x1234 && wide[5] == 0 && shorts[299] == 0xbeef && shorts[298] == 0);
	CHECK(doubles[HIDE(1)] == -2.5 && doubles[2] == 1e300);
	CHECK(odd.c == 'c' && odd.s == -2 && odd.b == 5 && odd.d == 99 && odd.x == 1.5L && odd.t);
	CHECK(odd.w == -((__int128)1 << 100));
	CHECK(un.c[0] == 4 && diff == 8 && tentative == 0);
	tentative = 5;
	CHECK(HIDE(tentative) == 5);
	CHECK(tls == 42 && tls_zero[15] == 0);
	tls++;
	CHECK(*HIDE(&tls) == 43);
	CHECK(other_name == 31 && also(HIDE(4)) == 8 && &other_name == &target_of_alias);
	other_name = 32;
	CHECK(HIDE(target_of_alias) == 32);
	CHECK(!HIDE(&nowhere) && !HIDE(&no_function) && weak_here() == 6);
	CHECK(at_a == 1 && at_b == 2);
	CHECK(counter() == 10 && counter() == 11);
	return 0;
}
