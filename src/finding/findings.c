#include "finding/findings.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A rollback journal, not a write-ahead log: a database in a directory that cannot be written stays
 * readable, and nothing is left beside it. `number` is never given out twice (AUTOINCREMENT), also
 * not after a row was deleted by hand.
 */
enum { SCHEMA = 1, APPLICATION = 0x4845444c /* "HEDL" */, BUSY_MS = 20000 };
static const char schema_sql[] =
	"CREATE TABLE findings ("
	" number INTEGER PRIMARY KEY AUTOINCREMENT,"
	" fingerprint INTEGER NOT NULL UNIQUE,"
	" kind TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL, summary TEXT,"
	" first_seen TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,"
	" last_seen TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,"
	" finding TEXT NOT NULL)";

struct findings {
	sqlite3 *db;
	char *folder; /* ….heddle */
	char *path;
	bool readonly;
};

/* ---- errors --------------------------------------------------------------------------------- */

static int failed(const struct findings *f, const char *doing)
{
	int code = sqlite3_errcode(f->db), sys = sqlite3_system_errno(f->db);
	const char *why = sqlite3_errmsg(f->db), *then = "";

	switch (code & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		why = "it is damaged, or not a database";
		then = " (move it away to begin anew)";
		break;
	case SQLITE_FULL: why = "the disk is full"; break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: why = "another process has held it for too long"; break;
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

static int run(struct findings *f, const char *sql, const char *doing)
{
	return sqlite3_exec(f->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(f, doing);
}

/* The first number that a statement gives. */
static int ask(struct findings *f, const char *sql, int64_t *out)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(f->db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		*out = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return rc == SQLITE_ROW ? 0 : failed(f, "read");
}

/* ---- opening -------------------------------------------------------------------------------- */

static int make_folder(const char *path)
{
	struct stat st;

	if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode)))
		return 0;
	return error_("cannot make the folder '%s': %s", path,
		errno == EEXIST ? "something else has its name" : strerror(errno));
}

/* 0 if its schema is ours, 1 if it is empty. */
static int check_version(struct findings *f)
{
	int64_t version, application, tables;

	if (ask(f, "PRAGMA user_version", &version) ||
		ask(f, "PRAGMA application_id", &application) ||
		ask(f, "SELECT count(*) FROM sqlite_master", &tables))
		return -1;
	if (!version && !tables)
		return 1;
	if (application != APPLICATION)
		return error_(
			"'%s' is not a database of heddle (move it away to begin anew)", f->path);
	if (version != SCHEMA)
		return error_("'%s' is of a %s heddle: its version is %" PRId64
			      ", this one knows %d",
			f->path, version > SCHEMA ? "newer" : "older", version, SCHEMA);
	return 0;
}

/* Of several processes that come at once one makes it; the others look again. */
static int make_schema(struct findings *f)
{
	struct strbuf sql = {0};
	int rc;

	if (run(f, "BEGIN IMMEDIATE", "write"))
		return -1;
	rc = check_version(f);
	if (rc == 1) {
		strbuf_addf(&sql, "%s; PRAGMA application_id = %d; PRAGMA user_version = %d",
			schema_sql, APPLICATION, SCHEMA);
		rc = run(f, sql.s, "write");
	}
	if (!rc)
		rc = run(f, "COMMIT", "write");
	if (rc)
		sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
	strbuf_release(&sql);
	return rc;
}

static int open_db(struct findings *f, bool create)
{
	int flags = f->readonly ? SQLITE_OPEN_READONLY
				: SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	int rc;

	if (sqlite3_open_v2(f->path, &f->db, flags, NULL) != SQLITE_OK)
		return failed(f, "open");
	sqlite3_extended_result_codes(f->db, 1);
	sqlite3_busy_timeout(f->db, BUSY_MS);
	rc = check_version(f);
	if (rc == 1 && f->readonly)
		return error_("there are no findings in '%s'", f->path);
	return rc == 1 ? make_schema(f) : rc;
}

struct findings *findings_open(const char *dir, bool create)
{
	struct findings *f = xcalloc(1, sizeof *f);
	int rc = 0;

	f->folder = xasprintf("%s/.heddle", !strcmp(dir, "/") ? "" : dir);
	f->path = xasprintf("%s/findings.db", f->folder);
	if (create && access(f->path, F_OK)) {
		rc = make_folder(f->folder);
	} else if (access(f->path, F_OK)) {
		rc = error_("there are no findings in '%s' ('heddle check' makes them)", dir);
	} else if (access(f->path, R_OK)) {
		rc = error_("cannot open '%s': %s", f->path, strerror(errno));
	} else {
		f->readonly = access(f->path, W_OK) || access(f->folder, W_OK);
	}
	if (rc || open_db(f, create)) {
		findings_close(f);
		return NULL;
	}
	return f;
}

void findings_close(struct findings *f)
{
	if (!f)
		return;
	sqlite3_close(f->db);
	free(f->folder);
	free(f->path);
	free(f);
}

/* ---- writing -------------------------------------------------------------------------------- */

static sqlite3_stmt *prepare(struct findings *f, const char *sql, const char *doing)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) != SQLITE_OK)
		failed(f, doing);
	return st;
}

static int finish(struct findings *f, sqlite3_stmt *st, const char *doing)
{
	int rc = sqlite3_step(st);

	sqlite3_finalize(st);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : failed(f, doing);
}

/* Numbers that do not fit into a name are nothing that we wrote. */
static int set_name(const struct findings *db, struct finding *f, int64_t number)
{
	if (number < 1 || number > UINT32_MAX)
		return error_("'%s' is damaged: there is a finding with the number %" PRId64,
			db->path, number);
	snprintf(f->name, sizeof f->name, "H%u", (uint32_t)number);
	return 0;
}

/* The row of the statement as a finding; its number is its name. */
static struct finding *row_finding(struct findings *f, sqlite3_stmt *st)
{
	int64_t number = sqlite3_column_int64(st, 0);
	const char *text = (const char *)sqlite3_column_text(st, 1);
	size_t n = (size_t)sqlite3_column_bytes(st, 1);
	char *from = xasprintf("H%" PRId64 " in %s", number, f->path);
	struct finding *out = finding_from_json(text ? text : "", text ? n : 0, from);

	if (out && set_name(f, out, number)) {
		finding_free(out);
		out = NULL;
	}
	free(from);
	return out;
}

/* What was kept under the fingerprint; its number, 0 if there was nothing. -1 after error_(). */
static int64_t find_old(struct findings *f, uint64_t fingerprint, struct finding **old)
{
	sqlite3_stmt *st =
		prepare(f, "SELECT number, finding FROM findings WHERE fingerprint = ?1", "read");
	int64_t number = 0;
	int rc;

	*old = NULL;
	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, (int64_t)fingerprint);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW) {
		number = sqlite3_column_int64(st, 0);
		*old = row_finding(f, st);
		if (!*old)
			number = -1;
	} else if (rc != SQLITE_DONE) {
		number = failed(f, "read");
	}
	sqlite3_finalize(st);
	return number;
}

static uint32_t certainty(enum finding_status s)
{
	return s == FINDING_CONFIRMED ? 2 : s == FINDING_OBSERVED ? 1 : 0;
}

/* A witness that was seen to work is worth more than a new one that was not; but not if it was one
 * of another program. */
static bool old_is_better(const struct finding *old, const struct finding *f)
{
	return old && old->bitcode == f->bitcode && certainty(old->status) > certainty(f->status);
}

static int64_t add_row(struct findings *db, const struct finding *f)
{
	sqlite3_stmt *st = prepare(db,
		"INSERT INTO findings (fingerprint, kind, status, title, finding)"
		" VALUES (?1, '', '', '', '')",
		"write");

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, (int64_t)f->fingerprint);
	return finish(db, st, "write") ? -1 : sqlite3_last_insert_rowid(db->db);
}

static void bind_text(sqlite3_stmt *st, int i, const char *s)
{
	if (s)
		sqlite3_bind_text(st, i, s, -1, SQLITE_TRANSIENT);
}

static int fill_row(struct findings *db, const struct finding *f, int64_t number)
{
	sqlite3_stmt *st = prepare(db,
		"UPDATE findings SET kind = ?2, status = ?3, title = ?4, summary = ?5, finding = "
		"?6,"
		" last_seen = CURRENT_TIMESTAMP WHERE number = ?1",
		"write");
	struct strbuf b = {0};
	int rc;

	if (!st)
		return -1;
	finding_to_json(f, &b);
	sqlite3_bind_int64(st, 1, number);
	bind_text(st, 2, fault_words[f->kind].word);
	bind_text(st, 3, finding_status_words[f->status]);
	bind_text(st, 4, f->title);
	bind_text(st, 5, f->summary);
	bind_text(st, 6, b.s);
	rc = finish(db, st, "write");
	strbuf_release(&b);
	return rc;
}

static int touch_row(struct findings *db, int64_t number)
{
	sqlite3_stmt *st = prepare(
		db, "UPDATE findings SET last_seen = CURRENT_TIMESTAMP WHERE number = ?1", "write");

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, number);
	return finish(db, st, "write");
}

/* Inside of a transaction. The number, or -1 after error_(). */
static int64_t put(struct findings *db, struct finding *f, bool *is_new)
{
	struct finding *old;
	int64_t number = find_old(db, f->fingerprint, &old);
	int rc = 0;

	*is_new = !number;
	if (!number)
		number = add_row(db, f);
	if (number > 0) {
		rc = set_name(db, f, number);
		if (!rc)
			rc = old_is_better(old, f) ? touch_row(db, number)
						   : fill_row(db, f, number);
	}
	finding_free(old);
	return rc ? -1 : number;
}

int findings_put(struct findings *db, struct finding *f, bool *is_new)
{
	char name[sizeof f->name];
	bool fresh = false;

	memcpy(name, f->name, sizeof name);
	if (!f->title)
		BUG("a finding without a title");
	if (db->readonly)
		return error_("cannot write '%s': the directory is read-only", db->path);
	if (run(db, "BEGIN IMMEDIATE", "write"))
		return -1;
	if (put(db, f, &fresh) < 0 || run(db, "COMMIT", "write")) {
		sqlite3_exec(db->db, "ROLLBACK", NULL, NULL, NULL);
		memcpy(f->name, name, sizeof name);
		return -1;
	}
	if (is_new)
		*is_new = fresh;
	return 0;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int no_such(struct findings *db, const char *name)
{
	sqlite3_stmt *st = prepare(db, "SELECT number FROM findings ORDER BY number", "read");
	struct strbuf b = {0};
	uint32_t n = 0;

	while (st && sqlite3_step(st) == SQLITE_ROW)
		if (n++ < 20)
			strbuf_addf(&b, "%sH%" PRId64, n > 1 ? ", " : "",
				(int64_t)sqlite3_column_int64(st, 0));
	sqlite3_finalize(st);
	if (n > 20)
		strbuf_addf(&b, ", … %u in all", n);
	if (n)
		error_("no finding '%s' in '%s' (there %s %s)", name, db->path,
			n > 1 ? "are" : "is", b.s);
	else
		error_("no finding '%s' in '%s': there is none yet", name, db->path);
	strbuf_release(&b);
	return -1;
}

/* "H3" or "h3"; 0 if it is no name. */
static int64_t number_of(const char *name)
{
	char *end;
	int64_t n;

	if ((*name != 'H' && *name != 'h') || name[1] < '1' || name[1] > '9')
		return 0;
	errno = 0;
	n = strtoll(name + 1, &end, 10);
	return *end || errno ? 0 : n;
}

struct finding *findings_get(struct findings *db, const char *name)
{
	sqlite3_stmt *st =
		prepare(db, "SELECT number, finding FROM findings WHERE number = ?1", "read");
	struct finding *f = NULL;
	int rc;

	if (!st)
		return NULL;
	sqlite3_bind_int64(st, 1, number_of(name));
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		f = row_finding(db, st);
	else if (rc == SQLITE_DONE)
		no_such(db, name);
	else
		failed(db, "read");
	sqlite3_finalize(st);
	return f;
}

int findings_each(struct findings *db, void (*fn)(void *ctx, const struct finding *f), void *ctx)
{
	sqlite3_stmt *st =
		prepare(db, "SELECT number, finding FROM findings ORDER BY number", "read");
	int rc = SQLITE_DONE, bad = 0;

	/* one that cannot be read does not hide the others */
	while (st && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		struct finding *f = row_finding(db, st);

		if (f)
			fn(ctx, f);
		else
			bad = -1;
		finding_free(f);
	}
	if (st && rc != SQLITE_DONE)
		bad = failed(db, "read");
	sqlite3_finalize(st);
	return st ? bad : -1;
}

char *findings_path(struct findings *db, const char *name)
{
	char *path = xasprintf("%s/%s", db->folder, name);

	for (char *slash = path + strlen(db->folder); (slash = strchr(slash + 1, '/'));) {
		int rc;

		*slash = 0;
		rc = make_folder(path);
		*slash = '/';
		if (rc) {
			free(path);
			return NULL;
		}
	}
	return path;
}
