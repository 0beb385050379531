#include "deep/frontier.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "image/image.h"
#include "finding/db.h"
#include "finding/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char schema_sql[] =
	"CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE runs (number INTEGER PRIMARY KEY, node INTEGER NOT NULL, ways INTEGER NOT "
	"NULL,"
	" fate INTEGER NOT NULL, diverged INTEGER NOT NULL, why TEXT, misuse INTEGER NOT NULL,"
	" predicted INTEGER NOT NULL, plan TEXT, switches BLOB, names BLOB, hash INTEGER NOT NULL);"
	"CREATE TABLE queue (node INTEGER NOT NULL, ways INTEGER NOT NULL, fails INTEGER NOT NULL,"
	" fresh INTEGER NOT NULL, cost INTEGER NOT NULL, plan TEXT NOT NULL);"
	"CREATE TABLE recorded (dir TEXT NOT NULL);"
	"CREATE TABLE findings (fingerprint INTEGER PRIMARY KEY, finding TEXT NOT NULL)";

struct fact {
	const char *key, *word; /* for the message */
	char *value;
};
enum { FACTS = 5 };

struct frontier {
	const struct deep_options *opt;
	struct db_schema schema;
	struct fact facts[FACTS]; /* what the search is of */
	struct db *db;
	char *path;
	int lock;
	uint32_t saved; /* runs */
	uint64_t kept;  /* the sum of the hashes of all rows but those of the queue */
};

/* ---- the seal ---------------------------------------------------------------------------- */

/*
 * The seal is the sum of a hash of each row, in the table `meta`. Each transaction updates it, so that a
 * row that was changed, removed or added by anything else is noticed. A sum, because a transaction
 * changes few rows of many.
 */
struct rows { /* of one table, or one of them by its key */
	const char *table, *all, *one;
	int columns;
};
enum { ROWS_META, ROWS_RUNS, ROWS_QUEUE, ROWS_RECORDED, ROWS_FINDINGS, NROWS };
static const struct rows rows_of[NROWS] = {
	[ROWS_META] = {"meta", "SELECT * FROM meta WHERE key <> 'seal'", NULL, 2},
	[ROWS_RUNS] = {"runs", "SELECT * FROM runs", "SELECT * FROM runs WHERE number = ?1", 12},
	[ROWS_QUEUE] = {"queue", "SELECT * FROM queue", NULL, 6},
	[ROWS_RECORDED] = {"recorded", "SELECT * FROM recorded", NULL, 1},
	[ROWS_FINDINGS] = {"findings", "SELECT * FROM findings",
		"SELECT * FROM findings WHERE fingerprint = ?1", 2},
};

static uint64_t hash_row(struct db_statement *st, const struct rows *r)
{
	uint64_t h = hash_bytes(r->table, strlen(r->table));

	for (int i = 0; i < r->columns; i++) {
		size_t n = 0;
		const void *bytes = db_blob(st, i, &n);

		h = hash_u64(h ^ (bytes ? hash_bytes(bytes, n) : 1)) + n;
	}
	return h;
}

/* Adds the hashes of all rows, or of the row with that key, to *sum. */
static int sum_rows(struct db *db, int which, const int64_t *key, uint64_t *sum)
{
	const struct rows *r = &rows_of[which];
	struct db_statement *st = db_prepare(db, key ? r->one : r->all);
	int row;

	if (!st)
		return -1;
	if (key)
		db_bind_int(st, 1, *key);
	while ((row = db_step(st)) > 0)
		*sum += hash_row(st, r);
	db_finish(st);
	return row;
}

static int sum_kept(struct db *db, uint64_t *sum)
{
	*sum = 0;
	for (int i = 0; i < NROWS; i++)
		if (i != ROWS_QUEUE && sum_rows(db, i, NULL, sum))
			return -1;
	return 0;
}

/* Writes the seal of the rows as they are in this transaction; `kept` as in struct frontier. */
static int put_seal(struct db *db, uint64_t kept)
{
	struct db_statement *st;
	char text[20];

	if (sum_rows(db, ROWS_QUEUE, NULL, &kept) ||
		!(st = db_prepare(db, "INSERT OR REPLACE INTO meta VALUES ('seal', ?1)")))
		return -1;
	snprintf(text, sizeof text, "%016" PRIx64, kept);
	db_bind_text(st, 1, text);
	return db_run(st);
}

static int check_seal(struct frontier *f)
{
	struct db_statement *st;
	const char *value;
	char text[20];
	uint64_t sum;
	bool same;

	if (sum_kept(f->db, &f->kept))
		return -1;
	sum = f->kept;
	if (sum_rows(f->db, ROWS_QUEUE, NULL, &sum) ||
		!(st = db_prepare(f->db, "SELECT value FROM meta WHERE key = 'seal'")))
		return -1;
	snprintf(text, sizeof text, "%016" PRIx64, sum);
	value = db_step(st) > 0 ? db_text(st, 0, NULL) : NULL;
	same = value && !strcmp(value, text);
	db_finish(st);
	return same ? 0
		    : error_("'%s' is damaged: its checksum is wrong (%s)", f->path,
			      f->schema.anew);
}

/* Executes one change of a row of runs or findings in a transaction that keeps the seal right. */
static int change_row(struct frontier *f, int which, int64_t key, struct db_statement *st)
{
	uint64_t before = 0, after = 0;
	int rc = db_begin(f->db);

	if (rc || sum_rows(f->db, which, &key, &before)) {
		db_finish(st);
		rc = -1;
	} else if (db_run(st) || sum_rows(f->db, which, &key, &after) ||
		   put_seal(f->db, f->kept - before + after) || db_commit(f->db)) {
		rc = -1;
	}
	if (rc)
		db_rollback(f->db);
	else
		f->kept += after - before;
	return rc;
}

/* ---- findings in columns ----------------------------------------------------------------- */

static void bind_finding(struct db_statement *st, int i, const struct finding *f)
{
	struct strbuf b = {0};

	if (!f)
		return;
	finding_to_json(f, &b);
	db_bind_text(st, i, b.s);
	strbuf_release(&b);
}

static struct finding *column_finding(const struct frontier *f, struct db_statement *st, int i)
{
	size_t n;
	const char *text = db_text(st, i, &n);

	return text ? finding_from_json(text, n, f->path) : NULL;
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

static int put_recorded(struct db *db, const struct deep_options *opt)
{
	for (uint32_t i = 0; i < opt->nrecorded; i++) {
		struct db_statement *st = db_prepare(db, "INSERT INTO recorded VALUES (?1)");

		if (!st)
			return -1;
		db_bind_text(st, 1, opt->recorded[i]);
		if (db_run(st))
			return -1;
	}
	return 0;
}

/* db_schema.fill */
static int put_facts(struct db *db, void *ctx)
{
	const struct frontier *f = ctx;
	uint64_t kept;

	for (uint32_t i = 0; i < FACTS; i++) {
		struct db_statement *st = db_prepare(db, "INSERT INTO meta VALUES (?1, ?2)");

		if (!st)
			return -1;
		db_bind_text(st, 1, f->facts[i].key);
		db_bind_text(st, 2, f->facts[i].value);
		if (db_run(st))
			return -1;
	}
	return put_recorded(db, f->opt) || sum_kept(db, &kept) || put_seal(db, kept) ? -1 : 0;
}

static int check_facts(struct frontier *f)
{
	for (uint32_t i = 0; i < FACTS; i++) {
		struct db_statement *st =
			db_prepare(f->db, "SELECT value FROM meta WHERE key = ?1");
		const char *value;
		bool same;

		if (!st)
			return -1;
		db_bind_text(st, 1, f->facts[i].key);
		value = db_step(st) > 0 ? db_text(st, 0, NULL) : NULL;
		same = value && !strcmp(value, f->facts[i].value);
		db_finish(st);
		if (!same)
			return error_("'%s' belongs to another %s (%s)", f->path, f->facts[i].word,
				f->schema.anew);
	}
	return check_seal(f);
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

/* A new database gets the facts with its tables, in one transaction; one that is there must have
 * the same facts. */
static int open_db(struct frontier *f, const struct deep_options *opt)
{
	if (find_facts(opt, f->facts))
		return -1;
	if (!opt->resume)
		remove_old(f, opt->dir);
	f->schema = (struct db_schema){
		.application = 0x48454446, /* "HEDF" */
		.version = 3,
		.sql = schema_sql,
		.content = "runs",
		.anew = "start again without '--resume'",
		.fill = put_facts,
		.ctx = f,
	};
	f->db = db_open(f->path, &f->schema, DB_CREATE);
	return f->db ? check_facts(f) : -1;
}

struct frontier *frontier_open(const struct deep_options *opt)
{
	struct frontier *f = xcalloc(1, sizeof *f);

	f->opt = opt;
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
	db_close(f->db);
	for (uint32_t i = 0; i < FACTS; i++)
		free(f->facts[i].value);
	if (f->lock >= 0)
		close(f->lock);
	free(f->path);
	free(f);
}

/* ---- reading ----------------------------------------------------------------------------- */

#define load_blob(st, i, v)                                                                        \
	do {                                                                                       \
		size_t n_;                                                                         \
		const void *p_ = db_blob(st, i, &n_);                                              \
		vec_resize(v, (uint32_t)(n_ / sizeof *(v)->at));                                   \
		if ((v)->n)                                                                        \
			memcpy((v)->at, p_, (v)->n * sizeof *(v)->at);                             \
	} while (0)

static int load_runs(struct frontier *f, struct deep *d)
{
	struct db_statement *st = db_prepare(f->db,
		"SELECT number, node, ways, fate, diverged, why, misuse, predicted, plan, switches,"
		" names, hash FROM runs"
		" ORDER BY number");

	int rc = st ? 0 : -1, row = 0;

	while (!rc && (row = db_step(st)) > 0) {
		const char *why = db_text(st, 5, NULL);
		int64_t misuse = db_int(st, 6);
		struct deep_run r = {.number = (uint32_t)db_int(st, 0),
			.node = (uint64_t)db_int(st, 1),
			.ways = (uint32_t)db_int(st, 2),
			.fate = (uint32_t)db_int(st, 3),
			.diverged = db_int(st, 4),
			.why = why ? xstrdup(why) : NULL,
			.misused = misuse >= 0,
			.misuse = (uint32_t)MAX(misuse, 0),
			.predicted = db_int(st, 7),
			.hash = (uint64_t)db_int(st, 11),
			.plan = column_finding(f, st, 8)};

		r.dir = xasprintf("%s/run-%u", d->opt->dir, r.number);
		vec_push(&d->runs, r);
		load_blob(st, 9, &vec_last(&d->runs).switches);
		load_blob(st, 10, &vec_last(&d->runs).names);
		if (!r.plan && db_text(st, 8, NULL))
			rc = -1;
	}
	db_finish(st);
	f->saved = d->runs.n;
	return row < 0 ? -1 : rc;
}

static int load_queue(struct frontier *f, struct deep *d)
{
	struct db_statement *st =
		db_prepare(f->db, "SELECT node, ways, fails, fresh, cost, plan FROM queue");
	int rc = st ? 0 : -1, row = 0;

	while (!rc && (row = db_step(st)) > 0) {
		struct flip fl = {.node = (uint64_t)db_int(st, 0),
			.ways = (uint32_t)db_int(st, 1),
			.fails = db_int(st, 2),
			.fresh = db_int(st, 3),
			.cost = (uint32_t)db_int(st, 4),
			.plan = column_finding(f, st, 5)};

		if (fl.plan)
			vec_push(&d->queue, fl);
		else
			rc = -1;
	}
	db_finish(st);
	return row < 0 ? -1 : rc;
}

static int load_findings(struct frontier *f, struct deep *d)
{
	struct db_statement *st = db_prepare(f->db, "SELECT finding FROM findings");
	int rc = st ? 0 : -1, row = 0;

	while (!rc && (row = db_step(st)) > 0) {
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
	db_finish(st);
	return row < 0 ? -1 : rc;
}

static int load_recorded(struct frontier *f, struct deep *d)
{
	struct db_statement *st = db_prepare(f->db, "SELECT dir FROM recorded");
	int row = st ? 0 : -1;

	while (st && (row = db_step(st)) > 0) {
		const char *dir = db_text(st, 0, NULL);

		vec_push(&d->recorded, xstrdup(dir ? dir : ""));
	}
	if (st)
		db_finish(st);
	return row;
}

int frontier_load(struct frontier *f, struct deep *d)
{
	return load_runs(f, d) || load_queue(f, d) || load_findings(f, d) || load_recorded(f, d)
		       ? -1
		       : 0;
}

/* ---- writing ----------------------------------------------------------------------------- */

static int save_run(struct frontier *f, const struct deep_run *r)
{
	struct db_statement *st =
		db_prepare(f->db, "INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, "
				  "?6, ?7, ?8, ?9, ?10, ?11, ?12)");

	if (!st)
		return -1;
	db_bind_int(st, 1, r->number);
	db_bind_int(st, 2, (int64_t)r->node);
	db_bind_int(st, 3, r->ways);
	db_bind_int(st, 4, r->fate);
	db_bind_int(st, 5, r->diverged);
	db_bind_text(st, 6, r->why);
	db_bind_int(st, 7, r->misused ? (int64_t)r->misuse : -1);
	db_bind_int(st, 8, r->predicted);
	bind_finding(st, 9, r->plan);
	db_bind_blob(st, 10, r->switches.at, r->switches.n * sizeof *r->switches.at);
	db_bind_blob(st, 11, r->names.at, r->names.n * sizeof *r->names.at);
	db_bind_int(st, 12, (int64_t)r->hash);
	return db_run(st);
}

static int save_flip(struct frontier *f, const struct flip *fl)
{
	struct db_statement *st =
		db_prepare(f->db, "INSERT INTO queue VALUES (?1, ?2, ?3, ?4, ?5, ?6)");

	if (!st)
		return -1;
	db_bind_int(st, 1, (int64_t)fl->node);
	db_bind_int(st, 2, fl->ways);
	db_bind_int(st, 3, fl->fails);
	db_bind_int(st, 4, fl->fresh);
	db_bind_int(st, 5, fl->cost);
	bind_finding(st, 6, fl->plan);
	return db_run(st);
}

int frontier_save(struct frontier *f, const struct deep *d)
{
	uint64_t kept = f->kept;
	int rc = db_begin(f->db);

	BUG_ON(f->saved > d->runs.n);
	if (rc)
		return -1;
	rc = db_exec(f->db, "DELETE FROM queue");
	for (uint32_t i = f->saved; i < d->runs.n && !rc; i++) {
		int64_t number = d->runs.at[i].number;

		rc = save_run(f, &d->runs.at[i]) || sum_rows(f->db, ROWS_RUNS, &number, &kept);
	}
	for (uint32_t i = 0; i < d->queue.n && !rc; i++)
		rc = save_flip(f, &d->queue.at[i]);
	if (!rc)
		rc = put_seal(f->db, kept) || db_commit(f->db) ? -1 : 0;
	if (rc) {
		db_rollback(f->db);
		return -1;
	}
	f->saved = d->runs.n;
	f->kept = kept;
	return 0;
}

int frontier_predicted(struct frontier *f, const struct deep_run *r)
{
	struct db_statement *st =
		db_prepare(f->db, "UPDATE runs SET predicted = 1 WHERE number = ?1");

	if (!st)
		return -1;
	db_bind_int(st, 1, r->number);
	return change_row(f, ROWS_RUNS, r->number, st);
}

int frontier_found(struct frontier *f, const struct finding *found)
{
	struct db_statement *st =
		db_prepare(f->db, "INSERT OR REPLACE INTO findings VALUES (?1, ?2)");

	if (!st)
		return -1;
	db_bind_int(st, 1, (int64_t)found->fingerprint);
	bind_finding(st, 2, found);
	return change_row(f, ROWS_FINDINGS, (int64_t)found->fingerprint, st);
}
