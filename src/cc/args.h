/*
 * The command line of a compiler, parsed as far as the driver needs it: which words are inputs and
 * in which language, what the command does, and what each option means for the second compile
 * (bitcode) and for a later link. options.def is the table of options. Response files are expanded
 * here; the compiler itself always gets the words as the user wrote them. Lifetime: the arena of
 * struct cc_args, freed by cc_args_release().
 */
#ifndef HEDDLE_CC_ARGS_H
#define HEDDLE_CC_ARGS_H

#include "base/arena.h"
#include "base/vec.h"
#include "object/spawn.h"

enum cc_form { CC_FLAG, CC_PREFIX, CC_VALUE, CC_EITHER };

enum cc_trait {
	CC_PASS = 1 << 0,
	CC_COMPILE = 1 << 1,
	CC_OUTPUT = 1 << 2,
	CC_LANGUAGE = 1 << 3,
	CC_SHARED = 1 << 4,
	CC_PARTIAL = 1 << 5,
	CC_LINKER = 1 << 6,
	CC_NATIVE = 1 << 7,
	CC_AGAIN = 1 << 8,
	CC_SUPPORT = 1 << 9,
	CC_LIBRARY = 1 << 10,
	CC_LIBDIR = 1 << 11,
	CC_WL = 1 << 12,
	CC_XLINKER = 1 << 13,
	CC_SAVE = 1 << 14,
};

enum cc_lang {
	CC_L_OBJECT, /* for the linker: objects, archives, shared libraries, scripts */
	CC_L_C,
	CC_L_CXX,
	CC_L_ASM,
	CC_L_IR,
	CC_L_OTHER, /* headers to precompile, Objective-C, … */
};

struct cc_arg {
	const char *text;  /* the word */
	const char *value; /* of an option: the rest of the word, or the next word; NULL = none */
	bool separate;     /* value is a word of its own */
	bool either;       /* value may be a word of its own */
	bool input;
	enum cc_lang lang; /* of an input */
	unsigned traits;   /* of an option */
};

struct cc_args {
	struct arena arena;
	VEC(struct cc_arg) at;
	unsigned traits;    /* of all options together */
	const char *output; /* the last -o, or NULL */
	uint32_t nsources;  /* inputs that are compiled */
	uint32_t ninputs;
	bool other; /* an input of CC_L_OTHER */
	bool from_stdin;
};

/* -1 after error_(): a response file that cannot be read. */
int cc_args_parse(struct cc_args *a, int argc, char **argv);
void cc_args_release(struct cc_args *a);

static inline bool cc_arg_is_source(const struct cc_arg *x)
{
	return x->input && x->lang != CC_L_OBJECT;
}

/* Appends the words that compile the source at[which] alone, with the options of the whole command
 * except -c, -o and those that have a trait of `without`. */
void cc_args_compile(const struct cc_args *a, uint32_t which, unsigned without, struct words *out);

#endif
