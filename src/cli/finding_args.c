#include "cli/finding_args.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/load_test_program.h"
#include "finding/findings.h"
#include "finding/testcase.h"
#include "replay/explored.h"
#include "replay/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool is_file(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".json"));
}

static struct finding *read_json(const char *path)
{
	struct finding *f = NULL;
	struct strbuf b = {0};

	if (!file_read(&b, path))
		f = finding_from_json(b.s ? b.s : "", b.n, path);
	strbuf_release(&b);
	return f;
}

struct finding *finding_named(const char *dir, const char *name)
{
	struct findings *db;
	struct finding *f;

	if (is_file(name))
		return read_json(name);
	db = findings_open(dir ? dir : ".", false);
	if (!db)
		return NULL;
	f = findings_get(db, name);
	findings_close(db);
	return f;
}

static void keep_finding(void *ctx, const struct finding *f)
{
	struct finding_list *out = ctx;

	vec_push(out, finding_copy(f));
}

int findings_named(const char *dir, char *const *names, uint32_t n, struct finding_list *out)
{
	struct findings *db;
	struct finding *f;
	int rc;

	for (uint32_t i = 0; i < n; i++) {
		f = finding_named(dir, names[i]);
		if (!f)
			return -1;
		vec_push(out, f);
	}
	if (n)
		return 0;
	db = findings_open(dir ? dir : ".", false);
	if (!db)
		return -1;
	rc = findings_each(db, keep_finding, out);
	findings_close(db);
	return rc;
}

bool findings_exist(const char *dir)
{
	char *path = xasprintf("%s/.heddle/findings.db", dir ? dir : ".");
	bool yes = !access(path, F_OK);

	free(path);
	return yes;
}

void finding_list_release(struct finding_list *l)
{
	vec_each (l, i)
		finding_free(l->at[i]);
	vec_release(l);
}

bool finding_is_stale(const struct finding *f)
{
	uint64_t now;

	return f->exe && f->bitcode && !replay_bitcode(f->exe, &now) && now != f->bitcode;
}

/* Calls with_program() with the program of the finding, in the finding's directory. -1 after
 * error_(). */
static int call_in_program(struct finding *f,
	int (*with_program)(struct finding *, struct test_program *, void *), void *ctx)
{
	int here = open(".", O_PATH | O_CLOEXEC), rc = -1;
	struct test_program tp;

	if (f->test->from)
		error_("%s begins in the middle of the program, at '%s' (heddle explore --from), "
		       "in "
		       "a state that may not be reachable: it cannot be replayed",
			f->name, f->test->from);
	else if (!f->exe)
		error_("%s names no program", f->name[0] ? f->name : "the finding");
	else if (f->cwd && chdir(f->cwd))
		error_("cannot change to the directory '%s': %s", f->cwd, strerror(errno));
	else if (!load_test_program(&tp, f->exe)) {
		rc = with_program(f, &tp, ctx);
		test_program_release(&tp);
	}
	if (here < 0 || fchdir(here))
		rc = error_("cannot return to the working directory: %s", strerror(errno));
	close(here);
	return rc;
}

static int confirm_finding(struct finding *f, struct test_program *tp, void *ctx)
{
	return explored_confirm(f, tp, ctx);
}

int finding_confirm(struct finding *f, double seconds)
{
	return call_in_program(f, confirm_finding, &(struct test_options){.seconds = seconds});
}

static int rehearse_finding(struct finding *f, struct test_program *tp, void *ctx)
{
	struct rehearsal r;

	(void)ctx;
	if (rehearse(&r, f, tp))
		return -1;
	if (!rehearsal_agrees(&r, f->test))
		warn_("%s is no longer seen on heddle's machine", f->name);
	rehearsal_release(&r);
	return 0;
}

int finding_rehearse(struct finding *f)
{
	if (!f->test || (f->threads.n && !finding_is_stale(f)))
		return 0;
	return call_in_program(f, rehearse_finding, NULL);
}
