/*
 * Any bytes as the recipe of an executable. The words of a recipe that is accepted go to the compiler:
 * whatever they are, none of them loads a plugin, reads more words from a file, chooses another
 * program or another output, and a member is a file of the directory of the image.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"
#include "object/link_words.h"
#include "object/recipe.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

static bool has_prefix(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

static void check_word(const char *word)
{
	static const char *const never[] = {"@", "-fplugin", "-fpass-plugin", "-plugin", "--plugin",
		"-load", "-Xclang", "-mllvm", "-mlink", "-specs", "--specs", "-wrapper", "--config",
		"-fuse-ld", "--ld-path", "-save-temps", "--save-temps", "-cc1", "-x", "-working-directory",
		"-error-handling-script", "--error-handling-script", "-Map", "--Map", "--out", "-dump"};

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		BUG_ON(has_prefix(word, never[i]));
	BUG_ON(!strcmp(word, "-o") || has_prefix(word, "-o=") || has_prefix(word, "-o/"));
}

static void check_member(const char *name)
{
	BUG_ON(strchr(name, '/') || name[0] == '.' || name[0] == '-' || name[0] == '@');
}

static void check_recipe(const struct recipe *r)
{
	vec_each (&r->words, i) {
		const struct recipe_word *w = &r->words.at[i];

		if (w->kind != RECIPE_PARTS)
			check_word(w->text);
		if (w->kind == RECIPE_FILE)
			check_member(w->member);
		if (w->kind == RECIPE_WORD && link_word_is_code(w->text))
			BUG_ON(w->text[0] != '-');
	}
	vec_each (&r->units, i)
		if (r->units.at[i].why && *r->units.at[i].member)
			check_member(r->units.at[i].member);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct recipe r;

	diag_set_sink(ignore, NULL);
	if (!recipe_read(&r, "fuzz", data, n)) {
		if (!link_words_wrong(&r))
			check_recipe(&r);
		recipe_release(&r);
	}
	diag_set_sink(NULL, NULL);
	return 0;
}
