#include "cc/args.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct option {
	const char *text;
	enum cc_form form;
	unsigned traits;
};

#define FLAG     CC_FLAG
#define PREFIX   CC_PREFIX
#define VALUE    CC_VALUE
#define EITHER   CC_EITHER
#define PASS     CC_PASS
#define COMPILE  CC_COMPILE
#define OUTPUT   CC_OUTPUT
#define LANGUAGE CC_LANGUAGE
#define SHARED   CC_SHARED
#define PARTIAL  CC_PARTIAL
#define LINKER   CC_LINKER
#define NATIVE   CC_NATIVE
#define AGAIN    CC_AGAIN
#define SUPPORT  CC_SUPPORT
#define LIBRARY  CC_LIBRARY
#define LIBDIR   CC_LIBDIR
#define WL       CC_WL
#define XLINKER  CC_XLINKER
#define SAVE     CC_SAVE
static const struct option options[] = {
#define OPTION(text, form, traits) {text, form, traits},
#include "cc/options.def"
#undef OPTION
};

/* The option with the longest text that the word matches, or NULL. */
static const struct option *find_option(const char *word)
{
	const struct option *best = NULL;
	size_t best_n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const struct option *o = &options[i];
		size_t n = strlen(o->text);

		if (n < best_n || strncmp(word, o->text, n))
			continue;
		if (word[n] && (o->form == CC_FLAG || o->form == CC_VALUE))
			continue;
		best = o;
		best_n = n;
	}
	return best;
}

/* ---- languages --------------------------------------------------------------------------- */

static enum cc_lang language_of_suffix(const char *path)
{
	static const struct {
		const char *suffix;
		enum cc_lang lang;
	} table[] = {
		{"c", CC_L_C}, {"i", CC_L_C}, {"C", CC_L_CXX}, {"cc", CC_L_CXX}, {"cp", CC_L_CXX},
		{"cpp", CC_L_CXX}, {"CPP", CC_L_CXX}, {"cxx", CC_L_CXX}, {"CXX", CC_L_CXX},
		{"c++", CC_L_CXX}, {"C++", CC_L_CXX}, {"ii", CC_L_CXX}, {"s", CC_L_ASM},
		{"S", CC_L_ASM}, {"sx", CC_L_ASM}, {"asm", CC_L_ASM}, {"bc", CC_L_IR},
		{"ll", CC_L_IR}, {"h", CC_L_OTHER}, {"hh", CC_L_OTHER}, {"hpp", CC_L_OTHER},
		{"m", CC_L_OTHER}, {"mi", CC_L_OTHER}, {"mm", CC_L_OTHER}, {"cu", CC_L_OTHER},
		{"pcm", CC_L_OTHER}, {"cppm", CC_L_OTHER},
	};
	const char *dot = strrchr(path_base(path), '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(table); i++)
		if (!strcmp(dot + 1, table[i].suffix))
			return table[i].lang;
	return CC_L_OBJECT;
}

static enum cc_lang language_of(const char *named, const char *path)
{
	if (!named || !strcmp(named, "none"))
		return language_of_suffix(path);
	if (!strcmp(named, "c") || !strcmp(named, "cpp-output"))
		return CC_L_C;
	if (!strcmp(named, "c++") || !strcmp(named, "c++-cpp-output"))
		return CC_L_CXX;
	if (!strncmp(named, "assembler", 9))
		return CC_L_ASM;
	return !strcmp(named, "ir") ? CC_L_IR : CC_L_OTHER;
}

/* ---- response files ---------------------------------------------------------------------- */

/* The next word, with quotes and backslashes as in a shell. NULL at the end of the text. */
static const char *next_word(struct arena *arena, const char **text)
{
	struct strbuf word = {0};
	const char *p = *text, *copy;
	char quote = 0;

	while (isspace((unsigned char)*p))
		p++;
	if (!*p)
		return NULL;
	strbuf_adds(&word, "");
	for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
		if (quote && *p == quote)
			quote = 0;
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
		else if (*p == '\\' && quote != '\'' && p[1])
			strbuf_addc(&word, *++p);
		else
			strbuf_addc(&word, *p);
	}
	*text = p;
	copy = arena_strndup(arena, word.s, word.n);
	strbuf_release(&word);
	return copy;
}

/* As in the compiler, "@file" is an ordinary word if the file does not exist. */
static int expand_word(struct cc_args *a, const char *word, struct words *out, int depth)
{
	struct strbuf text = {0};
	const char *p, *inner;
	int rc = 0;

	if (word[0] != '@' || !file_is_regular(word + 1)) {
		vec_push(out, word);
		return 0;
	}
	if (depth > 16)
		return error_at((struct diag_pos){.file = word + 1}, "the response file includes itself");
	if (strbuf_read_file(&text, word + 1)) {
		rc = error_at((struct diag_pos){.file = word + 1}, "cannot read response file: %s",
			strerror(errno));
	} else {
		p = text.s;
		while (!rc && (inner = next_word(&a->arena, &p)))
			rc = expand_word(a, inner, out, depth + 1);
	}
	strbuf_release(&text);
	return rc;
}

/* ---- parsing ----------------------------------------------------------------------------- */

static void add_input(struct cc_args *a, const char *path, const char *language)
{
	struct cc_arg *x = vec_add(&a->at);

	x->text = path;
	x->input = true;
	x->lang = language_of(language, path);
	if (!strcmp(path, "-")) {
		a->from_stdin = true;
		if (!language)
			x->lang = CC_L_OTHER;
	}
	a->ninputs++;
	a->nsources += x->lang != CC_L_OBJECT;
	a->other |= x->lang == CC_L_OTHER;
}

static void add_option(struct cc_args *a, const struct words *w, uint32_t *i)
{
	const char *word = w->at[*i];
	const struct option *o = find_option(word);
	struct cc_arg *x = vec_add(&a->at);
	size_t n;

	x->text = word;
	if (!o)
		return;
	n = strlen(o->text);
	x->traits = o->traits;
	x->either = o->form == CC_VALUE || o->form == CC_EITHER;
	a->traits |= o->traits;
	if (word[n]) {
		x->value = word + n;
	} else if ((o->form == CC_VALUE || o->form == CC_EITHER) && *i + 1 < w->n) {
		x->value = w->at[++*i];
		x->separate = true;
	}
}

int cc_args_parse(struct cc_args *a, int argc, char **argv)
{
	const char *language = NULL;
	struct words w = {0};
	bool only_inputs = false;
	int rc = 0;

	*a = (struct cc_args){0};
	arena_init(&a->arena);
	for (int i = 1; i < argc && !rc; i++)
		rc = expand_word(a, argv[i], &w, 0);
	for (uint32_t i = 0; i < w.n && !rc; i++) {
		if (!only_inputs && !strcmp(w.at[i], "--")) {
			only_inputs = true;
		} else if (only_inputs || w.at[i][0] != '-' || !w.at[i][1]) {
			add_input(a, w.at[i], language);
		} else {
			add_option(a, &w, &i);
			if (vec_last(&a->at).traits & CC_LANGUAGE)
				language = vec_last(&a->at).value;
			if (vec_last(&a->at).traits & CC_OUTPUT)
				a->output = vec_last(&a->at).value;
		}
	}
	vec_release(&w);
	return rc;
}

void cc_args_release(struct cc_args *a)
{
	vec_release(&a->at);
	arena_release(&a->arena);
}

static void words_add(struct words *w, const struct cc_arg *arg)
{
	vec_push(w, arg->text);
	if (arg->separate)
		vec_push(w, arg->value);
}

void cc_args_compile(const struct cc_args *a, uint32_t which, unsigned without,
	struct words *out)
{
	vec_each (&a->at, i) {
		const struct cc_arg *x = &a->at.at[i];

		if (x->input ? i == which : !(x->traits & (without | CC_COMPILE | CC_OUTPUT)))
			words_add(out, x);
	}
}
