#include "replay/words.h"

#include "base/path.h"
#include "base/vec.h"


#include <string.h>

void words_thread(struct strbuf *out, const struct finding *f, uint32_t thread)
{
	const char *name = f && thread < f->threads.n ? f->threads.at[thread].name : NULL;

	if (thread == SCHED_NONE)
		strbuf_adds(out, "a thread");
	else if (!thread)
		strbuf_adds(out, "the main thread");
	else if (name)
		strbuf_addf(out, "thread %u ('%s')", thread, name);
	else
		strbuf_addf(out, "thread %u", thread);
}

bool words_place(struct strbuf *out, const struct finding_place *p)
{
	if (p->file && p->line)
		strbuf_addf(out, "%s:%u", path_base(p->file), p->line);
	if (p->function)
		strbuf_addf(out, "%s'%s'", p->file && p->line ? " in " : "", p->function);
	return (p->file && p->line) || p->function;
}

void words_signal(struct strbuf *out, int signo)
{
	const char *name = sigabbrev_np(signo);

	if (name)
		strbuf_addf(out, "SIG%s", name);
	else
		strbuf_addf(out, "signal %d", signo);
}

const char *words_assertion(const char *text, size_t *n)
{
	static const char word[] = "ssertion ";
	const char *at = strstr(text, word), *end;

	if (!at || !at[strlen(word)])
		return NULL;
	at += strlen(word) + 1;
	end = strrchr(at, '\'');
	*n = end ? (size_t)(end - at) : 0;
	return end ? at : NULL;
}

const struct finding_step *step_near(const struct finding *f, uint32_t thread, uint64_t point)
{
	const struct finding_step *best = NULL;

	vec_each (&f->steps, i) {
		const struct finding_step *s = &f->steps.at[i];

		if (s->thread == thread && s->point <= point && s->place.file &&
			(!best || s->point >= best->point))
			best = s;
	}
	return best;
}

void replay_fate(const struct finding *f, const struct replay_result *r, struct strbuf *out)
{
	const struct sched_outcome *o = &r->out;

	switch (o->fate) {
	case SCHED_EXITED: strbuf_addf(out, "exited with %d", o->code); break;
	case SCHED_ASSERT: strbuf_addf(out, "failed in "); break;
	case SCHED_SIGNAL:
		strbuf_adds(out, "was killed by ");
		words_signal(out, o->code);
		strbuf_adds(out, " in ");
		break;
	case SCHED_DEADLOCK: strbuf_addf(out, "hung, %u threads waiting", o->nwaits); break;
	case SCHED_MISUSE: strbuf_adds(out, "was stopped in "); break;
	case SCHED_STUCK: strbuf_adds(out, "made no progress"); break;
	default: strbuf_adds(out, "was killed from outside"); break;
	}
	if (o->fate == SCHED_ASSERT || o->fate == SCHED_SIGNAL || o->fate == SCHED_MISUSE)
		words_thread(out, f, o->thread);
	if (o->fate != SCHED_EXITED && *o->text && !o->diverged)
		strbuf_addf(out, ": %s", o->text);
}
