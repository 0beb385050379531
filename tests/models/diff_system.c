/*
 * The rest against glibc: environment, paths, directories, descriptors, allocation, search,
 * fortified calls and what they abort with, signals.
 */
#include "diff.h"
#include "shim.h"
#include <dirent.h>
#include <fcntl.h>
#include <search.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <malloc.h>

extern char **m___environ;
MODEL(getenv);
MODEL(setenv);
MODEL(unsetenv);
MODEL(putenv);
MODEL(realpath);
MODEL(getcwd);
MODEL(stat);
MODEL(lstat);
MODEL(access);
MODEL(open);
MODEL(close);
MODEL(read);
MODEL(write);
MODEL(readv);
MODEL(writev);
MODEL(pread);
MODEL(lseek);
MODEL(opendir);
MODEL(readdir);
MODEL(closedir);
MODEL(rewinddir);
MODEL(scandir);
MODEL(alphasort);
MODEL(remove);
MODEL(rename);
MODEL(mkdir);
MODEL(readlink);
MODEL(isatty);
MODEL(sysconf);
MODEL(malloc);
MODEL(calloc);
MODEL(realloc);
MODEL(reallocarray);
MODEL(posix_memalign);
MODEL(aligned_alloc);
MODEL(malloc_usable_size);
MODEL(free);
MODEL(tsearch);
MODEL(tfind);
MODEL(tdelete);
MODEL(twalk);
MODEL(hcreate);
MODEL(hsearch);
MODEL(hdestroy);
MODEL(lsearch);
MODEL(signal);
MODEL(raise);
MODEL(sigaction);
MODEL(sigprocmask);
MODEL(sigpending);
void *m___memcpy_chk(void *, const void *, size_t, size_t);
char *m___strcpy_chk(char *, const char *, size_t);
char *m___strcat_chk(char *, const char *, size_t);
int m___sprintf_chk(char *, int, size_t, const char *, ...);
int m___snprintf_chk(char *, size_t, int, size_t, const char *, ...);
_Noreturn void m___assert_fail(const char *, const char *, unsigned, const char *);
_Noreturn void m_abort(void);
extern char *m___progname;

static void environment(void **state)
{
	static const char *const names[] = {"A", "B", "AB", "C", "", "X=Y", "LONGER"};
	static const char *const values[] = {"", "1", "value", "a=b"};

	char **own = environ; /* cmocka looks into it at the end */

	(void)state;
	clearenv();
	m___environ = NULL;
	for (unsigned i = 0; i < rounds(5000); i++) {
		const char *n = PICK(names), *v = PICK(values);
		int replace = (int)below(2);
		errno = m_errno = 0;
		switch (below(4)) {
		case 0:
			SAME_INT(setenv(n, v, replace), m_setenv(n, v, replace), "setenv %s", n);
			break;
		case 1: SAME_INT(unsetenv(n), m_unsetenv(n), "unsetenv %s", n); break;
		case 2:
			if (one_in(20)) {
				char *s;
				assert_true(asprintf(&s, "%s=%s", n, v) > 0);
				SAME_INT(putenv(s), m_putenv(s), "putenv %s", s);
			}
			break;
		default: SAME_STR(getenv(n), m_getenv(n), "getenv %s", n); break;
		}
		SAME_INT(errno, m_errno, "errno of %s", n);
	}
	for (int i = 0; environ && environ[i]; i++)
		SAME_STR(environ[i], m___environ[i], "environ[%d]", i);
	environ = own;
}

static char dir[] = "/tmp/diff_systemXXXXXX";

static void make_files(void)
{
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(mkdir("d", 0755) | mkdir("d/e", 0755), 0);
	assert_int_equal(
		symlink("d/e", "link") | symlink("loop2", "loop1") | symlink("loop1", "loop2"), 0);
	assert_int_equal(
		symlink("../file", "d/up") | symlink("/tmp", "abs") | symlink("none", "dangling"),
		0);
	close(open("file", O_CREAT | O_WRONLY, 0644));
}

static void paths(void **state)
{
	static const char *const parts[] = {".", "..", "d", "e", "link", "file", "up", "loop1",
		"abs", "dangling", "none", "/", "//", ""};

	(void)state;
	for (unsigned i = 0; i < rounds(3000); i++) {
		char path[200] = "", *a, *b, buf[PATH_MAX], buf2[PATH_MAX];
		struct stat sa, sb;
		ssize_t n;
		for (unsigned k = below(5); k; k--) {
			strcat(path, PICK(parts));
			if (!one_in(5))
				strcat(path, "/");
		}
		errno = m_errno = 0;
		a = realpath(path, NULL);
		b = m_realpath(path, NULL);
		SAME_STR(a, b, "realpath '%s'", path);
		/* glibc leaves the errno of a step before it for a file with a slash behind it */
		if (!a && errno != EINVAL)
			SAME_INT(errno, m_errno, "errno of realpath '%s'", path);
		free(a);
		m_free(b);
		SAME_INT(stat(path, &sa), m_stat(path, &sb), "stat '%s'", path);
		SAME_INT(access(path, R_OK), m_access(path, R_OK), "access '%s'", path);
		n = readlink(path, buf, sizeof buf);
		SAME_INT(n, m_readlink(path, buf2, sizeof buf2), "readlink '%s'", path);
	}
	for (size_t size = 0; size < 60; size++) {
		char a[100] = "", b[100] = "";
		errno = m_errno = 0;
		SAME_INT(getcwd(a, size) != NULL, m_getcwd(b, size) != NULL, "getcwd %zu", size);
		SAME_STR(a, b, "getcwd %zu", size);
		SAME_INT(errno, m_errno, "errno of getcwd %zu", size);
	}
}

static void directories(void **state)
{
	DIR *a = opendir("."), *b = m_opendir(".");
	struct dirent *ea, *eb, **la, **lb;
	int na, nb;

	(void)state;
	for (int k = 0; k < 2; k++) {
		do {
			ea = readdir(a);
			eb = m_readdir(b);
			SAME_STR(ea ? ea->d_name : NULL, eb ? eb->d_name : NULL, "readdir");
		} while (ea);
		rewinddir(a);
		m_rewinddir(b);
	}
	SAME_INT(closedir(a), m_closedir(b), "closedir");
	SAME_INT(opendir("none") != NULL, m_opendir("none") != NULL, "opendir");
	SAME_INT(opendir("file") != NULL, m_opendir("file") != NULL, "opendir");
	SAME_INT(errno, m_errno, "opendir");
	na = scandir(".", &la, NULL, alphasort);
	nb = m_scandir(".", &lb, NULL, m_alphasort);
	SAME_INT(na, nb, "scandir");
	for (int i = 0; i < na; i++)
		SAME_STR(la[i]->d_name, lb[i]->d_name, "scandir %d", i);
}

static void descriptors(void **state)
{
	char a[100] = "", b[100] = "", c[10], d[10], e[10], f[10];
	int fa = open("fa", O_RDWR | O_CREAT | O_TRUNC, 0600);
	int fb = m_open("fb", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct iovec v[3] = {{"one", 3}, {"", 0}, {"twothree", 8}};
	struct iovec ra[3] = {{c, 4}, {a, 2}, {d, 10}}, rb[3] = {{e, 4}, {b, 2}, {f, 10}};

	(void)state;
	memset(d, 0, sizeof d);
	memset(f, 0, sizeof f);
	SAME_INT(writev(fa, v, 3), m_writev(fb, v, 3), "writev");
	SAME_INT(lseek(fa, 0, SEEK_SET), m_lseek(fb, 0, SEEK_SET), "lseek");
	SAME_INT(readv(fa, ra, 3), m_readv(fb, rb, 3), "readv");
	SAME_MEM(a, b, sizeof a, "readv");
	SAME_MEM(c, e, 4, "readv");
	SAME_MEM(d, f, sizeof d, "readv");
	SAME_INT(pread(fa, a, 50, 2), m_pread(fb, b, 50, 2), "pread");
	SAME_MEM(a, b, sizeof a, "pread");
	errno = m_errno = 0;
	SAME_INT(isatty(fa), m_isatty(fb), "isatty");
	SAME_INT(errno, m_errno, "errno of isatty");
	SAME_INT(read(99, a, 1), m_read(99, b, 1), "read of nothing");
	SAME_INT(errno, m_errno, "errno of read");
	SAME_INT(close(fa), m_close(fb), "close");
	SAME_INT(open("none/x", O_RDONLY), m_open("none/x", O_RDONLY), "open");
	SAME_INT(errno, m_errno, "errno of open");
	SAME_INT(remove("fa"), m_remove("fb"), "remove");
	SAME_INT(mkdir("ga", 0700), m_mkdir("gb", 0700), "mkdir");
	SAME_INT(remove("ga"), m_remove("gb"), "remove of a directory");
	SAME_INT(remove("d"), m_remove("d"), "remove of a full directory");
	SAME_INT(errno, m_errno, "errno of remove");
}

static void configuration(void **state)
{
	(void)state;
	for (int name = -1; name < 260; name++) {
		if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN ||
			name == _SC_AVPHYS_PAGES ||
			(name >= _SC_LEVEL1_ICACHE_SIZE && name <= _SC_LEVEL4_CACHE_LINESIZE) ||
			name == _SC_MINSIGSTKSZ || name == _SC_SIGSTKSZ)
			continue;
		SAME_INT(sysconf(name), m_sysconf(name), "sysconf %d", name);
	}
}

static void allocation(void **state)
{
	volatile size_t most = SIZE_MAX; /* the compiler knows better */
	void *p, *q;
	char *s;

	(void)state;
	assert_non_null(p = m_malloc(0));
	m_free(p);
	m_free(NULL);
	errno = m_errno = 0;
	assert_null(m_malloc(most));
	assert_int_equal(m_errno, ENOMEM);
	assert_null(m_calloc(most / 2, 3));
	assert_null(m_reallocarray(NULL, most / 2, 3));
	s = m_calloc(3, 5);
	for (int i = 0; i < 15; i++)
		assert_int_equal(s[i], 0);
	memcpy(s, "0123456789abcd", 15);
	s = m_realloc(s, 1000);
	assert_string_equal(s, "0123456789abcd");
	s = m_realloc(s, 5);
	assert_memory_equal(s, "01234", 5);
	assert_int_equal(m_malloc_usable_size(s), 5);
	assert_null(m_realloc(s, 0));
	p = q = (void *)1;
	SAME_INT(posix_memalign(&p, 3, 8), m_posix_memalign(&q, 3, 8), "posix_memalign 3");
	SAME_INT(posix_memalign(&p, 64, 100), m_posix_memalign(&q, 64, 100), "posix_memalign 64");
	assert_int_equal((uintptr_t)q % 64, 0);
	free(p);
	m_free(q);
	q = m_aligned_alloc(4096, 8192);
	assert_int_equal((uintptr_t)q % 4096, 0);
	m_free(q);
}

static int compare_int(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static int walked[2][300], nwalked[2], which;

static void note(const void *node, VISIT v, int depth)
{
	(void)depth;
	if (v == leaf || v == postorder)
		walked[which][nwalked[which]++] = **(int *const *)node;
}

static void searching(void **state)
{
	static int keys[100];
	void *a = NULL, *b = NULL;
	static const char *const words[] = {"one", "two", "three", "four", "five", "six"};

	(void)state;
	for (int i = 0; i < 100; i++)
		keys[i] = i * 7 % 100;
	for (unsigned i = 0; i < rounds(3000); i++) {
		int *k = &keys[below(100)];
		void *ra, *rb;
		if (one_in(2)) {
			ra = tsearch(k, &a, compare_int);
			rb = m_tsearch(k, &b, compare_int);
			SAME_INT(**(int **)ra, **(int **)rb, "tsearch");
		} else if (one_in(2)) {
			SAME_INT(tfind(k, &a, compare_int) != NULL,
				m_tfind(k, &b, compare_int) != NULL, "tfind");
		} else {
			SAME_INT(tdelete(k, &a, compare_int) != NULL,
				m_tdelete(k, &b, compare_int) != NULL, "tdelete");
		}
		if (i % 100 == 0) {
			nwalked[0] = nwalked[1] = 0;
			which = 0;
			twalk(a, note);
			which = 1;
			m_twalk(b, note);
			SAME_INT(nwalked[0], nwalked[1], "twalk");
			SAME_MEM(walked[0], walked[1], sizeof(int) * (size_t)nwalked[0], "twalk");
		}
	}
	hcreate(20);
	m_hcreate(20);
	for (unsigned i = 0; i < 200; i++) {
		ENTRY e = {(char *)PICK(words), (void *)(uintptr_t)i}, *ra, *rb;
		ACTION action = one_in(2) ? FIND : ENTER;
		ra = hsearch(e, action);
		rb = m_hsearch(e, action);
		SAME_INT(ra ? (long)ra->data : -1, rb ? (long)rb->data : -1, "hsearch");
	}
	hdestroy();
	m_hdestroy();
}

/* Runs a call that must fault; the message. */
#define FAULT(call) \
	do { \
		jmp_buf at; \
		shim_fault_jump = &at; \
		if (!setjmp(at)) { \
			call; \
			fail_msg("no fault"); \
		} \
		shim_fault_jump = NULL; \
	} while (0)

static void faults(void **state)
{
	char buf[10];

	(void)state;
	m___progname = "prog";
	FAULT(m___memcpy_chk(buf, "0123456789ab", 11, 10));
	assert_int_equal(shim_fault_kind, HEDDLE_FAULT_ABORT);
	assert_string_equal(shim_fault_text, "*** buffer overflow detected ***: terminated");
	FAULT(m___strcpy_chk(buf, "0123456789", 10));
	m___strcpy_chk(buf, "012345678", 10);
	assert_string_equal(buf, "012345678");
	FAULT(m___strcat_chk(buf, "x", 10));
	FAULT(m___sprintf_chk(buf, 1, 10, "%d", 1234567890));
	assert_int_equal(m___sprintf_chk(buf, 1, 10, "%d", 123456789), 9);
	FAULT(m___snprintf_chk(buf, 11, 1, 10, "x"));
	FAULT(m___assert_fail("a == b", "file.c", 12, "int f(void)"));
	assert_int_equal(shim_fault_kind, HEDDLE_FAULT_ASSERT);
	assert_string_equal(
		shim_fault_text, "prog: file.c:12: int f(void): Assertion `a == b' failed.");
	FAULT(m_abort());
	assert_int_equal(shim_fault_kind, HEDDLE_FAULT_ABORT);
	FAULT(m_raise(SIGTERM));
	assert_int_equal(shim_fault_kind, HEDDLE_FAULT_FATAL_SIGNAL);
}

static int handled, nested;

static void on_signal(int sig)
{
	handled = handled * 10 + sig;
}

static void on_nested(int sig)
{
	if (nested++ < 2)
		m_raise(sig);
	handled = handled * 10 + nested;
}

static void signals(void **state)
{
	sigset_t set, old;
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, was;

	(void)state;
	assert_ptr_equal(m_signal(SIGHUP, on_signal), SIG_DFL);
	assert_int_equal(m_raise(SIGHUP), 0);
	assert_int_equal(handled, SIGHUP);
	assert_int_equal(m_raise(SIGCHLD), 0); /* ignored by default */
	handled = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	m_sigprocmask(SIG_BLOCK, &set, &old);
	m_raise(SIGHUP);
	assert_int_equal(handled, 0);
	m_sigpending(&set);
	assert_true(sigismember(&set, SIGHUP));
	m_sigprocmask(SIG_SETMASK, &old, NULL);
	assert_int_equal(handled, SIGHUP);
	/* a signal is blocked while its handler runs, and comes after it */
	handled = 0;
	m_signal(SIGHUP, on_nested);
	m_raise(SIGHUP);
	assert_int_equal(handled, 123);
	m_sigaction(SIGHUP, &act, &was);
	assert_ptr_equal(was.sa_handler, on_nested);
	m_raise(SIGHUP);
	m_sigaction(SIGHUP, NULL, &was);
	assert_ptr_equal(was.sa_handler, SIG_DFL);
	m_signal(SIGTERM, SIG_IGN);
	assert_int_equal(m_raise(SIGTERM), 0);
	assert_int_equal(m_raise(500), -1);
	assert_int_equal(m_errno, EINVAL);
	m_signal(SIGTERM, SIG_DFL);
}

static int setup(void **state)
{
	(void)state;
	make_files();
	return 0;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "/bin/rm -rf %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(directories),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(configuration),
		cmocka_unit_test(allocation),
		cmocka_unit_test(searching),
		cmocka_unit_test(faults),
		cmocka_unit_test(signals),
		cmocka_unit_test(environment),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, setup, teardown);
}
