#include "cover/cover.h"

#include "base/base.h"

#include <stdlib.h>

struct cover {
	struct cover_facts facts;
	struct search *search;
};

static void find_facts(
	struct cover_facts *f, const struct ir_program *p, const struct marker_options *opt)
{
	f->p = p;
	f->pt = points_to_new(p, NULL);
	f->so = sync_ops_new(p, f->pt);
	f->markers = markers_place(f->so, opt);
	f->exits = exits_new(f->so);
	f->between = between_new(f->so, f->pt, f->exits, f->markers);
	f->distances = distances_new(p);
}

static void release_facts(struct cover_facts *f)
{
	distances_free(f->distances);
	between_free(f->between);
	exits_free(f->exits);
	markers_free(f->markers);
	sync_ops_free(f->so);
	points_to_free(f->pt);
}

struct cover *cover_new(const struct ir_program *p, const struct cover_options *opt)
{
	struct cover *c = xcalloc(1, sizeof *c);

	find_facts(&c->facts, p, &opt->markers);
	c->search = search_new(&c->facts, &opt->search);
	if (c->search)
		return c;
	cover_free(c);
	return NULL;
}

void cover_free(struct cover *c)
{
	search_free(c->search);
	release_facts(&c->facts);
	free(c);
}

int cover_run(struct cover *c)
{
	return search_run(c->search);
}

struct search *cover_search(struct cover *c)
{
	return c->search;
}

const struct markers *cover_markers(const struct cover *c)
{
	return c->facts.markers;
}
