/*
 * Runs a fuzz target without libFuzzer, for every compiler and every `make test`: each file named
 * on the command line or found in a directory named there, as it is and after `-n N` deterministic
 * mutations (bytes flipped, overwritten, removed, doubled; the file cut short). The seed is fixed:
 * what fails once fails again, and the failing input is left in a file named by the message.
 */
#include "base/base.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct strbuf input; /* of the call that is running, for the crash handler */
static const char *current_file;
static unsigned long runs;

static uint64_t rng_next(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

static void on_crash(int sig)
{
	static const char path[] = "fuzz-crash.bin";
	FILE *f = fopen(path, "wb");

	if (f) {
		fwrite(input.s, 1, input.n, f);
		fclose(f);
	}
	fprintf(stderr, "fuzz: signal %d on a mutation of '%s' (input left in '%s')\n", sig,
		current_file, path);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void run_one(void)
{
	/* a copy of exactly that size, so that a sanitizer sees reads past the end */
	uint8_t *copy = xmalloc(input.n);

	memcpy(copy, input.s, input.n);
	LLVMFuzzerTestOneInput(copy, input.n);
	free(copy);
	runs++;
}

static void mutate_once(struct strbuf *b, uint64_t *rng)
{
	static const unsigned char interesting[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '9', '-'};
	uint64_t r = rng_next(rng);
	size_t at, len;

	if (!b->n) {
		strbuf_addc(b, (char)r);
		return;
	}
	at = (r >> 8) % b->n;
	len = 1 + (r >> 40) % MIN((size_t)16, b->n - at);
	switch (r % 6) {
	case 0: b->s[at] ^= (char)(1 << (r >> 60 & 7)); break;
	case 1: b->s[at] = (char)interesting[(r >> 48) % ARRAY_SIZE(interesting)]; break;
	case 2: b->s[at] = (char)(r >> 48); break;
	case 3: b->n = at; break;
	case 4:
		memmove(b->s + at, b->s + at + len, b->n - at - len);
		b->n -= len;
		break;
	case 5: {
		char chunk[16];

		memcpy(chunk, b->s + at, len);
		strbuf_add(b, chunk, len);
		memmove(b->s + at + len, b->s + at, b->n - at - len);
		break;
	}
	}
}

static void run_file(const char *path, unsigned mutations)
{
	struct strbuf original = {0};
	uint64_t rng = 0x9e3779b97f4a7c15u;

	current_file = path;
	if (strbuf_read_file(&original, path)) {
		fprintf(stderr, "fuzz: cannot read '%s': %s\n", path, strerror(errno));
		exit(1);
	}
	for (unsigned i = 0; i <= mutations; i++) {
		strbuf_clear(&input);
		strbuf_add(&input, original.s, original.n);
		for (unsigned k = 0; i && k < 1 + i % 8; k++)
			mutate_once(&input, &rng);
		run_one();
	}
	strbuf_release(&original);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void run_path(const char *path, unsigned mutations)
{
	struct stat st;
	struct dirent **entries;
	int n;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		run_file(path, mutations);
		return;
	}
	n = scandir(path, &entries, NULL, by_name);
	for (int i = 0; i < n; i++) {
		char *file = xasprintf("%s/%s", path, entries[i]->d_name);

		if (entries[i]->d_name[0] != '.')
			run_file(file, mutations);
		free(file);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	unsigned mutations = 100;
	int opt;

	while ((opt = getopt(argc, argv, "n:")) != -1) {
		if (opt != 'n')
			return 2;
		mutations = (unsigned)strtoul(optarg, NULL, 10);
	}
	signal(SIGSEGV, on_crash);
	signal(SIGABRT, on_crash);
	signal(SIGBUS, on_crash);
	signal(SIGFPE, on_crash);
	current_file = "(empty input)";
	strbuf_add(&input, "", 0);
	run_one();
	for (int i = optind; i < argc; i++)
		run_path(argv[i], mutations);
	printf("%lu inputs\n", runs);
	strbuf_release(&input);
	return 0;
}
