/*
 * The runtime of recorded programs without the instrumenter: every scenario of target.h is run, and
 * its streams are read byte by byte. Output is TAP. Arguments: the target, the same as an image
 * that logs everything, and names of checks to run (all if there are none).
 */
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "checks.h"

const char *target, *target_whole;
static int failures; /* of the check that runs */

void fail_(const char *file, int line, const char *what, const char *got)
{
	printf("# %s:%d: %s\n", file, line, what);
	if (got)
		printf("#   got: %.3000s\n", got);
	failures++;
}

void exited_(const struct run *r, int code, const char *file, int line)
{
	char got[64];
	snprintf(got, sizeof(got), "wait status 0x%x", (unsigned)r->status);
	if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) != code)
		fail_(file, line, "another exit status", got);
}

bool matches_(const struct run *r, uint32_t thread, const char *pattern, const char *file, int line)
{
	if (thread >= r->nstreams || !r->streams[thread].text) {
		fail_(file, line, pattern, "no such stream");
		return false;
	}
	const struct stream *s = &r->streams[thread];
	if (s->bad) {
		fail_(file, line, s->bad, s->text_n > 2500 ? s->text + s->text_n - 2500 : s->text);
		return false;
	}
	if (!fnmatch(pattern, s->text, 0))
		return true;
	fail_(file, line, pattern, s->text);
	return false;
}

size_t count_words(const struct stream *s, const char *w)
{
	size_t n = 0;
	for (const char *p = s->text; p && (p = strstr(p, w)); p += strlen(w))
		n++;
	return n;
}

bool counts_up(const struct stream *s, uint64_t from, uint64_t *next)
{
	for (const char *p = s->text; p && (p = strstr(p, " V(")); p += 3) {
		uint64_t v = strtoull(p + 3, NULL, 10);
		if (v == 90 && p < s->text + 64)
			continue; /* the constructor */
		if (v != from)
			return false;
		from++;
	}
	*next = from;
	return true;
}

struct check {
	const char *name;
	void (*run)(void);
};
static const struct check all[] = {
#define CHECK(name) {#name, check_##name},
#include "checks.def"
#undef CHECK
};

int main(int argc, char **argv)
{
	size_t n = sizeof(all) / sizeof(all[0]), bad = 0, ran = 0;
	if (argc < 3)
		return 2;
	target = argv[1];
	target_whole = argv[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3)
		printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		bool wanted = argc == 3;
		for (int j = 3; j < argc; j++)
			wanted |= !strcmp(argv[j], all[i].name);
		if (!wanted)
			continue;
		failures = 0;
		all[i].run();
		printf("%s %zu - %s\n", failures ? "not ok" : "ok", i + 1, all[i].name);
		bad += failures != 0;
		ran++;
	}
	return bad || !ran;
}
