#include "finding/findings.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "finding/db.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* seal: seal_of() the row, which shows that it is as it was written; SQLite has no checksums.
 * AUTOINCREMENT: a number is never used again, not even after its row was deleted by hand. */
static const struct db_schema schema = {
	.application = 0x4845444c, /* "HEDL" */
	.version = 2,
	.sql = "CREATE TABLE findings ("
	       " number INTEGER PRIMARY KEY AUTOINCREMENT,"
	       " fingerprint INTEGER NOT NULL UNIQUE,"
	       " kind TEXT NOT NULL, status TEXT NOT NULL, title TEXT NOT NULL, summary TEXT,"
	       " first_seen TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,"
	       " last_seen TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,"
	       " finding TEXT NOT NULL, seal INTEGER)",
	.content = "findings",
	.anew = "move it away to begin anew",
};

struct findings {
	struct db *db;
	char *folder; /* path of `.heddle` */
	char *path;   /* of the database */
	bool readonly;
};

/* ---- opening -------------------------------------------------------------------------------- */

static int make_folder(const char *path)
{
	struct stat st;

	if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode)))
		return 0;
	return error_("cannot create the directory '%s': %s", path,
		errno == EEXIST ? "a file has this name" : strerror(errno));
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
	if (!rc)
		f->db = db_open(f->path, &schema,
			f->readonly ? DB_READ
			: create    ? DB_CREATE
				    : DB_WRITE);
	if (f->db)
		return f;
	findings_close(f);
	return NULL;
}

void findings_close(struct findings *f)
{
	if (!f)
		return;
	db_close(f->db);
	free(f->folder);
	free(f->path);
	free(f);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* A number outside of 32 bits was not written by heddle. */
static int set_name(const struct findings *db, struct finding *f, int64_t number)
{
	if (number < 1 || number > UINT32_MAX)
		return error_("'%s' is damaged: there is a finding with the number %" PRId64,
			db->path, number);
	snprintf(f->name, sizeof f->name, "H%u", (uint32_t)number);
	return 0;
}

/* The columns that row_finding() reads. */
#define ROW "number, finding, seal"

static int64_t seal_of(int64_t number, const char *text, size_t n)
{
	return (int64_t)hash_mix(hash_bytes(text, n), (uint64_t)number);
}

/* The current row of the statement as a finding, named by its number. NULL after error_(). */
static struct finding *row_finding(struct findings *f, struct db_statement *st)
{
	int64_t number = db_int(st, 0);
	size_t n;
	const char *text = db_text(st, 1, &n);
	char *from = xasprintf("H%" PRId64 " in %s", number, f->path);
	struct finding *out = NULL;

	if (!text || db_int(st, 2) != seal_of(number, text, n))
		error_("%s is damaged: it is not as heddle wrote it", from);
	else
		out = finding_from_json(text, n, from);
	if (out && set_name(f, out, number)) {
		finding_free(out);
		out = NULL;
	}
	free(from);
	return out;
}

/* Reads the stored finding with the fingerprint. Returns its number; 0: none; -1 after error_(). */
static int64_t find_old(struct findings *f, uint64_t fingerprint, struct finding **old)
{
	struct db_statement *st =
		db_prepare(f->db, "SELECT " ROW " FROM findings WHERE fingerprint = ?1");
	int64_t number;

	*old = NULL;
	if (!st)
		return -1;
	db_bind_int(st, 1, (int64_t)fingerprint);
	number = db_step(st);
	if (number > 0) {
		number = db_int(st, 0);
		*old = row_finding(f, st);
		if (!*old)
			number = -1;
	}
	db_finish(st);
	return number;
}

static uint32_t rank_of_status(enum finding_status s)
{
	return s == FINDING_CONFIRMED ? 2 : s == FINDING_OBSERVED ? 1 : 0;
}

/* A witness of the same program that a run has shown is better than a new one without such a
 * run. */
static bool old_is_better(const struct finding *old, const struct finding *f)
{
	return old && old->bitcode == f->bitcode &&
	       rank_of_status(old->status) > rank_of_status(f->status);
}

static int64_t add_row(struct findings *db, const struct finding *f)
{
	struct db_statement *st = db_prepare(db->db,
		"INSERT INTO findings (fingerprint, kind, status, title, finding)"
		" VALUES (?1, '', '', '', '')");

	if (!st)
		return -1;
	db_bind_int(st, 1, (int64_t)f->fingerprint);
	return db_run(st) ? -1 : db_inserted(db->db);
}

static int fill_row(struct findings *db, const struct finding *f, int64_t number)
{
	struct db_statement *st =
		db_prepare(db->db, "UPDATE findings SET kind = ?2, status = ?3, title = ?4, "
				   "summary = ?5, finding = ?6,"
				   " seal = ?7, last_seen = CURRENT_TIMESTAMP WHERE number = ?1");
	struct strbuf b = {0};
	int rc;

	if (!st)
		return -1;
	finding_to_json(f, &b);
	db_bind_int(st, 1, number);
	db_bind_text(st, 2, fault_words[f->kind].word);
	db_bind_text(st, 3, finding_status_words[f->status]);
	db_bind_text(st, 4, f->title);
	db_bind_text(st, 5, f->summary);
	db_bind_text(st, 6, b.s);
	db_bind_int(st, 7, seal_of(number, b.s, b.n));
	rc = db_run(st);
	strbuf_release(&b);
	return rc;
}

static int touch_row(struct findings *db, int64_t number)
{
	struct db_statement *st = db_prepare(
		db->db, "UPDATE findings SET last_seen = CURRENT_TIMESTAMP WHERE number = ?1");

	if (!st)
		return -1;
	db_bind_int(st, 1, number);
	return db_run(st);
}

/* Inside a transaction. Returns the number, or -1 after error_(). */
static int64_t put_finding(struct findings *db, struct finding *f, bool *is_new)
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
	if (db_begin(db->db))
		return -1;
	if (put_finding(db, f, &fresh) < 0 || db_commit(db->db)) {
		db_rollback(db->db);
		memcpy(f->name, name, sizeof name);
		return -1;
	}
	if (is_new)
		*is_new = fresh;
	return 0;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int report_missing(struct findings *db, const char *name)
{
	struct db_statement *st = db_prepare(db->db, "SELECT number FROM findings ORDER BY number");
	struct strbuf b = {0};
	uint32_t n = 0;

	while (st && db_step(st) > 0)
		if (n++ < 20)
			strbuf_addf(&b, "%sH%" PRId64, n > 1 ? ", " : "", db_int(st, 0));
	db_finish(st);
	if (n > 20)
		strbuf_addf(&b, ", … %u in all", n);
	if (n)
		error_("no finding '%s' in '%s' (there %s %s)", name, db->path,
			n > 1 ? "are" : "is", b.s);
	else
		error_("no finding '%s' in '%s': it has no findings yet", name, db->path);
	strbuf_release(&b);
	return -1;
}

/* The number of "H3" or "h3"; 0 if the text is not a name. */
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
	struct db_statement *st =
		db_prepare(db->db, "SELECT " ROW " FROM findings WHERE number = ?1");
	struct finding *f = NULL;
	int rc;

	if (!st)
		return NULL;
	db_bind_int(st, 1, number_of(name));
	rc = db_step(st);
	if (rc > 0)
		f = row_finding(db, st);
	else if (!rc)
		report_missing(db, name);
	db_finish(st);
	return f;
}

int findings_each(struct findings *db, void (*fn)(void *ctx, const struct finding *f), void *ctx)
{
	struct db_statement *st =
		db_prepare(db->db, "SELECT " ROW " FROM findings ORDER BY number");
	int rc = 0, bad = 0;

	/* A finding that cannot be read does not hide the others. */
	while (st && (rc = db_step(st)) > 0) {
		struct finding *f = row_finding(db, st);

		if (f)
			fn(ctx, f);
		else
			bad = -1;
		finding_free(f);
	}
	db_finish(st);
	return st && !rc ? bad : -1;
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
