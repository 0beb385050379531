#include "replay/map_place.h"

#include "base/map.h"

#include <string.h>

enum { /* similarity of a point to a step, as a sum: the place weighs more than the operation */
	LIKE_TEXT = 16,  /* the source lines have the same text */
	LIKE_LINE = 8,   /* the lines have the same number; one of the texts is not known */
	LIKE_VERB = 2,   /* the same operation */
	LIKE_OBJECT = 1, /* on the same object */
};

static bool same_function(
	const struct points *ps, const struct point *p, const struct finding_step *s)
{
	const struct ir_pos *pos = points_pos(ps, p);
	const char *name = pos->func                  ? ir_str(ps->p, pos->func)
			   : p->func < ps->p->funcs.n ? ir_func_name(ps->p, p->func)
						      : "";

	return !s->place.function || !strcmp(s->place.function, name);
}

/* "reads" in "reads balance = 100", but not "locks" in "unlocks m" */
static bool has_word(const char *text, const char *word)
{
	const char *at = text ? strstr(text, word) : NULL;

	return at && (at == text || at[-1] == ' ');
}

static uint32_t likeness(
	struct points *ps, struct lines *src, const struct point *p, const struct finding_step *s)
{
	const struct ir_pos *pos = points_pos(ps, p);
	const char *text = NULL, *object = points_object(ps, p);
	uint32_t like = 0;

	if (!same_function(ps, p, s))
		return 0;
	if (pos->file)
		text = lines_get(src, ir_str(ps->p, pos->file), pos->line);
	if (text && s->source)
		like += !strcmp(text, s->source) ? LIKE_TEXT : 0;
	else if (pos->line && pos->line == s->place.line)
		like += LIKE_LINE;
	if (has_word(s->what, points_verb(p)) ||
		(points_may_wait(p) && (has_word(s->what, "waits") || has_word(s->what, "sleeps"))))
		like += LIKE_VERB;
	if (object && s->what && strstr(s->what, object))
		like += LIKE_OBJECT;
	/* Similar only if the line matches, or both the operation and its object. */
	return like >= LIKE_LINE || like == (LIKE_VERB | LIKE_OBJECT) ? like : 0;
}

uint64_t map_place(struct points *ps, struct lines *src, uint32_t thread,
	const struct finding_step *step, uint64_t from, uint64_t expect)
{
	const struct points_thread *t = &ps->threads.at[thread];
	struct map known = {0}; /* place and kind -> likeness + 1 */
	uint64_t best = UINT64_MAX, best_far = UINT64_MAX;
	uint32_t best_like = 0;

	for (uint64_t i = from; i < t->at.n; i++) {
		const struct point *p = &t->at.at[i];
		uint64_t far = i > expect ? i - expect : expect - i;
		uint64_t *like = map_put(&known,
			(uint64_t)p->func << 40 | (uint64_t)p->insn << 16 | p->kind << 8 | p->sync);

		if (!*like)
			*like = likeness(ps, src, p, step) + 1;
		if (*like > 1 &&
			(*like - 1 > best_like || (*like - 1 == best_like && far < best_far))) {
			best = i;
			best_far = far;
			best_like = (uint32_t)(*like - 1);
		}
	}
	map_release(&known);
	return best;
}
