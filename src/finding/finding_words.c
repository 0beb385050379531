#include "base/base.h"
#include "base/strbuf.h"
#include "finding/finding.h"

#include <string.h>

void finding_add_thread(const struct finding *f, uint32_t thread, struct strbuf *out)
{
	const char *name = thread < f->threads.n ? f->threads.at[thread].name : NULL;

	if (!thread)
		strbuf_adds(out, "main thread");
	else if (name)
		strbuf_addf(out, "thread %u '%s'", thread, name);
	else
		strbuf_addf(out, "thread %u", thread);
}

void finding_add_place(const struct finding_place *p, bool column, struct strbuf *out)
{
	const char *slash = p->file ? strrchr(p->file, '/') : NULL;

	if (!p->file)
		return;
	strbuf_adds(out, slash && !column ? slash + 1 : p->file);
	if (p->line)
		strbuf_addf(out, ":%u", p->line);
	if (p->line && p->col && column)
		strbuf_addf(out, ":%u", p->col);
}

const char *finding_status_text(const struct finding *f)
{
	switch (f->status) {
	case FINDING_CONFIRMED: return "confirmed by replay";
	case FINDING_OBSERVED: return "seen in the recorded run";
	case FINDING_DIVERGED: return "predicted; its replay diverged";
	case FINDING_MACHINE_ONLY: return "machine only";
	case FINDING_PREDICTED:
		return f->outcome || f->divergence ? "predicted; not seen in its replay"
						   : "predicted";
	case FINDING_NSTATUSES: break;
	}
	BUG("status %d", f->status);
}

/* A thread that waits has begun its step. */
bool finding_step_is_next(const struct finding_step *s)
{
	return s->flags & STEP_LAST && s->what && strncmp(s->what, "waits", 5) &&
	       strncmp(s->what, "sleeps", 6);
}
