/*
 * check-name: threads print, allocate, and use files and library state of their own
 * check-command: heddle check --deep -- $exe
 * check-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
	const char *path;
	char text[8];
	unsigned seed;
	int sum;
};

static void *work(void *arg)
{
	struct job *j = arg;
	char *rest, line[16], *copy = malloc(8);
	FILE *f = fopen(j->path, "w+");

	if (!f || !copy)
		exit(1);
	strcpy(copy, j->text);
	fprintf(f, "%s\n", strtok_r(copy, ",", &rest));
	rewind(f);
	if (!fgets(line, sizeof line, f))
		exit(1);
	fclose(f);
	unlink(j->path);
	j->sum = line[0] + rand_r(&j->seed) % 2;
	printf("%s is done\n", j->path);
	free(copy);
	return NULL;
}

int main(void)
{
	struct job a = {.path = "first.tmp", .text = "a,b", .seed = 1};
	struct job b = {.path = "second.tmp", .text = "x,y", .seed = 2};
	pthread_t t, u;

	pthread_create(&t, NULL, work, &a);
	pthread_create(&u, NULL, work, &b);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(a.sum < b.sum);
	return 0;
}
