#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "finding/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct strbuf messages;
static char dir[] = "/tmp/heddle-findings-XXXXXX";
static char home[sizeof dir + 16]; /* a fresh directory for each test */

static void take(void *ctx, const char *message)
{
	strbuf_adds(ctx, message);
	strbuf_addc(ctx, '\n');
}

static bool said(const char *what)
{
	return messages.n && strstr(messages.s, what);
}

static int group_setup(void **state)
{
	(void)state;
	diag_set_sink(take, &messages);
	return !mkdtemp(dir) || chmod(dir, 0755);
}

static void remove_all(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
			char *sub = xasprintf("%s/%s", path, e->d_name);

			remove_all(sub);
			free(sub);
		}
	if (d)
		closedir(d);
	remove(path);
}

static int group_teardown(void **state)
{
	(void)state;
	diag_set_sink(NULL, NULL);
	strbuf_release(&messages);
	remove_all(dir);
	return 0;
}

static int setup(void **state)
{
	static int n;

	(void)state;
	strbuf_clear(&messages);
	snprintf(home, sizeof home, "%s/%d", dir, n++);
	return mkdir(home, 0755);
}

static char *in_home(const char *name)
{
	return xasprintf("%s/%s", home, name);
}

static struct finding *make(uint64_t fingerprint, enum finding_status status, const char *title)
{
	struct finding *f = finding_new();

	f->fingerprint = fingerprint;
	f->status = status;
	f->title = xstrdup(title);
	f->bitcode = 1;
	return f;
}

/* The name that it gets; "" if it could not be put. */
static const char *put(struct findings *db, uint64_t fingerprint, enum finding_status status,
	const char *title, bool *is_new)
{
	static char name[16];
	struct finding *f = make(fingerprint, status, title);

	name[0] = 0;
	if (!findings_put(db, f, is_new))
		strcpy(name, f->name);
	finding_free(f);
	return name;
}

static void sql(const char *text)
{
	char *path = in_home(".heddle/findings.db");
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	free(path);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void test_names_are_stable(void **state)
{
	struct findings *db = findings_open(home, true);
	bool is_new;

	(void)state;
	assert_non_null(db);
	assert_string_equal(put(db, 7, FINDING_PREDICTED, "a", &is_new), "H1");
	assert_true(is_new);
	assert_string_equal(put(db, UINT64_MAX, FINDING_PREDICTED, "b", &is_new), "H2");
	assert_string_equal(put(db, 7, FINDING_PREDICTED, "a again", &is_new), "H1");
	assert_false(is_new);
	findings_close(db);
	db = findings_open(home, false);
	assert_string_equal(put(db, UINT64_MAX, FINDING_PREDICTED, "b", &is_new), "H2");
	assert_false(is_new);
	assert_string_equal(put(db, 8, FINDING_PREDICTED, "c", NULL), "H3");
	findings_close(db);
	sql("DELETE FROM findings WHERE number = 3");
	db = findings_open(home, false);
	assert_string_equal(put(db, 9, FINDING_PREDICTED, "d", NULL), "H4");
	findings_close(db);
}

static void expect_kept(
	struct findings *db, const char *name, enum finding_status status, const char *title)
{
	struct finding *f = findings_get(db, name);

	assert_non_null(f);
	assert_int_equal(f->status, status);
	assert_string_equal(f->title, title);
	finding_free(f);
}

static void test_confirmed_stays_confirmed(void **state)
{
	struct findings *db = findings_open(home, true);
	struct finding *f;

	(void)state;
	put(db, 1, FINDING_PREDICTED, "first", NULL);
	expect_kept(db, "H1", FINDING_PREDICTED, "first");
	put(db, 1, FINDING_DIVERGED, "second", NULL);
	expect_kept(db, "H1", FINDING_DIVERGED, "second");
	put(db, 1, FINDING_CONFIRMED, "third", NULL);
	put(db, 1, FINDING_PREDICTED, "fourth", NULL);
	expect_kept(db, "H1", FINDING_CONFIRMED, "third");
	put(db, 1, FINDING_OBSERVED, "fifth", NULL);
	expect_kept(db, "h1", FINDING_CONFIRMED, "third");
	put(db, 1, FINDING_CONFIRMED, "sixth", NULL);
	expect_kept(db, "H1", FINDING_CONFIRMED, "sixth");
	/* of another program, that says nothing */
	f = make(1, FINDING_PREDICTED, "seventh");
	f->bitcode = 2;
	assert_int_equal(findings_put(db, f, NULL), 0);
	assert_string_equal(f->name, "H1");
	expect_kept(db, "H1", FINDING_PREDICTED, "seventh");
	finding_free(f);
	findings_close(db);
}

static void collect_titles(void *ctx, const struct finding *f)
{
	strbuf_addf(ctx, "%s=%s ", f->name, f->title);
}

static void test_unknown_names_say_which_there_are(void **state)
{
	struct findings *db = findings_open(home, true);
	struct strbuf b = {0};

	(void)state;
	assert_null(findings_get(db, "H1"));
	assert_true(said("it has no findings yet"));
	put(db, 1, FINDING_PREDICTED, "a", NULL);
	put(db, 2, FINDING_PREDICTED, "b", NULL);
	strbuf_clear(&messages);
	assert_null(findings_get(db, "H3"));
	assert_true(said("'H3'") && said("there are H1, H2"));
	assert_null(findings_get(db, "1"));
	assert_null(findings_get(db, "H01"));
	assert_null(findings_get(db, "H1x"));
	assert_null(findings_get(db, "H18446744073709551617"));
	assert_int_equal(findings_each(db, collect_titles, &b), 0);
	assert_string_equal(b.s, "H1=a H2=b ");
	strbuf_release(&b);
	findings_close(db);
}

/* ---- several at once ------------------------------------------------------------------------ */

enum { PROCESSES = 6, EACH = 25, SHARED = 10 };

static void one_of_many(uint32_t i)
{
	struct findings *db;

	diag_set_sink(NULL, NULL);
	for (uint32_t k = 0; k < EACH; k++) {
		uint64_t own = 1000 + i * 100 + k;

		db = findings_open(home, true); /* the first ones all try to make it */
		if (!db || !*put(db, k % SHARED, FINDING_PREDICTED, "shared", NULL) ||
			!*put(db, own, FINDING_PREDICTED, "own", NULL))
			_exit(1);
		findings_close(db);
	}
	_exit(0);
}

static void count(void *ctx, const struct finding *f)
{
	uint32_t *n = ctx;

	assert_int_equal(atoi(f->name + 1), ++*n);
}

static void test_many_processes(void **state)
{
	pid_t pids[PROCESSES];
	uint32_t n = 0;
	struct findings *db;
	int status;

	(void)state;
	for (uint32_t i = 0; i < PROCESSES; i++)
		if (!(pids[i] = fork()))
			one_of_many(i);
	for (uint32_t i = 0; i < PROCESSES; i++) {
		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
	}
	db = findings_open(home, false);
	assert_int_equal(findings_each(db, count, &n), 0);
	assert_int_equal(n, PROCESSES * EACH + SHARED);
	findings_close(db);
}

/* A process that dies in the middle leaves what was there before. */
static void test_killed_writer(void **state)
{
	struct findings *db = findings_open(home, true);
	int status;
	pid_t pid;

	(void)state;
	put(db, 1, FINDING_CONFIRMED, "kept", NULL);
	findings_close(db);
	if (!(pid = fork())) {
		char *path = in_home(".heddle/findings.db");
		sqlite3 *raw;

		sqlite3_open(path, &raw);
		sqlite3_exec(raw,
			"PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;"
			"UPDATE findings SET finding = 'x', title = hex(zeroblob(100000))",
			NULL, NULL, NULL);
		raise(SIGKILL);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	db = findings_open(home, false);
	assert_non_null(db);
	expect_kept(db, "H1", FINDING_CONFIRMED, "kept");
	findings_close(db);
}

/* ---- what can be wrong ---------------------------------------------------------------------- */

static void test_nothing_there(void **state)
{
	(void)state;
	assert_null(findings_open(home, false));
	assert_true(said(home) && said("no findings"));
	strbuf_clear(&messages);
	assert_null(findings_open("/nonexistent/place", true));
	assert_true(said("/nonexistent/place/.heddle") && said("No such file"));
}

static void write_db(const char *text, size_t n)
{
	char *folder = in_home(".heddle"), *path = in_home(".heddle/findings.db");
	int fd;

	mkdir(folder, 0755);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
	assert_int_equal(write(fd, text, n), n);
	close(fd);
	free(folder);
	free(path);
}

static void test_not_a_database(void **state)
{
	char *path = in_home(".heddle/findings.db");
	struct strbuf before = {0}, after = {0};
	char junk[5000];

	(void)state;
	memset(junk, 'x', sizeof junk);
	write_db(junk, sizeof junk);
	assert_int_equal(strbuf_read_file(&before, path), 0);
	assert_null(findings_open(home, true));
	assert_true(said(path) && said("damaged") && said("move it away"));
	assert_int_equal(strbuf_read_file(&after, path), 0);
	assert_true(before.n == after.n && !memcmp(before.s, after.s, after.n));
	strbuf_release(&before);
	strbuf_release(&after);
	free(path);
}

static void test_another_database(void **state)
{
	(void)state;
	write_db("", 0);
	sql("CREATE TABLE other (x)");
	assert_null(findings_open(home, true));
	assert_true(said("not a database of heddle"));
}

/* A view in the place of the table could compute for ever; so could a trigger. */
static void test_foreign_schema(void **state)
{
	static const char *const texts[] = {
		"CREATE VIEW more AS SELECT * FROM findings",
		"CREATE TRIGGER more AFTER UPDATE ON findings BEGIN DELETE FROM findings; END",
		"CREATE TABLE more (x)",
		"CREATE INDEX more ON findings (title)",
		"PRAGMA writable_schema = ON; DELETE FROM sqlite_master; INSERT INTO sqlite_master "
		"VALUES"
		" ('view', 'findings', 'findings', 0, 'CREATE VIEW findings AS WITH RECURSIVE "
		"r(number,"
		" finding, seal, fingerprint) AS (SELECT 1, 1, 1, 1 UNION ALL SELECT number + 1, "
		"1, 1, 1"
		" FROM r) SELECT * FROM r WHERE number < 0')",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct findings *db = findings_open(home, true);

		assert_non_null(db);
		put(db, 1, FINDING_PREDICTED, "x", NULL);
		findings_close(db);
		sql(texts[i]);
		assert_null(findings_open(home, false));
		assert_true(said("that heddle did not make"));
		setup(state);
	}
}

static void test_pipe(void **state)
{
	struct findings *db = findings_open(home, true);
	char *path = in_home(".heddle/findings.db");

	(void)state;
	findings_close(db);
	unlink(path);
	assert_int_equal(mkfifo(path, 0666), 0);
	assert_null(findings_open(home, false));
	assert_null(findings_open(home, true));
	assert_true(said("not a regular file"));
	free(path);
}

/* SQLite does not notice that a text was changed. */
static void test_changed_row(void **state)
{
	struct findings *db = findings_open(home, true);

	(void)state;
	put(db, 1, FINDING_PREDICTED, "x", NULL);
	put(db, 2, FINDING_PREDICTED, "y", NULL);
	findings_close(db);
	sql("UPDATE findings SET finding = replace(finding, '\"predicted\"', '\"confirmed\"')"
	    " WHERE number = 1");
	db = findings_open(home, false);
	assert_null(findings_get(db, "H1"));
	assert_true(said("H1 in ") && said("damaged"));
	expect_kept(db, "H2", FINDING_PREDICTED, "y");
	findings_close(db);
	sql("UPDATE findings SET finding = (SELECT finding FROM findings WHERE number = 2), seal ="
	    " (SELECT seal FROM findings WHERE number = 2) WHERE number = 1");
	db = findings_open(home, false);
	assert_null(findings_get(db, "H1"));
	findings_close(db);
}

static void test_newer_schema(void **state)
{
	struct findings *db = findings_open(home, true);

	(void)state;
	findings_close(db);
	sql("PRAGMA user_version = 7");
	assert_null(findings_open(home, true));
	assert_true(said("newer heddle") && said("7") && said("findings.db"));
}

static void test_damaged_pages(void **state)
{
	struct findings *db = findings_open(home, true);
	char *path = in_home(".heddle/findings.db"), junk[4096];
	struct strbuf b = {0};
	int fd, rc = 0;

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		put(db, i, FINDING_PREDICTED, "x", NULL);
	findings_close(db);
	fd = open(path, O_RDWR);
	memset(junk, 0x55, sizeof junk);
	for (off_t at = 4096; at < lseek(fd, 0, SEEK_END); at += 4096)
		assert_int_equal(pwrite(fd, junk, sizeof junk, at), sizeof junk);
	close(fd);
	db = findings_open(home, false);
	if (db)
		rc = findings_each(db, collect_titles, &b);
	assert_true(!db || rc == -1);
	assert_true(said("damaged") && said(path));
	findings_close(db);
	strbuf_release(&b);
	free(path);
}

/* One bad row is named; the others are told. */
static void test_damaged_row(void **state)
{
	struct findings *db = findings_open(home, true);
	struct strbuf b = {0};

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		put(db, i, FINDING_PREDICTED, "x", NULL);
	findings_close(db);
	sql("UPDATE findings SET finding = '{' WHERE number = 2");
	db = findings_open(home, false);
	assert_int_equal(findings_each(db, collect_titles, &b), -1);
	assert_string_equal(b.s, "H1=x H3=x ");
	assert_true(said("H2 in "));
	assert_null(findings_get(db, "H2"));
	strbuf_clear(&messages);
	assert_string_equal(put(db, 1, FINDING_PREDICTED, "y", NULL), "");
	assert_true(said("H2 in "));
	findings_close(db);
	strbuf_release(&b);
}

/* As somebody who may not write: root may always. */
static int as_nobody(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (!geteuid() && setuid(65534))
			_exit(99);
		_exit(fn());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int use_read_only(void)
{
	struct findings *db = findings_open(home, true);
	struct finding *f;

	if (!db)
		return 1;
	f = findings_get(db, "H1");
	if (!f || strcmp(f->title, "kept"))
		return 2;
	if (!findings_put(db, f, NULL) || !said("read-only") || !said("findings.db"))
		return 3;
	return 0;
}

static int make_in_read_only(void)
{
	return findings_open(home, true) ? 1 : said(".heddle") && said("Permission denied") ? 0 : 2;
}

static void test_read_only_directory(void **state)
{
	struct findings *db = findings_open(home, true);
	char *folder = in_home(".heddle"), *path = in_home(".heddle/findings.db");

	(void)state;
	put(db, 1, FINDING_PREDICTED, "kept", NULL);
	findings_close(db);
	chmod(path, 0444);
	chmod(folder, 0555);
	assert_int_equal(as_nobody(use_read_only), 0);
	chmod(path, 0644); /* the file alone is not enough: the journal lies beside it */
	assert_int_equal(as_nobody(use_read_only), 0);
	chmod(folder, 0755);
	free(folder);
	free(path);
	setup(NULL);
	chmod(home, 0555);
	assert_int_equal(as_nobody(make_in_read_only), 0);
	chmod(home, 0755);
}

/* No file may grow: what a full disk is to SQLite, but for the number of the error. */
static int fill_disk(void)
{
	struct rlimit lim = {20000, 20000};
	struct findings *db = findings_open(home, false);
	char *big = xmalloc(100001);

	memset(big, 'x', 100000);
	big[100000] = 0;
	signal(SIGXFSZ, SIG_IGN);
	if (!db || setrlimit(RLIMIT_FSIZE, &lim))
		return 1;
	if (*put(db, 2, FINDING_PREDICTED, big, NULL))
		return 2;
	if (!said("cannot write") || !said("findings.db"))
		return 3;
	return *put(db, 1, FINDING_PREDICTED, "small", NULL) ? 0 : 4; /* it goes on */
}

static void test_full_disk(void **state)
{
	struct findings *db = findings_open(home, true);
	uint32_t n = 0;
	pid_t pid;
	int status;

	(void)state;
	put(db, 1, FINDING_PREDICTED, "small", NULL);
	findings_close(db);
	if (!(pid = fork()))
		_exit(fill_disk());
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	db = findings_open(home, false);
	assert_int_equal(findings_each(db, count, &n), 0);
	assert_int_equal(n, 1);
	findings_close(db);
}

static void test_paths(void **state)
{
	struct findings *db = findings_open(home, true);
	char *a = findings_path(db, "inputs/7"), *b = findings_path(db, "H1/"),
	     *expect = in_home(".heddle/inputs/7"), *folder = in_home(".heddle/inputs");

	(void)state;
	assert_string_equal(a, expect);
	assert_int_equal(access(folder, W_OK), 0);
	assert_int_equal(access(a, F_OK), -1);
	assert_int_equal(access(b, W_OK), 0);
	assert_null(findings_path(db, "findings.db/x"));
	assert_true(said("a file has this name"));
	free(a);
	free(b);
	free(expect);
	free(folder);
	findings_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_names_are_stable, setup),
		cmocka_unit_test_setup(test_confirmed_stays_confirmed, setup),
		cmocka_unit_test_setup(test_unknown_names_say_which_there_are, setup),
		cmocka_unit_test_setup(test_many_processes, setup),
		cmocka_unit_test_setup(test_killed_writer, setup),
		cmocka_unit_test_setup(test_nothing_there, setup),
		cmocka_unit_test_setup(test_not_a_database, setup),
		cmocka_unit_test_setup(test_another_database, setup),
		cmocka_unit_test_setup(test_foreign_schema, setup),
		cmocka_unit_test_setup(test_pipe, setup),
		cmocka_unit_test_setup(test_changed_row, setup),
		cmocka_unit_test_setup(test_newer_schema, setup),
		cmocka_unit_test_setup(test_damaged_pages, setup),
		cmocka_unit_test_setup(test_damaged_row, setup),
		cmocka_unit_test_setup(test_read_only_directory, setup),
		cmocka_unit_test_setup(test_full_disk, setup),
		cmocka_unit_test_setup(test_paths, setup),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
