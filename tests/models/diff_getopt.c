/* getopt, getopt_long and getopt_long_only against glibc on random command lines; messages too. */
#include "diff.h"
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

MODEL(getopt);
MODEL(getopt_long);
MODEL(getopt_long_only);
MODEL(optarg);
MODEL(optind);
MODEL(opterr);
MODEL(optopt);
MODEL(fflush);
extern FILE *m_stderr;
extern char **m___environ;

enum { MAX = 8 };

static int flag_a, flag_b;

static void make_longs(struct option *longs, int *flag)
{
	static const char *const names[] = {"all", "alpha", "beta", "b", "verbose", "version",
		"ver", "x", "output", "out-file", "longer", "l"};
	int n = (int)below(7);

	for (int i = 0; i < n; i++)
		longs[i] = (struct option){PICK(names), (int)below(3), one_in(4) ? flag : NULL,
			one_in(3) ? 1 : (int)below(300)};
	longs[n] = (struct option){0};
}

static void run(unsigned kind, int count, char **argv, const char *shorts, const struct option *la,
	const struct option *lb)
{
	char *copy[MAX + 1];
	int error = (int)below(8) != 0;

	memcpy(copy, argv, sizeof copy);
	optind = m_optind = 0;
	opterr = m_opterr = error;
	for (int step = 0; step < 2 * MAX; step++) {
		int ia = -5, ib = -5, ra, rb;
		switch (kind) {
		case 0:
			ra = getopt(count, argv, shorts);
			rb = m_getopt(count, copy, shorts);
			break;
		case 1:
			ra = getopt_long(count, argv, shorts, la, &ia);
			rb = m_getopt_long(count, copy, shorts, lb, &ib);
			break;
		default:
			ra = getopt_long_only(count, argv, shorts, la, &ia);
			rb = m_getopt_long_only(count, copy, shorts, lb, &ib);
			break;
		}
		SAME_INT(ra, rb, "kind %u step %d '%s'", kind, step, shorts);
		SAME_INT(ia, ib, "index, kind %u '%s'", kind, shorts);
		SAME_INT(optind, m_optind, "optind, kind %u '%s'", kind, shorts);
		SAME_STR(optarg, m_optarg, "optarg, kind %u '%s'", kind, shorts);
		if (ra == '?' || ra == ':')
			SAME_INT(optopt, m_optopt, "optopt, kind %u '%s'", kind, shorts);
		SAME_INT(flag_a, flag_b, "flag");
		if (ra == -1)
			break;
	}
	for (int i = 0; i < count; i++)
		assert_ptr_equal(argv[i], copy[i]);
}

static void command_lines(void **state)
{
	static const char *const words[] = {"-a", "-b", "-ab", "-bval", "-c", "-cval", "-", "--",
		"file", "other", "--all", "--al", "--alpha=1", "--beta", "--ver", "--verb=x",
		"--nosuch", "-x", "-all", "-alpha", "-beta=3", "-o", "--out", "--output",
		"--output=y", "-W", "-Wall", "-Wout=1", "-:", "-l", "-longer", "-;", "--b", "-verb",
		""};
	static const char *const shorts[] = {"",
		"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "+:ab:", "aW;b:", "abcxol",
		"a:b:c:", "-:a"};

	(void)state;
	for (unsigned i = 0; i < rounds(30000); i++) {
		char *argv[MAX + 1] = {(char *)"prog"};
		struct option la[8], lb[8];
		int n = 1 + (int)below(MAX);
		uint64_t before = diff_state;
		for (int k = 1; k < n; k++)
			argv[k] = (char *)PICK(words);
		before = diff_state;
		make_longs(la, &flag_a);
		diff_state = before;
		make_longs(lb, &flag_b);
		flag_a = flag_b = 0;
		if (one_in(50))
			setenv("POSIXLY_CORRECT", "1", 1);
		m___environ = environ;
		run(below(3), n, argv, PICK(shorts), la, lb);
		unsetenv("POSIXLY_CORRECT");
	}
}

/* Both write to descriptor 2, which goes to a file: each line must come twice. */
static void messages(void **state)
{
	char path[] = "/tmp/diff_getoptXXXXXX", a[300], b[300];
	int fd = mkstemp(path), save = dup(2), odd = 0;
	FILE *in;

	dup2(fd, 2);
	command_lines(state);
	fflush(stderr);
	m_fflush(m_stderr);
	dup2(save, 2);
	in = fopen(path, "r");
	while (fgets(a, sizeof a, in)) {
		if (!fgets(b, sizeof b, in) || strcmp(a, b) != 0) {
			odd = 1;
			break;
		}
	}
	if (odd)
		fprintf(stderr, "glibc: %smodel: %s", a, b);
	assert_false(odd);
	fclose(in);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
