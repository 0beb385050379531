#include "cli/finding_args.h"

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/trial_load.h"
#include "finding/findings.h"
#include "finding/testcase.h"
#include "replay/explored.h"
#include "replay/replay.h"

#include <errno.h>
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

	if (strbuf_read_file(&b, path))
		error_("cannot read '%s': %s", path, strerror(errno));
	else
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

bool finding_is_stale(const struct finding *f)
{
	uint64_t now;

	return f->exe && f->bitcode && !replay_bitcode(f->exe, &now) && now != f->bitcode;
}

int finding_try(struct finding *f, bool show, double seconds)
{
	struct trial_options opt = {.show = show, .seconds = seconds};
	struct trial_program tp;
	int verdict;

	if (f->test->from)
		return error_("%s begins in the middle of the program, at '%s' (heddle explore --from), in "
			      "a state that may not be reachable: it cannot be replayed",
			f->name, f->test->from);
	if (f->cwd && chdir(f->cwd))
		return error_("cannot go to the directory '%s': %s", f->cwd, strerror(errno));
	if (trial_load(&tp, f->exe))
		return -1;
	verdict = explored_confirm(f, &tp, &opt);
	trial_program_release(&tp);
	return verdict;
}
