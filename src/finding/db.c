#include "finding/db.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	BUSY_MS = 20000,
	STEP_OPS = 1 << 16,    /* instructions of SQLite between calls of count_work() */
	MAX_STEPS = 1 << 11,   /* calls of count_work() for one statement: some seconds */
	MAX_VALUE = 256 << 20, /* bytes of one value */
};

struct db {
	sqlite3 *sql;
	char *path;
	const struct db_schema *schema;
	uint32_t steps; /* calls of count_work() since the last statement began */
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
	case SQLITE_INTERRUPT:
		return error_("cannot %s '%s': that takes too long, so it is damaged (%s)", doing,
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
	bool reads =
		!strncmp(sql, "SELECT", 6) || (!strncmp(sql, "PRAGMA", 6) && !strchr(sql, '='));

	return reads ? "read" : "write";
}

/* ---- statements ----------------------------------------------------------------------------- */

int db_exec(struct db *db, const char *sql)
{
	db->steps = 0;
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
	db->steps = 0;
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

/* SQLite's progress handler: not 0 ends the statement. */
static int count_work(void *ctx)
{
	struct db *db = ctx;

	return ++db->steps > MAX_STEPS;
}

/* Whether an entry of sqlite_master is of the schema, or one that SQLite makes itself. */
static bool is_known(const struct db_schema *s, const char *type, const char *name, const char *sql)
{
	if (!type || !name)
		return false;
	if (!strcmp(type, "index"))
		return !sql && !strncmp(name, "sqlite_autoindex_", 17);
	return !strcmp(type, "table") && sql && *sql &&
	       (!strcmp(sql, "CREATE TABLE sqlite_sequence(name,seq)") || strstr(s->sql, sql));
}

static int check_tables(struct db *db)
{
	struct db_statement *st = db_prepare(db, "SELECT type, name, sql FROM sqlite_master");
	int rc = st ? 0 : -1, row = 0;

	while (!rc && (row = db_step(st)) > 0) {
		const char *type = db_text(st, 0, NULL), *name = db_text(st, 1, NULL);

		if (!is_known(db->schema, type, name, db_text(st, 2, NULL)))
			rc = error_("'%s' has a %s '%s' that heddle did not make (%s)", db->path,
				type ? type : "thing", name ? name : "?", db->schema->anew);
	}
	db_finish(st);
	return rc || row < 0 ? -1 : 0;
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
		return error_("'%s' is of %s heddle: its version is %" PRId64
			      ", this one knows %d (%s)",
			db->path, version > s->version ? "a newer" : "an older", version,
			s->version, s->anew);
	return check_tables(db);
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

/* A pipe would block. The file may not exist yet. */
static int check_file(const struct db *db)
{
	struct stat st;

	if (stat(db->path, &st) || S_ISREG(st.st_mode))
		return 0;
	return error_(
		"cannot open '%s': it is not a regular file (%s)", db->path, db->schema->anew);
}

/* What SQLite advises for files that others may have made. */
static void distrust_file(struct db *db)
{
	sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db->sql, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db->sql, SQLITE_LIMIT_LENGTH, MAX_VALUE);
	sqlite3_progress_handler(db->sql, STEP_OPS, count_work, db);
	sqlite3_exec(
		db->sql, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL);
}

static int open_file(struct db *db, enum db_mode mode)
{
	static const int flags[] = {
		[DB_READ] = SQLITE_OPEN_READONLY,
		[DB_WRITE] = SQLITE_OPEN_READWRITE,
		[DB_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
	};
	int rc;

	if (check_file(db))
		return -1;
	if (sqlite3_open_v2(db->path, &db->sql, flags[mode], NULL) != SQLITE_OK)
		return report_error(db, "open");
	sqlite3_extended_result_codes(db->sql, 1);
	sqlite3_busy_timeout(db->sql, BUSY_MS);
	distrust_file(db);
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
