/*
 * A database in a file (SQLite): opening with a check of its schema, statements, transactions, and
 * error messages that name the file. The only user of <sqlite3.h>.
 *
 * Uses a rollback journal instead of a write-ahead log: a database in a read-only directory stays
 * readable, and no other file stays beside it. Several processes may use it at once; each waits up
 * to 20 seconds for a lock.
 *
 * The file is not trusted: only a regular file is opened, it may have only the tables of its schema
 * (no view and no trigger, which would run in place of a statement), and a statement that works too
 * long is an error.
 *
 * Lifetime: heap, db_close(). Statements must be finished before that.
 */
#ifndef HEDDLE_FINDING_DB_H
#define HEDDLE_FINDING_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct db;
struct db_statement;

struct db_schema {
	int32_t application; /* identifies databases of this schema */
	int32_t version;
	const char *sql;     /* creates the tables */
	const char *content; /* name of the contents, for messages: "findings" */
	const char *anew;    /* advice if the file is damaged: "move it away to begin anew" */
	/* NULL, or called in the transaction that creates the tables; -1 after error_() */
	int (*fill)(struct db *db, void *ctx);
	void *ctx;
};

enum db_mode { DB_READ, DB_WRITE, DB_CREATE /* write; create the file if missing */ };

/* Opens the database; in an empty file it creates the tables. NULL after error_(), also if the file
 * is not a database of this schema and version, or is empty and opened for reading. */
struct db *db_open(const char *path, const struct db_schema *schema, enum db_mode mode);
void db_close(struct db *db);

/* Executes statements without results; -1 after error_(). */
int db_exec(struct db *db, const char *sql);
/* A transaction that holds the write lock from its start. db_rollback() reports no errors. */
int db_begin(struct db *db);
int db_commit(struct db *db);
void db_rollback(struct db *db);

/* NULL after error_(). Parameters are ?1, ?2, …; a parameter that is not bound is NULL. */
struct db_statement *db_prepare(struct db *db, const char *sql);
void db_bind_int(struct db_statement *st, int i, int64_t v);
void db_bind_text(struct db_statement *st, int i, const char *s); /* NULL for NULL */
void db_bind_blob(struct db_statement *st, int i, const void *bytes, size_t n);
/* 1: there is a row; 0: no more rows; -1 after error_(). */
int db_step(struct db_statement *st);
/* Columns of the row, from 0. Text and blobs are valid until the next step; NULL for NULL. */
int64_t db_int(struct db_statement *st, int i);
const char *db_text(struct db_statement *st, int i, size_t *n); /* n may be NULL */
const void *db_blob(struct db_statement *st, int i, size_t *n);
void db_finish(struct db_statement *st); /* NULL is allowed */
/* Steps once and finishes, for statements without rows. -1 after error_(). */
int db_run(struct db_statement *st);
/* The rowid of the last inserted row. */
int64_t db_inserted(const struct db *db);

#endif
