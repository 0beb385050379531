#include "object/link_words.h"

#include "base/base.h"
#include "base/vec.h"

#include <string.h>

enum form { FLAG, PREFIX, VALUE, TRIPLE };

struct option {
	const char *text;
	enum form form;
};

static const struct option compiler[] = {
#define COMPILER(text, form) {text, form},
#include "object/link_words.def"
};
static const struct option code[] = {
#define CODE(text, form) {text, form},
#include "object/link_words.def"
};
static const struct option linker[] = {
#define LINKER(text, form) {text, form},
#include "object/link_words.def"
};

/* What must follow the words so far. */
struct expected {
	bool linker;       /* a word of the linker: the last one was -Xlinker */
	bool value;        /* the value of an option of the compiler */
	bool linker_value; /* the value of an option of the linker */
};

bool member_is_own(const char *name)
{
	size_t n = strspn(name, "0123456789");

	return n && (!strcmp(name + n, ".o") || !strcmp(name + n, ".a") || !strcmp(name + n, ".txt"));
}

static bool is_supported_target(const char *triple)
{
	return !strncmp(triple, "x86_64-", 7) && strstr(triple, "linux") &&
	       !strstr(triple, "gnux32");
}

static bool matches(const struct option *o, const char *word, bool joined)
{
	size_t n = strlen(o->text);

	if (strncmp(word, o->text, n))
		return false;
	switch (o->form) {
	case PREFIX: return true;
	case TRIPLE: return !joined && is_supported_target(word + n);
	case FLAG:
	case VALUE: break;
	}
	return !word[n] && !joined;
}

/* Sets *value if the value is the next word. `joined`: the path of a member follows the word. */
static bool is_listed(const struct option *list, size_t n, const char *word, bool joined, bool *value)
{
	for (size_t i = 0; i < n; i++)
		if (matches(&list[i], word, joined)) {
			*value = list[i].form == VALUE;
			return true;
		}
	return false;
}

/* A word that is no option. The compiler and the linker read the file of a word that begins with @
 * as more words. A value that looks like an option could be read as one. */
static bool is_plain(const char *word)
{
	return *word != '-' && *word != '@';
}

/* An absolute path that the compiler passes to the linker: the suffix of another file would make it
 * run a compiler for that language. */
static bool is_library(const char *word)
{
	const char *name = strrchr(word, '/'), *at;

	if (*word != '/')
		return false;
	at = strstr(name, ".so");
	for (; at; at = strstr(at + 1, ".so"))
		if (!at[3 + strspn(at + 3, ".0123456789")])
			return true;
	return !strchr(name, '.');
}

bool link_word_is_code(const char *word)
{
	bool value;

	return is_listed(code, ARRAY_SIZE(code), word, false, &value);
}

static bool linker_word_fits(struct expected *e, const char *word, bool joined)
{
	e->linker = false;
	if (e->linker_value) {
		e->linker_value = false;
		return joined ? !*word : is_plain(word) && *word;
	}
	return is_listed(linker, ARRAY_SIZE(linker), word, joined, &e->linker_value);
}

static bool word_fits(struct expected *e, const char *word, bool joined)
{
	if (e->linker)
		return linker_word_fits(e, word, joined);
	if (e->value) {
		e->value = false;
		return joined ? !*word : is_plain(word) && *word;
	}
	if (!joined && !strcmp(word, "-Xlinker")) {
		e->linker = true;
		return true;
	}
	if (e->linker_value) /* another word stands between an option of the linker and its value */
		return false;
	if (is_plain(word)) /* a shared library, or a script from the container */
		return joined ? !*word : is_library(word);
	return is_listed(compiler, ARRAY_SIZE(compiler), word, joined, &e->value);
}

static const char *find_wrong_word(const struct recipe *r)
{
	struct expected e = {0};

	vec_each (&r->words, i) {
		const struct recipe_word *w = &r->words.at[i];

		if (w->kind == RECIPE_PARTS) {
			if (e.linker || e.value || e.linker_value)
				return r->words.at[i - 1].text;
			continue;
		}
		if (!word_fits(&e, w->text, w->kind == RECIPE_FILE))
			return w->text;
		if (w->kind == RECIPE_FILE && !member_is_own(w->member))
			return w->member;
	}
	return e.linker || e.value || e.linker_value ? vec_last(&r->words).text : NULL;
}

const char *link_words_wrong(const struct recipe *r)
{
	vec_each (&r->units, i)
		if (r->units.at[i].why && *r->units.at[i].member &&
			!member_is_own(r->units.at[i].member))
			return r->units.at[i].member;
	return find_wrong_word(r);
}
