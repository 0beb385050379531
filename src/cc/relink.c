#include "cc/relink.h"

#include "base/base.h"
#include "base/file.h"
#include "base/path.h"
#include "base/vec.h"
#include "object/ar.h"
#include "object/elf.h"
#include "object/exe.h"
#include "object/link_words.h"

#include <stdio.h>
#include <string.h>

void container_init(struct container *p)
{
	*p = (struct container){0};
	ar_begin(&p->bytes);
}

const char *container_add(
	struct container *p, struct arena *arena, const char *suffix, const void *data, size_t n)
{
	char name[16];

	snprintf(name, sizeof name, "%u%s", p->n++, suffix);
	ar_add(&p->bytes, name, data, n);
	return arena_strdup(arena, name);
}

/* ---- files that words name --------------------------------------------------------------- */

enum file_kind {
	FILE_NONE,   /* no file, or a text file of the system */
	FILE_PART,   /* object or archive */
	FILE_SHARED, /* shared library */
	FILE_TEXT,   /* read by the linker */
};

/* Maps the file that a word of the command names. */
static enum file_kind open_named(const char *path, struct file_map *f)
{
	struct elf e;
	struct ar r;

	*f = (struct file_map){0};
	if (!*path || !file_is_regular(path) || file_map(f, path))
		return FILE_NONE;
	if (ar_init(&r, f->data, f->n))
		return FILE_PART;
	if (!elf_init(&e, f->data, f->n))
		return e.type == ET_DYN ? FILE_SHARED : FILE_PART;
	if (exe_is_bitcode(f->data, f->n))
		return FILE_PART;
	return path_is_system(path) ? FILE_NONE : FILE_TEXT;
}

static bool find_in_dir(const char *dir, const char *file, char **out)
{
	*out = xasprintf("%s/%s", dir, file);
	if (file_is_regular(*out))
		return true;
	free(*out);
	*out = NULL;
	return false;
}

struct search {
	const char *name;
	bool no_shared;
	char *found;
};

static void search_dir(struct search *s, const char *dir)
{
	char *file;

	if (s->found || path_is_system(dir))
		return;
	if (s->name[0] == ':') {
		find_in_dir(dir, s->name + 1, &s->found);
		return;
	}
	file = xasprintf("lib%s.so", s->name);
	if (s->no_shared || !find_in_dir(dir, file, &s->found)) {
		free(file);
		file = xasprintf("lib%s.a", s->name);
		find_in_dir(dir, file, &s->found);
	}
	free(file);
}

static void search_word(void *ctx, const char *word)
{
	if (!strncmp(word, "-L", 2) && word[2])
		search_dir(ctx, word + 2);
}

char *find_own_library(const struct cc_args *a, const char *name)
{
	struct search s = {.name = name};

	vec_each (&a->at, i) {
		const char *t = a->at.at[i].input ? "" : a->at.at[i].text;

		s.no_shared |= !strcmp(t, "-static") || !strcmp(t, "--static") ||
			       !strcmp(t, "-static-pie");
	}
	vec_each (&a->at, i)
		if (a->at.at[i].traits & CC_LIBDIR && a->at.at[i].value)
			search_dir(&s, a->at.at[i].value);
	each_linker_word(a, search_word, &s);
	return s.found;
}

void each_linker_word(const struct cc_args *a, void (*fn)(void *ctx, const char *word), void *ctx)
{
	vec_each (&a->at, i) {
		const struct cc_arg *x = &a->at.at[i];
		char *copy, *rest, *word;

		if (x->traits & CC_XLINKER && x->value)
			fn(ctx, x->value);
		if (!(x->traits & CC_WL) || !x->value)
			continue;
		rest = copy = xstrdup(x->value);
		while ((word = strsep(&rest, ",")))
			fn(ctx, word);
		free(copy);
	}
}

struct wrapped {
	struct arena *arena;
	struct words *out;
	bool next; /* the next word is the symbol */
};

static void add_wrapped(void *ctx, const char *word)
{
	struct wrapped *w = ctx;
	const char *symbol = w->next ? word : NULL;

	if (!symbol && (!strncmp(word, "--wrap=", 7) || !strncmp(word, "-wrap=", 6)))
		symbol = strchr(word, '=') + 1;
	w->next = !symbol && (!strcmp(word, "--wrap") || !strcmp(word, "-wrap"));
	if (symbol)
		vec_push(w->out, arena_strdup(w->arena, symbol));
}

void find_wrapped(const struct cc_args *a, struct arena *arena, struct words *out)
{
	struct wrapped w = {.arena = arena, .out = out};

	each_linker_word(a, add_wrapped, &w);
}

/* ---- words ------------------------------------------------------------------------------- */

struct relink {
	const struct cc_args *a;
	struct container *files;
	struct recipe *r;
	bool parts;      /* the place of the parts is marked */
	bool skip_value; /* the next word for the linker is the value of a dropped option */
};

static void add_word(struct relink *g, const char *text)
{
	vec_push(&g->r->words,
		(struct recipe_word){RECIPE_WORD, arena_strdup(&g->r->arena, text), NULL});
}

static void add_path(struct relink *g, const char *path)
{
	char *abs = path_absolute(path);

	add_word(g, abs);
	free(abs);
}

static void add_file(struct relink *g, const char *prefix, const struct file_map *f)
{
	struct recipe_word w = {.kind = RECIPE_FILE};

	w.text = arena_strdup(&g->r->arena, prefix);
	w.member = container_add(g->files, &g->r->arena, ".txt", f->data, f->n);
	vec_push(&g->r->words, w);
}

static void add_parts(struct relink *g)
{
	if (!g->parts)
		vec_push(&g->r->words, (struct recipe_word){.kind = RECIPE_PARTS});
	g->parts = true;
}

static void add_input(struct relink *g, const struct cc_arg *x)
{
	struct file_map f = {0};

	if (cc_arg_is_source(x)) {
		add_parts(g);
		return;
	}
	switch (open_named(x->text, &f)) {
	case FILE_SHARED: add_path(g, x->text); break;
	case FILE_TEXT: add_file(g, "", &f); break;
	default: add_parts(g);
	}
	file_unmap(&f);
}

static void add_library(struct relink *g, const char *name)
{
	char *own = find_own_library(g->a, name);
	struct file_map f = {0};

	if (!own) {
		add_word(g, "-l");
		add_word(g, name);
	} else if (open_named(own, &f) == FILE_SHARED) {
		add_path(g, own);
	}
	file_unmap(&f);
	free(own);
}

/* Options for side outputs of the link, and --wrap, which the merge of the bitcode has done. */
static bool is_dropped(const char *word, bool *has_value)
{
	static const char *const with_value[] = {"-Map", "--Map", "-o", "--output",
		"--dependency-file", "--reproduce", "--time-trace-granularity", "--wrap", "-wrap"};
	static const char *const alone[] = {"-t", "--trace", "-M", "--print-map", "--cref",
		"--verbose", "--print-gc-sections", "--stats", "--time-trace"};

	*has_value = false;
	for (size_t i = 0; i < ARRAY_SIZE(with_value); i++) {
		size_t n = strlen(with_value[i]);

		if (strncmp(word, with_value[i], n) || (word[n] && word[n] != '='))
			continue;
		*has_value = !word[n];
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(alone); i++)
		if (!strcmp(word, alone[i]))
			return true;
	return !strncmp(word, "--time-trace=", 13);
}

static void add_dir(struct relink *g, const char *dir)
{
	char *abs = path_absolute(dir), *text = xasprintf("-L%s", abs);

	add_word(g, text);
	free(text);
	free(abs);
}

static void add_linker_word(void *ctx, const char *word)
{
	const char *equals = strchr(word, '='), *path = equals ? equals + 1 : word;
	struct relink *g = ctx;
	struct file_map f = {0};
	enum file_kind kind;
	char *prefix;

	if (g->skip_value) {
		g->skip_value = false;
		return;
	}
	if (is_dropped(word, &g->skip_value))
		return;
	if (!strncmp(word, "-l", 2) && word[2]) {
		add_library(g, word + 2);
		return;
	}
	if (!strncmp(word, "-L", 2) && word[2]) {
		add_dir(g, word + 2);
		return;
	}
	kind = open_named(path, &f);
	if (kind == FILE_PART) {
		add_parts(g);
	} else if (kind == FILE_TEXT) {
		prefix = xstrndup(word, (size_t)(path - word));
		add_word(g, "-Xlinker");
		add_file(g, prefix, &f);
		free(prefix);
	} else if (kind == FILE_SHARED && path == word) {
		add_path(g, word);
	} else {
		add_word(g, "-Xlinker");
		add_word(g, word);
	}
	file_unmap(&f);
}

/* An option of the compiler that a link needs. If its value names a text file, the container gets
 * the file. */
static void add_option(struct relink *g, const struct cc_arg *x)
{
	struct file_map f = {0};
	char *prefix;

	if (!x->value) {
		add_word(g, x->text);
		return;
	}
	if (!strcmp(x->text, "-target")) { /* recipes have the other spelling only */
		prefix = xasprintf("--target=%s", x->value);
		add_word(g, prefix);
		free(prefix);
		return;
	}
	prefix = xstrndup(x->text, strlen(x->text) - (x->separate ? 0 : strlen(x->value)));
	if (x->either)
		add_word(g, prefix);
	if (open_named(x->value, &f) == FILE_TEXT)
		add_file(g, x->either ? "" : prefix, &f);
	else
		add_word(g, x->either ? x->value : x->text);
	file_unmap(&f);
	free(prefix);
}

void relink_words(const struct cc_args *a, bool native, struct container *files, struct recipe *r)
{
	struct relink g = {.a = a, .files = files, .r = r};
	const char *wrong;
	char *why;

	vec_each (&a->at, i) {
		const struct cc_arg *x = &a->at.at[i];
		struct cc_args one = {.at = {(struct cc_arg *)x, 1, 1}};

		if (x->input)
			add_input(&g, x);
		else if (x->traits & (CC_WL | CC_XLINKER))
			each_linker_word(&one, add_linker_word, &g);
		else if (x->traits & CC_LIBRARY && x->value)
			add_library(&g, x->value);
		else if (x->traits & CC_LIBDIR && x->value)
			add_dir(&g, x->value);
		else if (x->traits & CC_LINKER)
			continue; /* images are linked by lld */
		else if (x->traits & CC_AGAIN || (x->traits & CC_SUPPORT && native))
			add_option(&g, x);
	}
	add_parts(&g);
	wrong = link_words_wrong(r);
	if (wrong) {
		why = xasprintf("its link needs the word '%s', which is not allowed in the link of an image",
			wrong);
		r->cannot = arena_strdup(&r->arena, why);
		free(why);
	}
}
