#include "cli/named_program.h"

#include "base/diag.h"
#include "base/vec.h"
#include "cli/finding_args.h"

#include <string.h>
#include <unistd.h>

/* argv[0] may differ from the program. */
static void describe_run(struct strbuf *b, const struct finding *f)
{
	strbuf_addf(b, "runs in '%s': ", f->cwd ? f->cwd : ".");
	strbuf_add_word(b, f->exe);
	for (uint32_t i = 1; i < f->argv.n; i++) {
		strbuf_addc(b, ' ');
		strbuf_add_word(b, f->argv.at[i]);
	}
	if (f->input) {
		strbuf_adds(b, " < ");
		strbuf_add_word(b, f->input);
	}
}

void named_program_show(struct named_program *p, const struct finding *f)
{
	struct strbuf now = {0};

	if (!f->exe)
		return;
	describe_run(&now, f);
	if (!p->shown.s || strcmp(p->shown.s, now.s))
		note_("%s", now.s);
	strbuf_release(&p->shown);
	p->shown = now;
}

bool named_program_may_run(struct named_program *p, const struct finding *f, bool force)
{
	if (force || access(f->exe, R_OK) || !finding_is_stale(f)) {
		named_program_show(p, f);
		return true;
	}
	if (!p->refused)
		warn_("'%s' was built again since the run was recorded: it is not run to confirm "
		      "findings "
		      "(--force runs it)",
			f->exe);
	p->refused = true;
	return false;
}

void named_program_release(struct named_program *p)
{
	strbuf_release(&p->shown);
}
