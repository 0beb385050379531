/* A set of schedules in `.heddle/cover`, an SQLite database (docs/formats.md). */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cover/set.h"
#include "finding/db.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct db_schema schema = {
	.application = 0x48454443, /* "HEDC" */
	.version = 1,
	.sql = "CREATE TABLE run (program TEXT NOT NULL, complete INTEGER NOT NULL,"
	       " paths INTEGER NOT NULL, milliseconds INTEGER NOT NULL);"
	       "CREATE TABLE markers (text TEXT NOT NULL);"
	       "CREATE TABLE epochs (number INTEGER PRIMARY KEY, places TEXT NOT NULL,"
	       " states INTEGER NOT NULL);"
	       "CREATE TABLE schedules (epoch INTEGER NOT NULL, number INTEGER NOT NULL,"
	       " end TEXT NOT NULL, next INTEGER NOT NULL, paths INTEGER NOT NULL,"
	       " threads INTEGER NOT NULL);"
	       "CREATE TABLE nodes (epoch INTEGER NOT NULL, schedule INTEGER NOT NULL,"
	       " thread INTEGER NOT NULL, operation TEXT NOT NULL, place TEXT NOT NULL,"
	       " count INTEGER NOT NULL);"
	       "CREATE TABLE edges (epoch INTEGER NOT NULL, schedule INTEGER NOT NULL,"
	       " from_thread INTEGER NOT NULL, from_node INTEGER NOT NULL,"
	       " to_thread INTEGER NOT NULL, to_node INTEGER NOT NULL);"
	       "CREATE TABLE conditions (epoch INTEGER NOT NULL, schedule INTEGER NOT NULL,"
	       " term TEXT NOT NULL);"
	       "CREATE TABLE notes (epoch INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,"
	       " inputs TEXT NOT NULL)",
	.content = "schedules",
	.anew = "remove it and run 'heddle cover' again",
};

static const char *const tables[] = {
	"run", "markers", "epochs", "schedules", "nodes", "edges", "conditions", "notes"};

/* ---- writing ----------------------------------------------------------------------------------- */

struct value { /* a number, or text */
	int64_t number;
	const char *text;
};

/* Inserts a row with n values. */
static int insert_row(struct db *db, const char *table, const struct value *v, int n)
{
	struct strbuf sql = {0};
	struct db_statement *st;

	strbuf_addf(&sql, "INSERT INTO %s VALUES (", table);
	for (int i = 0; i < n; i++)
		strbuf_addf(&sql, i ? ", ?%d" : "?%d", i + 1);
	strbuf_adds(&sql, ")");
	st = db_prepare(db, sql.s);
	strbuf_release(&sql);
	if (!st)
		return -1;
	for (int i = 0; i < n; i++)
		if (v[i].text)
			db_bind_text(st, i + 1, v[i].text);
		else
			db_bind_int(st, i + 1, v[i].number);
	return db_run(st);
}

#define ROW(db, table, ...)                                                                        \
	insert_row(db, table, (const struct value[]){__VA_ARGS__},                                 \
		(int)(sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value)))

static int write_schedule(struct db *db, uint32_t e, uint32_t k, const struct set_schedule *s)
{
	int rc = ROW(db, "schedules", {e, NULL}, {k, NULL}, {0, s->end}, {s->next, NULL},
		{s->paths, NULL}, {s->threads, NULL});

	vec_each (&s->nodes, i) {
		const struct set_node *n = &s->nodes.at[i];

		rc = rc ? rc
			: ROW(db, "nodes", {e, NULL}, {k, NULL}, {n->thread, NULL}, {0, n->op},
				  {0, n->at}, {n->count, NULL});
	}
	vec_each (&s->edges, i) {
		const struct set_edge *d = &s->edges.at[i];

		rc = rc ? rc
			: ROW(db, "edges", {e, NULL}, {k, NULL}, {d->from, NULL},
				  {d->from_node, NULL}, {d->to, NULL}, {d->to_node, NULL});
	}
	vec_each (&s->when, i)
		rc = rc ? rc : ROW(db, "conditions", {e, NULL}, {k, NULL}, {0, s->when.at[i]});
	return rc;
}

static int write_all(struct db *db, const struct set *s)
{
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tables) && !rc; i++) {
		struct strbuf sql = {0};

		strbuf_addf(&sql, "DELETE FROM %s", tables[i]);
		rc = db_exec(db, sql.s);
		strbuf_release(&sql);
	}
	rc = rc ? rc
		: ROW(db, "run", {0, s->program}, {s->complete, NULL}, {(int64_t)s->paths, NULL},
			  {(int64_t)s->milliseconds, NULL});
	vec_each (&s->markers, i)
		rc = rc ? rc : ROW(db, "markers", {0, s->markers.at[i]});
	vec_each (&s->epochs, i) {
		const struct set_epoch *e = &s->epochs.at[i];

		rc = rc ? rc : ROW(db, "epochs", {i, NULL}, {0, e->places}, {e->states, NULL});
		for (uint32_t k = 0; k < e->schedules.n && !rc; k++)
			rc = write_schedule(db, i, k, &e->schedules.at[k]);
	}
	vec_each (&s->notes, i) {
		const struct set_note *n = &s->notes.at[i];

		rc = rc ? rc
			: ROW(db, "notes", {n->epoch, NULL}, {0, n->kind}, {0, n->text},
				  {0, n->inputs});
	}
	return rc;
}

static char *path_of(const char *dir)
{
	return xasprintf("%s/.heddle/cover", !strcmp(dir, "/") ? "" : dir);
}

static int make_folder(const char *dir)
{
	char *path = xasprintf("%s/.heddle", !strcmp(dir, "/") ? "" : dir);
	int rc = mkdir(path, 0777) && errno != EEXIST
			 ? error_("cannot create the directory '%s': %s", path, strerror(errno))
			 : 0;

	free(path);
	return rc;
}

int set_write(const struct set *s, const char *dir)
{
	char *path = path_of(dir);
	struct db *db = make_folder(dir) ? NULL : db_open(path, &schema, DB_CREATE);
	int rc = -1;

	free(path);
	if (!db)
		return -1;
	if (!db_begin(db)) {
		rc = write_all(db, s);
		if (rc)
			db_rollback(db);
		else
			rc = db_commit(db);
	}
	db_close(db);
	return rc;
}

/* ---- reading: the file is not trusted ---------------------------------------------------------- */

static char *text_at(struct db_statement *st, int i)
{
	const char *s = db_text(st, i, NULL);

	return xstrdup(s ? s : "");
}

static uint32_t number_at(struct db_statement *st, int i)
{
	int64_t v = db_int(st, i);

	return v < 0 || v > INT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static struct set_schedule *schedule_at(struct set *s, struct db_statement *st)
{
	uint32_t e = number_at(st, 0), k = number_at(st, 1);

	return e < s->epochs.n && k < s->epochs.at[e].schedules.n ? &s->epochs.at[e].schedules.at[k]
								  : NULL;
}

static bool read_run(struct set *s, struct db_statement *st)
{
	if (s->program)
		return false;
	s->program = text_at(st, 0);
	s->complete = db_int(st, 1) == 1;
	s->paths = (uint64_t)db_int(st, 2);
	s->milliseconds = (uint64_t)db_int(st, 3);
	return true;
}

static bool read_marker(struct set *s, struct db_statement *st)
{
	vec_push(&s->markers, text_at(st, 0));
	return true;
}

static bool read_epoch(struct set *s, struct db_statement *st)
{
	struct set_epoch e = {.places = text_at(st, 1), .states = number_at(st, 2)};

	vec_push(&s->epochs, e);
	return number_at(st, 0) == s->epochs.n - 1;
}

static bool read_schedule(struct set *s, struct db_statement *st)
{
	uint32_t e = number_at(st, 0);
	int64_t next = db_int(st, 3);
	struct set_schedule c = {
		.next = (int)next, .paths = number_at(st, 4), .threads = number_at(st, 5)};

	if (e >= s->epochs.n || number_at(st, 1) != s->epochs.at[e].schedules.n || next < -1 ||
		next >= (int64_t)s->epochs.n)
		return false;
	c.end = text_at(st, 2);
	vec_push(&s->epochs.at[e].schedules, c);
	return true;
}

static bool read_node(struct set *s, struct db_statement *st)
{
	struct set_schedule *c = schedule_at(s, st);

	if (!c || number_at(st, 2) >= c->threads)
		return false;
	vec_push(&c->nodes, ((struct set_node){number_at(st, 2), text_at(st, 3), text_at(st, 4),
				    number_at(st, 5)}));
	return true;
}

static bool read_edge(struct set *s, struct db_statement *st)
{
	struct set_schedule *c = schedule_at(s, st);

	if (!c || number_at(st, 2) >= c->threads || number_at(st, 4) >= c->threads)
		return false;
	vec_push(&c->edges, ((struct set_edge){number_at(st, 2), number_at(st, 3), number_at(st, 4),
				    number_at(st, 5)}));
	return true;
}

static bool read_condition(struct set *s, struct db_statement *st)
{
	struct set_schedule *c = schedule_at(s, st);

	if (!c)
		return false;
	vec_push(&c->when, text_at(st, 2));
	return true;
}

static bool read_note(struct set *s, struct db_statement *st)
{
	uint32_t e = number_at(st, 0);

	if (e >= s->epochs.n)
		return false;
	vec_push(&s->notes, ((struct set_note){e, text_at(st, 1), text_at(st, 2), text_at(st, 3)}));
	return true;
}

static int read_table(struct db *db, const char *name,
	bool (*row)(struct set *, struct db_statement *), struct set *s)
{
	struct strbuf sql = {0};
	struct db_statement *st;
	int rc = -1;

	strbuf_addf(&sql, "SELECT * FROM %s ORDER BY rowid", name);
	st = db_prepare(db, sql.s);
	strbuf_release(&sql);
	while (st && (rc = db_step(st)) == 1)
		if (!row(s, st)) {
			error_("the stored schedules are damaged (%s)", schema.anew);
			rc = -1;
			break;
		}
	db_finish(st);
	return rc;
}

struct set *set_read(const char *dir)
{
	static bool (*const rows[])(struct set *, struct db_statement *) = {read_run, read_marker,
		read_epoch, read_schedule, read_node, read_edge, read_condition, read_note};
	struct set *s = xcalloc(1, sizeof *s);
	char *path = path_of(dir);
	struct db *db = db_open(path, &schema, DB_READ);
	int rc = db ? 0 : -1;

	for (size_t i = 0; i < ARRAY_SIZE(rows) && !rc; i++)
		rc = read_table(db, tables[i], rows[i], s);
	if (!rc && !s->program)
		rc = error_("'%s' has no schedules", path);
	free(path);
	if (db)
		db_close(db);
	if (!rc)
		return s;
	set_free(s);
	return NULL;
}
