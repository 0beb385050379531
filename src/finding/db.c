#include "finding/db.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { BUSY_MS = 20000 };

struct db {
	sqlite3 *sql;
	char *path;
	const struct db_schema *schema;
};

struct db_statement {
	struct db *db;
	sqlite3_stmt *st;
};

/* ---- errors --------------------------------------------------------------------------------- */

static int report_error(const struct db *db, const char *doing)
{
	int code = sqlite3_errcode(db->sql), sys = sqlite3_system_errno(db->sql);
	const char *why = sqlite3_errmsg(db->sql);

	switch (code & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return error_("cannot %s '%s': it is damaged, or not a database (%s)", doing,
			db->path, db->schema->anew);
	case SQLITE_FULL: why = "the disk is full"; break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: why = "another process has locked it for too long"; break;
	case SQLITE_READONLY: why = "it is not writable"; break;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		if (sys)
			why = strerror(sys);
		break;
	default: break;
	}
	return error_("cannot %s '%s': %s", doing, db->path, why);
}

/* The verb of the message about a statement that fails. */
static const char *verb_of(const char *sql)
{
	bool reads = !strncmp(sql, "SELECT", 6) ||
		     (!strncmp(sql, "PRAGMA", 6) && !strchr(sql, '='));

	return reads ? "read" : "write";
}

/* ---- statements ----------------------------------------------------------------------------- */

int db_exec(struct db *db, const char *sql)
{
	return sqlite3_exec(db->sql, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : report_error(db, verb_of(sql));
}

int db_begin(struct db *db)
{
	return db_exec(db, "BEGIN IMMEDIATE");
}

int db_commit(struct db *db)
{
	return db_exec(db, "COMMIT");
}

void db_rollback(struct db *db)
{
	sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
}

struct db_statement *db_prepare(struct db *db, const char *sql)
{
	struct db_statement *st = xcalloc(1, sizeof *st);

	st->db = db;
	if (sqlite3_prepare_v2(db->sql, sql, -1, &st->st, NULL) == SQLITE_OK)
		return st;
	report_error(db, verb_of(sql));
	free(st);
	return NULL;
}

void db_bind_int(struct db_statement *st, int i, int64_t v)
{
	sqlite3_bind_int64(st->st, i, v);
}

void db_bind_text(struct db_statement *st, int i, const char *s)
{
	if (s)
		sqlite3_bind_text(st->st, i, s, -1, SQLITE_TRANSIENT);
}

void db_bind_blob(struct db_statement *st, int i, const void *bytes, size_t n)
{
	sqlite3_bind_blob(st->st, i, bytes, (int)n, SQLITE_TRANSIENT);
}

int db_step(struct db_statement *st)
{
	switch (sqlite3_step(st->st)) {
	case SQLITE_ROW: return 1;
	case SQLITE_DONE: return 0;
	default: return report_error(st->db, verb_of(sqlite3_sql(st->st)));
	}
}

int64_t db_int(struct db_statement *st, int i)
{
	return sqlite3_column_int64(st->st, i);
}

const char *db_text(struct db_statement *st, int i, size_t *n)
{
	const char *s = (const char *)sqlite3_column_text(st->st, i);

	if (n)
		*n = (size_t)sqlite3_column_bytes(st->st, i);
	return s;
}

const void *db_blob(struct db_statement *st, int i, size_t *n)
{
	const void *p = sqlite3_column_blob(st->st, i);

	*n = (size_t)sqlite3_column_bytes(st->st, i);
	return p;
}

void db_finish(struct db_statement *st)
{
	if (!st)
		return;
	sqlite3_finalize(st->st);
	free(st);
}

int db_run(struct db_statement *st)
{
	int rc = db_step(st);

	db_finish(st);
	return rc < 0 ? -1 : 0;
}

int64_t db_inserted(const struct db *db)
{
	return sqlite3_last_insert_rowid(db->sql);
}

/* ---- opening -------------------------------------------------------------------------------- */

/* The first column of the first row of the statement; -1 after error_(). */
static int ask_number(struct db *db, const char *sql, int64_t *out)
{
	struct db_statement *st = db_prepare(db, sql);
	int rc = st ? db_step(st) : -1;

	if (rc == 1)
		*out = db_int(st, 0);
	db_finish(st);
	return rc == 1 ? 0 : -1;
}

/* 0: the file has the expected schema; 1: it is empty; -1 after error_(). */
static int check_schema(struct db *db)
{
	const struct db_schema *s = db->schema;
	int64_t version, application, tables;

	if (ask_number(db, "PRAGMA user_version", &version) ||
		ask_number(db, "PRAGMA application_id", &application) ||
		ask_number(db, "SELECT count(*) FROM sqlite_master", &tables))
		return -1;
	if (!version && !tables)
		return 1;
	if (application != s->application)
		return error_("'%s' is not a database of heddle (%s)", db->path, s->anew);
	if (version != s->version)
		return error_("'%s' is of a %s heddle: its version is %" PRId64
			      ", this one knows %d",
			db->path, version > s->version ? "newer" : "older", version, s->version);
	return 0;
}

/* If several processes open an empty file at once, the first one creates the tables. The others get
 * the lock later, so the schema is checked again inside the transaction. */
static int make_schema(struct db *db)
{
	const struct db_schema *s = db->schema;
	char *sql;
	int rc;

	if (db_begin(db))
		return -1;
	rc = check_schema(db);
	if (rc == 1) {
		sql = xasprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", s->sql,
			s->application, s->version);
		rc = db_exec(db, sql);
		free(sql);
		if (!rc && s->fill)
			rc = s->fill(db, s->ctx);
	}
	if (!rc)
		rc = db_commit(db);
	if (rc)
		db_rollback(db);
	return rc;
}

static int open_file(struct db *db, enum db_mode mode)
{
	static const int flags[] = {
		[DB_READ] = SQLITE_OPEN_READONLY,
		[DB_WRITE] = SQLITE_OPEN_READWRITE,
		[DB_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
	};
	int rc;

	if (sqlite3_open_v2(db->path, &db->sql, flags[mode], NULL) != SQLITE_OK)
		return report_error(db, "open");
	sqlite3_extended_result_codes(db->sql, 1);
	sqlite3_busy_timeout(db->sql, BUSY_MS);
	rc = check_schema(db);
	if (rc == 1 && mode == DB_READ)
		return error_("there are no %s in '%s'", db->schema->content, db->path);
	return rc == 1 ? make_schema(db) : rc;
}

struct db *db_open(const char *path, const struct db_schema *schema, enum db_mode mode)
{
	struct db *db = xcalloc(1, sizeof *db);

	db->path = xstrdup(path);
	db->schema = schema;
	if (!open_file(db, mode))
		return db;
	db_close(db);
	return NULL;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	sqlite3_close(db->sql);
	free(db->path);
	free(db);
}

