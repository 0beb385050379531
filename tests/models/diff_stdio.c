/*
 * Streams against glibc: random sequences of operations on two copies of a file, one stream of
 * each kind; results, positions, flags and the files' contents must stay the same, and so must
 * what has reached the file before a flush.
 */
#include "diff.h"
#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

MODEL(fopen);
MODEL(fdopen);
MODEL(freopen);
MODEL(fclose);
MODEL(fflush);
MODEL(fread);
MODEL(fwrite);
MODEL(fgets);
MODEL(fputs);
MODEL(fgetc);
MODEL(fputc);
MODEL(ungetc);
MODEL(fseek);
MODEL(ftell);
MODEL(rewind);
MODEL(getline);
MODEL(getdelim);
MODEL(setvbuf);
MODEL(feof);
MODEL(ferror);
MODEL(clearerr);
MODEL(fprintf);
MODEL(fmemopen);
MODEL(open_memstream);
MODEL(fopencookie);
MODEL(free);
extern FILE *m_stdout;
int m___uflow(FILE *fp);
int m___overflow(FILE *fp, int c);

enum { BIG = 20000 };
static char path[2][64];

static void fill(char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s[i] = one_in(20) ? '\n' : (char)('a' + below(26));
}

static void write_file(const char *name, const char *data, size_t n)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, data, n), n);
	close(fd);
}

static size_t read_file(const char *name, char *buf)
{
	int fd = open(name, O_RDONLY);
	ssize_t n = read(fd, buf, 40 * BIG);

	close(fd);
	return (size_t)n;
}

static void same_files(const char *when)
{
	static char a[40 * BIG], b[40 * BIG];
	size_t na = read_file(path[0], a), nb = read_file(path[1], b);

	SAME_INT(na, nb, "size of the file %s", when);
	SAME_MEM(a, b, na, "file %s", when);
}

struct pair {
	FILE *a, *b;
	int last; /* 0 neutral, 1 read, 2 wrote: C wants a seek between the two */
	int pushed;
	int seekable;
	const char *mode;
};

static size_t some(void)
{
	static const unsigned sizes[] = {1, 2, 10, 100, 1000, 4095, 4096, 4097, 8192, 9000, BIG};

	return one_in(2) ? 1 + below(60) : PICK(sizes);
}

static void read_op(struct pair *p)
{
	static char a[BIG + 1], b[BIG + 1];
	size_t n = some(), ra, rb;
	char *la = NULL, *lb = NULL;
	size_t na = 0, nb = 0;
	int c;

	memset(a, 0, sizeof a);
	memset(b, 0, sizeof b);
	p->last = 1;
	switch (below(6)) {
	case 0: SAME_INT(fgetc(p->a), m_fgetc(p->b), "fgetc"); break;
	case 1:
		ra = fread(a, 1, n, p->a);
		rb = m_fread(b, 1, n, p->b);
		SAME_INT(ra, rb, "fread of %zu", n);
		SAME_MEM(a, b, ra, "fread of %zu", n);
		break;
	case 2:
		SAME_INT(fgets(a, (int)n, p->a) != NULL, m_fgets(b, (int)n, p->b) != NULL,
			"fgets %zu", n);
		SAME_STR(a, b, "fgets %zu", n);
		break;
	case 3:
		SAME_INT(getline(&la, &na, p->a), m_getline(&lb, &nb, p->b), "getline");
		SAME_INT(na, nb, "size of getline's line");
		free(la);
		m_free(lb);
		break;
	case 4:
		if (p->pushed > 3)
			break;
		c = one_in(2) ? 'Z' : 'a' + (int)below(26);
		p->pushed++;
		SAME_INT(ungetc(c, p->a), m_ungetc(c, p->b), "ungetc %c", c);
		break;
	default:
		ra = fread(a, 7, n / 7, p->a);
		rb = m_fread(b, 7, n / 7, p->b);
		SAME_INT(ra, rb, "fread of %zu sevens", n / 7);
		break;
	}
}

static void write_op(struct pair *p)
{
	static char s[BIG + 1];
	size_t n = some();
	int v = (int)rnd();

	fill(s, n);
	s[n] = '\0';
	p->last = 2;
	switch (below(5)) {
	case 0: SAME_INT(fputc(s[0], p->a), m_fputc(s[0], p->b), "fputc"); break;
	case 1: SAME_INT(fwrite(s, 1, n, p->a), m_fwrite(s, 1, n, p->b), "fwrite of %zu", n); break;
	case 2: SAME_INT(fputs(s, p->a), m_fputs(s, p->b), "fputs of %zu", n); break;
	case 3:
		SAME_INT(fprintf(p->a, "%d %.50s\n", v, s), m_fprintf(p->b, "%d %.50s\n", v, s),
			"fprintf");
		break;
	default: SAME_INT(fwrite(s, 3, n / 3, p->a), m_fwrite(s, 3, n / 3, p->b), "fwrite"); break;
	}
}

static void seek_op(struct pair *p)
{
	static const int whences[] = {SEEK_SET, SEEK_CUR, SEEK_END};
	int whence = PICK(whences);
	long offset = (long)some() * (whence == SEEK_SET ? 1 : -1);

	if (one_in(5))
		offset = 0;
	if (p->pushed && whence == SEEK_CUR)
		return;
	if (one_in(8)) {
		rewind(p->a);
		m_rewind(p->b);
		p->last = p->pushed = 0;
		return;
	}
	int ra = fseek(p->a, offset, whence), rb = m_fseek(p->b, offset, whence);
	SAME_INT(ra, rb, "fseek %ld %d", offset, whence);
	if (!ra)
		p->last = p->pushed = 0;
}

static void check(struct pair *p, const char *when)
{
	SAME_INT(feof(p->a), m_feof(p->b), "feof after %s", when);
	SAME_INT(ferror(p->a), m_ferror(p->b), "ferror after %s", when);
	if (p->seekable && !p->pushed)
		SAME_INT(ftell(p->a), m_ftell(p->b), "ftell after %s, mode %s", when, p->mode);
}

static void one_op(struct pair *p, int may_read, int may_write)
{
	const char *when = "nothing";

	switch (below(10)) {
	case 0: case 1: case 2: case 3:
		if (may_read && p->last != 2) {
			read_op(p);
			when = "read";
		}
		break;
	case 4: case 5: case 6:
		if (may_write && p->last != 1) {
			write_op(p);
			when = "write";
		}
		break;
	case 7:
		if (p->seekable) {
			seek_op(p);
			when = "seek";
		}
		break;
	case 8:
		if (p->last == 2) {
			SAME_INT(fflush(p->a), m_fflush(p->b), "fflush");
			same_files("after fflush");
			when = "fflush";
		} else if (one_in(4)) {
			clearerr(p->a);
			m_clearerr(p->b);
			when = "clearerr";
		}
		break;
	default: same_files("before a flush"); break;
	}
	check(p, when);
}

static void set_buffers(struct pair *p)
{
	static char buf[2][3000];
	int mode = (int)below(3);
	size_t n = one_in(2) ? 0 : 1 + below(sizeof buf[0]);

	if (one_in(2))
		return;
	SAME_INT(setvbuf(p->a, n ? buf[0] : NULL, mode, n),
		m_setvbuf(p->b, n ? buf[1] : NULL, mode, n), "setvbuf");
}

static void on_files(void **state)
{
	static const char *const modes[] = {"r", "w", "a", "r+", "w+", "a+", "rb", "r+b"};
	static char data[BIG];

	(void)state;
	for (unsigned i = 0; i < rounds(1500); i++) {
		const char *mode = PICK(modes);
		size_t n = one_in(3) ? 0 : below(BIG);
		struct pair p = {.seekable = 1, .mode = mode};
		fill(data, n);
		write_file(path[0], data, n);
		write_file(path[1], data, n);
		p.a = fopen(path[0], mode);
		p.b = m_fopen(path[1], mode);
		set_buffers(&p);
		for (unsigned k = below(40); k; k--)
			one_op(&p, *mode == 'r' || strchr(mode, '+'),
				*mode != 'r' || strchr(mode, '+'));
		SAME_INT(fclose(p.a), m_fclose(p.b), "fclose");
		same_files("after fclose");
	}
}

/* Wrong direction, bad modes, missing files. */
static void errors(void **state)
{
	static const char *const modes[] = {"", "x", "rw", "wx", "r+x", "ax"};
	FILE *a, *b;

	(void)state;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		errno = m_errno = 0;
		a = fopen(path[0], modes[i]);
		b = m_fopen(path[1], modes[i]);
		SAME_INT(a != NULL, b != NULL, "fopen '%s'", modes[i]);
		SAME_INT(errno, m_errno, "errno of fopen '%s'", modes[i]);
		if (a)
			fclose(a);
		if (b)
			m_fclose(b);
	}
	SAME_INT(fopen("/nonexistent/x", "r") != NULL, m_fopen("/nonexistent/x", "r") != NULL,
		"fopen");
	SAME_INT(errno, m_errno, "errno of fopen");
	a = fopen(path[0], "r");
	b = m_fopen(path[1], "r");
	errno = m_errno = 0;
	SAME_INT(fputc('x', a), m_fputc('x', b), "fputc on a reader");
	SAME_INT(errno, m_errno, "errno of fputc on a reader");
	SAME_INT(ferror(a), m_ferror(b), "ferror of a reader");
	SAME_INT(fclose(a), m_fclose(b), "fclose after an error");
	a = fopen(path[0], "w");
	b = m_fopen(path[1], "w");
	errno = m_errno = 0;
	SAME_INT(fgetc(a), m_fgetc(b), "fgetc on a writer");
	SAME_INT(errno, m_errno, "errno of fgetc on a writer");
	SAME_INT(feof(a), m_feof(b), "feof of a writer");
	SAME_INT(fclose(a), m_fclose(b), "fclose after an error");
	a = fopen("/dev/full", "w");
	b = m_fopen("/dev/full", "w");
	SAME_INT(fputs("text", a), m_fputs("text", b), "fputs to /dev/full");
	errno = m_errno = 0;
	SAME_INT(fflush(a), m_fflush(b), "fflush to /dev/full");
	SAME_INT(errno, m_errno, "errno of fflush to /dev/full");
	SAME_INT(ferror(a), m_ferror(b), "ferror of /dev/full");
	SAME_INT(fclose(a), m_fclose(b), "fclose of /dev/full");
}

/* What reaches the file when: the same before each flush, byte for byte. */
static void flushing(void **state)
{
	static char s[BIG];

	(void)state;
	for (unsigned i = 0; i < rounds(300); i++) {
		struct pair p = {.a = fopen(path[0], "w"), .b = m_fopen(path[1], "w")};
		set_buffers(&p);
		for (unsigned k = below(30); k; k--) {
			size_t n = some();
			fill(s, n);
			SAME_INT(fwrite(s, 1, n, p.a), m_fwrite(s, 1, n, p.b), "fwrite");
			same_files("before a flush");
		}
		fclose(p.a);
		m_fclose(p.b);
	}
}

/* A pipe, where nothing can be sought. */
static void on_pipes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(100); i++) {
		static char data[8000];
		int pa[2], pb[2];
		struct pair p = {0};
		size_t n = below(sizeof data);
		fill(data, n);
		assert_int_equal(pipe(pa) | pipe(pb), 0);
		assert_int_equal(write(pa[1], data, n), n);
		assert_int_equal(write(pb[1], data, n), n);
		close(pa[1]);
		close(pb[1]);
		p.a = fdopen(pa[0], "r");
		p.b = m_fdopen(pb[0], "r");
		for (unsigned k = below(20); k; k--)
			one_op(&p, 1, 0);
		errno = m_errno = 0;
		SAME_INT(ftell(p.a), m_ftell(p.b), "ftell of a pipe");
		SAME_INT(errno, m_errno, "errno of ftell of a pipe");
		SAME_INT(fseek(p.a, 1, SEEK_SET), m_fseek(p.b, 1, SEEK_SET), "fseek of a pipe");
		fclose(p.a);
		m_fclose(p.b);
	}
}

static void in_memory(void **state)
{
	static const char *const modes[] = {"r", "w", "r+", "w+", "a", "a+"};

	(void)state;
	for (unsigned i = 0; i < rounds(1000); i++) {
		char a[200], b[200];
		const char *mode = PICK(modes);
		size_t n = 1 + below(sizeof a);
		struct pair p = {.seekable = 1};
		memset(a, 0, sizeof a);
		fill(a, below(sizeof a));
		memcpy(b, a, sizeof a);
		p.a = fmemopen(a, n, mode);
		p.b = m_fmemopen(b, n, mode);
		SAME_INT(p.a != NULL, p.b != NULL, "fmemopen");
		for (unsigned k = below(12); k; k--) {
			char s[40];
			size_t len = below(39);
			if (one_in(2) && *mode != 'r') {
				fill(s, len);
				SAME_INT(
					fwrite(s, 1, len, p.a), m_fwrite(s, 1, len, p.b), "fwrite");
				SAME_INT(fflush(p.a), m_fflush(p.b), "fflush of memory, mode %s",
					mode);
			} else if (*mode == 'r') {
				SAME_INT(fgetc(p.a), m_fgetc(p.b), "fgetc");
			}
			SAME_MEM(a, b, sizeof a, "memory, mode %s, size %zu", mode, n);
			SAME_INT(ftell(p.a), m_ftell(p.b), "ftell of memory, mode %s", mode);
			if (one_in(4)) {
				long off = (long)below(30);
				int w = (int)below(3);
				SAME_INT(fseek(p.a, off, w), m_fseek(p.b, off, w), "fseek %ld %d",
					off, w);
			}
		}
		SAME_INT(fclose(p.a), m_fclose(p.b), "fclose");
		SAME_MEM(a, b, sizeof a, "memory after fclose, mode %s, size %zu", mode, n);
	}
}

static void growing_memory(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(500); i++) {
		char *a, *b, s[300];
		size_t na, nb;
		FILE *fa = open_memstream(&a, &na), *fb = m_open_memstream(&b, &nb);
		for (unsigned k = below(20); k; k--) {
			size_t n = below(sizeof s);
			fill(s, n);
			SAME_INT(fwrite(s, 1, n, fa), m_fwrite(s, 1, n, fb), "fwrite");
			if (one_in(3)) {
				SAME_INT(fflush(fa), m_fflush(fb), "fflush");
				SAME_INT(na, nb, "size after fflush");
				SAME_MEM(a, b, na + 1, "text after fflush");
			}
			SAME_INT(ftell(fa), m_ftell(fb), "ftell");
			if (one_in(10)) {
				long off = (long)below(400);
				SAME_INT(fseek(fa, off, SEEK_SET), m_fseek(fb, off, SEEK_SET),
					"fseek");
			}
		}
		SAME_INT(fclose(fa), m_fclose(fb), "fclose");
		SAME_INT(na, nb, "size after fclose");
		SAME_MEM(a, b, na + 1, "text after fclose");
		free(a);
		m_free(b);
	}
}

static int setup(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof path[i], "%s/diff_stdio.%d.%d", diff_directory(),
			(int)getpid(), i);
		write_file(path[i], "", 0);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path[0]) | unlink(path[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_files),
		cmocka_unit_test(errors),
		cmocka_unit_test(flushing),
		cmocka_unit_test(on_pipes),
		cmocka_unit_test(in_memory),
		cmocka_unit_test(growing_memory),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, setup, teardown);
}
