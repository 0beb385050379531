#include "explain/places.h"

#include "base/base.h"
#include "base/vec.h"
#include "ctp/ctp_names.h"

#include <string.h>

void place_of_event(const struct ctp *c, uint32_t event, struct finding_place *out)
{
	struct ctp_source s = ctp_source_of(c, event);

	*out = (struct finding_place){.function = s.function ? xstrdup(s.function) : NULL,
		.file = s.file ? xstrdup(s.file) : NULL,
		.line = s.line,
		.col = s.col};
}

void place_add_event(const struct ctp *c, uint32_t event, struct strbuf *out)
{
	struct finding_place p;
	const char *slash;

	place_of_event(c, event, &p);
	slash = p.file ? strrchr(p.file, '/') : NULL;
	if (p.file && p.line)
		strbuf_addf(out, "%s:%u", slash ? slash + 1 : p.file, p.line);
	else if (p.function)
		strbuf_addf(out, "'%s'", p.function);
	else
		strbuf_adds(out, "an unknown place");
	finding_place_release(&p);
}

void number_threads_by_group(const struct ctp *c, struct finding *f)
{
	uint32_t n = 0;

	vec_each (&c->threads, t)
		n += ctp_group(c, t) != t;
	if (!n)
		return;
	vec_each (&f->steps, i)
		f->steps.at[i].thread = ctp_group(c, f->steps.at[i].thread);
	vec_each (&f->moves, i)
		f->moves.at[i].thread = ctp_group(c, f->moves.at[i].thread);
	if (f->a < c->threads.n)
		f->a = ctp_group(c, f->a);
	if (f->b < c->threads.n)
		f->b = ctp_group(c, f->b);
	if (f->expect_thread < c->threads.n)
		f->expect_thread = ctp_group(c, f->expect_thread);
	if (f->flip.kind != FLIP_NONE)
		f->flip.thread = ctp_group(c, f->flip.thread);
}
