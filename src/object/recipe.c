#include "object/recipe.h"

#include "base/diag.h"
#include "object/fields.h"

#include <stdio.h>
#include <string.h>

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

void recipe_init(struct recipe *r)
{
	*r = (struct recipe){.llvm = "", .compiler = ""};
	arena_init(&r->arena);
}

void recipe_release(struct recipe *r)
{
	vec_each (&r->units, i)
		vec_release(&r->units.at[i].funcs);
	vec_each (&r->archives, i) {
		vec_release(&r->archives.at[i].used);
		vec_release(&r->archives.at[i].unused);
	}
	vec_release(&r->words);
	vec_release(&r->units);
	vec_release(&r->archives);
	vec_release(&r->shared);
	vec_release(&r->externs);
	arena_release(&r->arena);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void write_word(const struct recipe_word *w, struct strbuf *out)
{
	switch (w->kind) {
	case RECIPE_WORD: fields_add(out, "word", w->text); break;
	case RECIPE_FILE: fields_add(out, "file", w->text, w->member); break;
	case RECIPE_PARTS: fields_add(out, "parts"); break;
	}
}

static void write_unit(const struct recipe_unit *u, struct strbuf *out)
{
	if (!u->why) {
		fields_add(out, "unit", u->name, u->source);
		return;
	}
	fields_add(out, "native", u->name, u->why, u->member);
	vec_each (&u->funcs, i)
		fields_add(out, "func", u->funcs.at[i]);
}

static void write_archive(const struct recipe_archive *a, struct strbuf *out)
{
	fields_add(out, "archive", a->path);
	vec_each (&a->used, i)
		fields_add(out, "used", a->used.at[i]);
	vec_each (&a->unused, i)
		fields_add(out, "unused", a->unused.at[i]);
}

void recipe_write(const struct recipe *r, struct strbuf *out)
{
	fields_add(out, "heddle", STRING(RECIPE_VERSION));
	fields_add(out, "llvm", r->llvm);
	fields_add(out, "compiler", r->compiler);
	if (r->cannot)
		fields_add(out, "cannot", r->cannot);
	vec_each (&r->words, i)
		write_word(&r->words.at[i], out);
	vec_each (&r->units, i)
		write_unit(&r->units.at[i], out);
	vec_each (&r->archives, i)
		write_archive(&r->archives.at[i], out);
	vec_each (&r->shared, i)
		fields_add(out, "shared", r->shared.at[i]);
	vec_each (&r->externs, i)
		fields_add(out, "extern", r->externs.at[i].name, r->externs.at[i].provider);
}

/* ---- reading ----------------------------------------------------------------------------- */

struct parser {
	struct recipe *r;
	const char *wrong;
};

static void parse_unit(struct parser *p, const char *const *f)
{
	struct recipe *r = p->r;

	if (!strcmp(f[0], "unit")) {
		struct recipe_unit *u = vec_add(&r->units);

		u->name = f[1];
		u->source = f[2];
	} else if (!strcmp(f[0], "native")) {
		struct recipe_unit *u = vec_add(&r->units);

		u->name = f[1];
		u->why = f[2];
		u->member = f[3];
	} else if (!r->units.n) {
		p->wrong = "a function comes before the first unit";
	} else {
		vec_push(&vec_last(&r->units).funcs, f[1]);
	}
}

static void parse_archive(struct parser *p, const char *const *f)
{
	struct recipe *r = p->r;

	if (!strcmp(f[0], "archive"))
		vec_add(&r->archives)->path = f[1];
	else if (!r->archives.n)
		p->wrong = "a member comes before the first archive";
	else if (!strcmp(f[0], "used"))
		vec_push(&vec_last(&r->archives).used, f[1]);
	else
		vec_push(&vec_last(&r->archives).unused, f[1]);
}

static void parse_record(struct parser *p, const char *const *f)
{
	struct recipe *r = p->r;
	const char *key = f[0];

	if (!strcmp(key, "heddle")) {
		if (strcmp(f[1], STRING(RECIPE_VERSION)))
			p->wrong = "it was written by another version of heddle-cc";
	} else if (!strcmp(key, "llvm")) {
		r->llvm = f[1];
	} else if (!strcmp(key, "compiler")) {
		r->compiler = f[1];
	} else if (!strcmp(key, "cannot")) {
		r->cannot = f[1];
	} else if (!strcmp(key, "word")) {
		vec_push(&r->words, (struct recipe_word){RECIPE_WORD, f[1], NULL});
	} else if (!strcmp(key, "file")) {
		vec_push(&r->words, (struct recipe_word){RECIPE_FILE, f[1], f[2]});
	} else if (!strcmp(key, "parts")) {
		vec_push(&r->words, (struct recipe_word){.kind = RECIPE_PARTS});
	} else if (!strcmp(key, "unit") || !strcmp(key, "native") || !strcmp(key, "func")) {
		parse_unit(p, f);
	} else if (!strcmp(key, "archive") || !strcmp(key, "used") || !strcmp(key, "unused")) {
		parse_archive(p, f);
	} else if (!strcmp(key, "shared")) {
		vec_push(&r->shared, f[1]);
	} else if (!strcmp(key, "extern")) {
		vec_push(&r->externs, (struct recipe_extern){f[1], f[2]});
	}
}

int recipe_read(struct recipe *r, const char *name, const void *data, size_t n)
{
	struct parser p = {.r = r};
	struct fields_reader in;
	struct fields rec;

	recipe_init(r);
	in.pos = arena_strndup(&r->arena, data, n);
	in.end = in.pos + n;
	if (!fields_next(&in, &rec) || strcmp(rec.field[0], "heddle"))
		p.wrong = "it has no version";
	else
		parse_record(&p, rec.field);
	while (!p.wrong && fields_next(&in, &rec))
		parse_record(&p, rec.field);
	if (!p.wrong)
		return 0;
	recipe_release(r);
	return error_at((struct diag_pos){.file = name},
		"the recipe in section '" EXE_RECIPE
		"' cannot be used: %s (build the program again)",
		p.wrong);
}

int recipe_of(struct recipe *r, const char *name, const struct exe *x)
{
	struct exe_section s;

	if (!exe_section(x, EXE_RECIPE, &s))
		return error_at((struct diag_pos){.file = name},
			"no section '" EXE_RECIPE
			"': heddle-cc did not link this program (link it with heddle-cc)");
	return recipe_read(r, name, s.data, s.n);
}
