#include "deep/frontier.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "image/image.h"
#include "finding/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCHEMA = 1, APPLICATION = 0x48454446 /* "HEDF" */, BUSY_MS = 20000 };
static const char schema_sql[] =
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE runs (number INTEGER PRIMARY KEY, node INTEGER NOT NULL, ways INTEGER NOT "
	"NULL,"
	" fate INTEGER NOT NULL, diverged INTEGER NOT NULL, why TEXT, misuse INTEGER NOT NULL,"
	" predicted INTEGER NOT NULL, plan TEXT, switches BLOB, names BLOB);"
	"CREATE TABLE queue (node INTEGER NOT NULL, ways INTEGER NOT NULL, fails INTEGER NOT NULL,"
	" fresh INTEGER NOT NULL, cost INTEGER NOT NULL, plan TEXT NOT NULL);"
	"CREATE TABLE findings (fingerprint INTEGER PRIMARY KEY, finding TEXT NOT NULL);";

struct frontier {
	sqlite3 *db;
	char *path;
	int lock;
	uint32_t saved; /* runs */
};

/* ---- statements -------------------------------------------------------------------------- */

static int report_error(const struct frontier *f, const char *doing)
{
	int code = sqlite3_errcode(f->db), sys = sqlite3_system_errno(f->db);
	const char *why = sqlite3_errmsg(f->db), *then = "";

	switch (code & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		why = "it is damaged, or not a database";
		then = " (start again without '--resume')";
		break;
	case SQLITE_FULL: why = "the disk is full"; break;
	case SQLITE_READONLY: why = "it cannot be written"; break;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		if (sys)
			why = strerror(sys);
		break;
	default: break;
	}
	return error_("cannot %s '%s': %s%s", doing, f->path, why, then);
}

static int exec_sql(struct frontier *f, const char *sql)
{
	if (sqlite3_exec(f->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return report_error(f, "write");
	return 0;
}

static sqlite3_stmt *prepare_sql(struct frontier *f, const char *sql)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) != SQLITE_OK)
		report_error(f, "use");
	return st;
}

static int finish_sql(struct frontier *f, sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_finalize(st);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : report_error(f, "write");
}

static void bind_text(sqlite3_stmt *st, int i, const char *s)
{
	if (s)
		sqlite3_bind_text(st, i, s, -1, SQLITE_TRANSIENT);
}

static void bind_finding(sqlite3_stmt *st, int i, const struct finding *f)
{
	struct strbuf b = {0};

	if (!f)
		return;
	finding_to_json(f, &b);
	bind_text(st, i, b.s);
	strbuf_release(&b);
}

static struct finding *column_finding(const struct frontier *f, sqlite3_stmt *st, int i)
{
	const char *text = (const char *)sqlite3_column_text(st, i);

	return text ? finding_from_json(text, (size_t)sqlite3_column_bytes(st, i), f->path) : NULL;
}

/* ---- meta: program, arguments, input ----------------------------------------------------- */

static uint64_t hash_file(const char *path)
{
	struct strbuf b = {0};
	char buf[4096];
	uint64_t h = 0;
	ssize_t n;
	int fd = path && strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return 0;
	while ((n = read(fd, buf, sizeof buf)) > 0)
		strbuf_add(&b, buf, (size_t)n);
	h = hash_bytes(b.s ? b.s : "", b.n);
	close(fd);
	strbuf_release(&b);
	return h;
}

static void words_json(struct strbuf *out, char *const *words)
{
	struct json j = {.out = out};

	json_array(&j, NULL);
	for (; words && *words; words++)
		json_str(&j, NULL, *words);
	json_end(&j);
}

struct fact {
	const char *key, *word; /* word: for the message */
	char *value;
};
enum { FACTS = 5 };

static int find_facts(const struct deep_options *opt, struct fact *out)
{
	struct strbuf argv = {0}, exclude = {0};
	uint64_t bitcode;

	if (replay_bitcode(opt->run.exe, &bitcode))
		return -1;
	words_json(&argv, opt->run.argv ? opt->run.argv + 1 : NULL);
	words_json(&exclude, (char *const *)opt->run.exclude);
	out[0] = (struct fact){"heddle", "heddle", xasprintf("%016" PRIx64, image_own_hash())};
	out[1] = (struct fact){"bitcode", "program", xasprintf("%016" PRIx64, bitcode)};
	out[2] = (struct fact){"argv", "list of arguments", strbuf_detach(&argv)};
	out[3] = (struct fact){
		"input", "input", xasprintf("%016" PRIx64, hash_file(opt->run.input))};
	out[4] = (struct fact){"exclude", "list of excluded functions", strbuf_detach(&exclude)};
	return 0;
}

static int put_facts(struct frontier *f, const struct fact *facts)
{
	for (uint32_t i = 0; i < FACTS; i++) {
		sqlite3_stmt *st = prepare_sql(f, "INSERT INTO meta VALUES (?1, ?2)");

		if (!st)
			return -1;
		bind_text(st, 1, facts[i].key);
		bind_text(st, 2, facts[i].value);
		if (finish_sql(f, st))
			return -1;
	}
	return 0;
}

static int check_facts(struct frontier *f, const struct fact *facts)
{
	for (uint32_t i = 0; i < FACTS; i++) {
		sqlite3_stmt *st = prepare_sql(f, "SELECT value FROM meta WHERE key = ?1");
		const char *value;
		bool same;

		if (!st)
			return -1;
		bind_text(st, 1, facts[i].key);
		value = sqlite3_step(st) == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0)
						       : NULL;
		same = value && !strcmp(value, facts[i].value);
		sqlite3_finalize(st);
		if (!same)
			return error_("'%s' belongs to another %s (start again without '--resume')",
				f->path, facts[i].word);
	}
	return 0;
}

/* ---- opening ----------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

void frontier_remove(const char *dir)
{
	nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Removes the database and its traces, and no other file. The database goes first: after a kill in
 * between, a database that exists still has its traces. */
static void remove_old(const struct frontier *f, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	frontier_remove(f->path);
	while (d && (e = readdir(d))) {
		char *path = xasprintf("%s/%s", dir, e->d_name);

		if (!strncmp(e->d_name, "run-", 4) || !strncmp(e->d_name, "frontier.db", 11))
			frontier_remove(path);
		free(path);
	}
	if (d)
		closedir(d);
}

static int take_lock(struct frontier *f, const char *dir)
{
	char *path = xasprintf("%s/lock", dir);
	int rc = 0;

	f->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (f->lock < 0)
		rc = error_("cannot create '%s': %s", path, strerror(errno));
	else if (flock(f->lock, LOCK_EX | LOCK_NB))
		rc = error_("another heddle process uses '%s' (wait until it ends)", dir);
	free(path);
	return rc;
}

/* 1: the database is new, or its creator was killed before the first COMMIT. 0: it has a schema. -1
 * after error_(). */
static int is_empty(struct frontier *f)
{
	sqlite3_stmt *st = prepare_sql(f, "SELECT 1 FROM sqlite_master");
	int rc = st ? sqlite3_step(st) : SQLITE_ERROR;

	sqlite3_finalize(st);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return st ? report_error(f, "read") : -1;
	return rc == SQLITE_DONE;
}

static int make_schema(struct frontier *f, const struct fact *facts)
{
	char *sql = xasprintf("BEGIN; %s PRAGMA application_id = %d; PRAGMA user_version = %d",
		schema_sql, APPLICATION, SCHEMA);
	int rc = exec_sql(f, sql) || put_facts(f, facts) || exec_sql(f, "COMMIT");

	free(sql);
	return rc ? -1 : 0;
}

static int open_db(struct frontier *f, const struct deep_options *opt)
{
	struct fact facts[FACTS] = {0};
	int rc = find_facts(opt, facts);

	if (!rc && !opt->resume)
		remove_old(f, opt->dir);
	if (!rc && sqlite3_open(f->path, &f->db) != SQLITE_OK)
		rc = report_error(f, "open");
	if (!rc) {
		sqlite3_extended_result_codes(f->db, 1);
		sqlite3_busy_timeout(f->db, BUSY_MS);
		rc = is_empty(f);
		if (rc >= 0)
			rc = rc ? make_schema(f, facts) : check_facts(f, facts);
	}
	for (uint32_t i = 0; i < FACTS; i++)
		free(facts[i].value);
	return rc;
}

struct frontier *frontier_open(const struct deep_options *opt)
{
	struct frontier *f = xcalloc(1, sizeof *f);

	f->lock = -1;
	f->path = xasprintf("%s/frontier.db", opt->dir);
	if (take_lock(f, opt->dir) || open_db(f, opt)) {
		frontier_close(f);
		return NULL;
	}
	return f;
}

void frontier_close(struct frontier *f)
{
	if (!f)
		return;
	sqlite3_close(f->db);
	if (f->lock >= 0)
		close(f->lock);
	free(f->path);
	free(f);
}

/* ---- reading ----------------------------------------------------------------------------- */

#define load_blob(st, i, v)                                                                        \
	do {                                                                                       \
		size_t n_ = (size_t)sqlite3_column_bytes(st, i) / sizeof *(v)->at;                 \
		vec_resize(v, (uint32_t)n_);                                                       \
		if (n_)                                                                            \
			memcpy((v)->at, sqlite3_column_blob(st, i), n_ * sizeof *(v)->at);         \
	} while (0)

static int load_runs(struct frontier *f, struct deep *d)
{
	sqlite3_stmt *st = prepare_sql(f,
		"SELECT number, node, ways, fate, diverged, why, misuse, predicted, plan, switches,"
		" names FROM runs"
		" ORDER BY number");

	int rc = st ? 0 : -1;

	while (!rc && sqlite3_step(st) == SQLITE_ROW) {
		const char *why = (const char *)sqlite3_column_text(st, 5);
		int misuse = sqlite3_column_int(st, 6);
		struct deep_run r = {.number = (uint32_t)sqlite3_column_int(st, 0),
			.node = (uint64_t)sqlite3_column_int64(st, 1),
			.ways = (uint32_t)sqlite3_column_int(st, 2),
			.fate = (uint32_t)sqlite3_column_int(st, 3),
			.diverged = sqlite3_column_int(st, 4),
			.why = why ? xstrdup(why) : NULL,
			.misused = misuse >= 0,
			.misuse = (uint32_t)MAX(misuse, 0),
			.predicted = sqlite3_column_int(st, 7),
			.plan = column_finding(f, st, 8)};

		r.dir = xasprintf("%s/run-%u", d->opt->dir, r.number);
		vec_push(&d->runs, r);
		load_blob(st, 9, &vec_last(&d->runs).switches);
		load_blob(st, 10, &vec_last(&d->runs).names);
		if (!r.plan && sqlite3_column_type(st, 8) != SQLITE_NULL)
			rc = -1;
	}
	sqlite3_finalize(st);
	f->saved = d->runs.n;
	return rc;
}

static int load_queue(struct frontier *f, struct deep *d)
{
	sqlite3_stmt *st = prepare_sql(f, "SELECT node, ways, fails, fresh, cost, plan FROM queue");
	int rc = st ? 0 : -1;

	while (!rc && sqlite3_step(st) == SQLITE_ROW) {
		struct flip fl = {.node = (uint64_t)sqlite3_column_int64(st, 0),
			.ways = (uint32_t)sqlite3_column_int(st, 1),
			.fails = sqlite3_column_int(st, 2),
			.fresh = sqlite3_column_int(st, 3),
			.cost = (uint32_t)sqlite3_column_int(st, 4),
			.plan = column_finding(f, st, 5)};

		if (fl.plan)
			vec_push(&d->queue, fl);
		else
			rc = -1;
	}
	sqlite3_finalize(st);
	return rc;
}

static int load_findings(struct frontier *f, struct deep *d)
{
	sqlite3_stmt *st = prepare_sql(f, "SELECT finding FROM findings");
	int rc = st ? 0 : -1;

	while (!rc && sqlite3_step(st) == SQLITE_ROW) {
		struct finding *found = column_finding(f, st, 0);

		if (!found) {
			rc = -1;
			break;
		}
		*map_put(&d->told, found->fingerprint) = 1;
		if (d->opt->predict.found)
			d->opt->predict.found(d->opt->predict.ctx, found);
		else
			finding_free(found);
	}
	sqlite3_finalize(st);
	return rc;
}

int frontier_load(struct frontier *f, struct deep *d)
{
	return load_runs(f, d) || load_queue(f, d) || load_findings(f, d) ? -1 : 0;
}

/* ---- writing ----------------------------------------------------------------------------- */

static int save_run(struct frontier *f, const struct deep_run *r)
{
	sqlite3_stmt *st = prepare_sql(f, "INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, "
					  "?6, ?7, ?8, ?9, ?10, ?11)");

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, r->number);
	sqlite3_bind_int64(st, 2, (int64_t)r->node);
	sqlite3_bind_int64(st, 3, r->ways);
	sqlite3_bind_int64(st, 4, r->fate);
	sqlite3_bind_int64(st, 5, r->diverged);
	bind_text(st, 6, r->why);
	sqlite3_bind_int64(st, 7, r->misused ? (int64_t)r->misuse : -1);
	sqlite3_bind_int64(st, 8, r->predicted);
	bind_finding(st, 9, r->plan);
	sqlite3_bind_blob(st, 10, r->switches.at, (int)(r->switches.n * sizeof *r->switches.at),
		SQLITE_TRANSIENT);
	sqlite3_bind_blob(st, 11, r->names.at, (int)(r->names.n * sizeof *r->names.at),
		SQLITE_TRANSIENT);
	return finish_sql(f, st);
}

static int save_flip(struct frontier *f, const struct flip *fl)
{
	sqlite3_stmt *st = prepare_sql(f, "INSERT INTO queue VALUES (?1, ?2, ?3, ?4, ?5, ?6)");

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, (int64_t)fl->node);
	sqlite3_bind_int64(st, 2, fl->ways);
	sqlite3_bind_int64(st, 3, fl->fails);
	sqlite3_bind_int64(st, 4, fl->fresh);
	sqlite3_bind_int64(st, 5, fl->cost);
	bind_finding(st, 6, fl->plan);
	return finish_sql(f, st);
}

int frontier_save(struct frontier *f, const struct deep *d)
{
	int rc = exec_sql(f, "BEGIN; DELETE FROM queue");

	for (uint32_t i = f->saved; i < d->runs.n && !rc; i++)
		rc = save_run(f, &d->runs.at[i]);
	for (uint32_t i = 0; i < d->queue.n && !rc; i++)
		rc = save_flip(f, &d->queue.at[i]);
	if (!rc)
		rc = exec_sql(f, "COMMIT");
	if (rc)
		sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
	else
		f->saved = d->runs.n;
	return rc;
}

int frontier_predicted(struct frontier *f, const struct deep_run *r)
{
	sqlite3_stmt *st = prepare_sql(f, "UPDATE runs SET predicted = 1 WHERE number = ?1");

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, r->number);
	return finish_sql(f, st);
}

int frontier_found(struct frontier *f, const struct finding *found)
{
	sqlite3_stmt *st = prepare_sql(f, "INSERT OR REPLACE INTO findings VALUES (?1, ?2)");

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, (int64_t)found->fingerprint);
	bind_finding(st, 2, found);
	return finish_sql(f, st);
}
