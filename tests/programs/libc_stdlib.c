/*
 * check-name: conversion, sorting, random numbers, environment
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

struct wide {
	int key;
	char name[36];
};

static int by_key(const void *a, const void *b, void *sign)
{
	return (((const struct wide *)a)->key - ((const struct wide *)b)->key) * *(int *)sign;
}

static void convert(const char *s, int base)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(s, &end, base);
	printf("'%s' %d: %ld '%s' %d", s, base, v, end, errno);
	errno = 0;
	printf(" %lu %d\n", strtoul(s, NULL, base), errno);
}

int main(void)
{
	int numbers[] = {5, -1, 30, 2, 2, 100, 7, 0}, key = 30, sign = -1;
	struct wide records[] = {{2, "two"}, {1, "one"}, {2, "deux"}, {3, "three"}};
	unsigned seed = 7;
	char *end;

	convert("  42abc", 10);
	convert("-0x1F", 0);
	convert("0777", 0);
	convert("zz", 36);
	convert("99999999999999999999", 10);
	convert("-99999999999999999999", 10);
	convert("", 10);
	printf("%d %ld %g\n", atoi("17x"), atol("-9"), atof("2.5e3"));
	printf("%g '%s' ", strtod("1.5e2rest", &end), end);
	printf("%a %g %Lg\n", strtod("0x1.8p1", NULL), (double)strtof("1e-3", NULL),
		strtold("inf", NULL));
	qsort(numbers, 8, sizeof *numbers, by_value);
	for (int i = 0; i < 8; i++)
		printf("%d ", numbers[i]);
	printf("%d\n", *(int *)bsearch(&key, numbers, 8, sizeof *numbers, by_value));
	qsort_r(records, 4, sizeof *records, by_key, &sign);
	for (int i = 0; i < 4; i++)
		printf("%s ", records[i].name);
	printf("\n%d %d ", rand(), rand());
	srand(42);
	printf("%d %ld %d\n", rand(), random(), rand_r(&seed));
	srand48(1);
	printf("%.10f %ld\n", drand48(), lrand48());
	printf("%d %ld\n", abs(-3), labs(-4L));
	printf("%d %d\n", div(17, 5).quot, div(17, 5).rem);
	setenv("HEDDLE_A", "one", 1);
	setenv("HEDDLE_A", "two", 0);
	putenv("HEDDLE_B=three");
	printf("%s %s ", getenv("HEDDLE_A"), getenv("HEDDLE_B"));
	unsetenv("HEDDLE_A");
	printf("%s\n", getenv("HEDDLE_A") ? "still" : "gone");
	return 0;
}
