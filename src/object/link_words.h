/*
 * Which words a recipe may have (link_words.def). The recipe comes with the executable, which may be
 * from elsewhere, and its words go to the compiler: a word that could run code or write a file other
 * than the image is refused. heddle-cc writes only recipes that pass.
 */
#ifndef HEDDLE_OBJECT_LINK_WORDS_H
#define HEDDLE_OBJECT_LINK_WORDS_H

#include "object/recipe.h"

/* The first word that is not allowed, or whose value is missing; NULL if there is none. Also checks
 * the names of members, which must be those that heddle-cc gives (member_is_own()). */
const char *link_words_wrong(const struct recipe *r);

/* Whether the generation of code needs this word of a recipe, too. Such a word has no value after
 * it. */
bool link_word_is_code(const char *word);

/* Whether the name is one that heddle-cc gives to a member of the container: a number and ".o", ".a"
 * or ".txt". Such a name is a file in the directory that it is written to, and nothing else. */
bool member_is_own(const char *name);

#endif
