/*
 * check-name: stdio from several threads: lines stay whole, flockfile keeps several together
 * check-seeds: 100
 * check-output:
 * all 23 lines whole, pairs together
 * check-output-end
 *
 * ThreadSanitizer does not know flockfile and calls putc_unlocked a race: it is none.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;

static void *run(void *arg)
{
	int me = *(int *)arg;

	for (int i = 0; i < 5; i++) {
		if (me == 0) {
			fprintf(file, "line %d of thread %d\n", i, me);
			continue;
		}
		flockfile(file);
		fprintf(file, "first %d", me);
		fputs(" half\n", file);
		putc_unlocked('s', file);
		fprintf(file, "econd %d half\n", me);
		funlockfile(file);
		i++;
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	int id[4], lines = 0, good = 1;
	char *text, line[80], expect[80] = "";
	size_t n;

	file = open_memstream(&text, &n);
	for (int i = 0; i < 4; i++) {
		id[i] = i;
		pthread_create(&t[i], NULL, run, &id[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	fclose(file);
	for (char *p = text; *p; lines++) {
		int a, b;
		size_t k = strcspn(p, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)k, p);
		p += k + 1;
		if (*expect) {
			good &= !strcmp(line, expect);
			*expect = '\0';
		} else if (sscanf(line, "first %d half", &a) == 1) {
			snprintf(expect, sizeof(expect), "second %d half", a);
		} else {
			good &= sscanf(line, "line %d of thread %d", &a, &b) == 2;
		}
	}
	free(text);
	printf("all %d lines whole, pairs %s\n", lines, good ? "together" : "torn");
	return 0;
}
