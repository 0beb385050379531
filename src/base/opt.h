/*
 * Command-line options from one table: parsing, --help, completions and the man pages read the
 * same struct opt array, which ends in OPT_END.
 *
 *	struct args { uint64_t seed; bool stats; };
 *	static const struct opt opts[] = {
 *		OPT_NUMBER('s', "seed", struct args, seed, "N", 0, UINT64_MAX, "schedule number"),
 *		OPT_FLAG(0, "stats", struct args, stats, "print statistics"),
 *		OPT_END,
 *	};
 *
 * Values go to the fields of the caller's struct, whose contents before the call are the defaults.
 * Strings point into argv. Written --name=value, --name value, -nvalue or -n value; short flags may
 * be joined. `--` ends the options; so does the first operand, unless OPT_PERMUTE is set. A
 * later value replaces an earlier one, except in a list. Every table has -h and --help.
 */
#ifndef HEDDLE_BASE_OPT_H
#define HEDDLE_BASE_OPT_H

#include "base/strbuf.h"

enum opt_kind {
	OPT_K_END,
	OPT_K_FLAG,   /* bool */
	OPT_K_NUMBER, /* uint64_t within lo..hi */
	OPT_K_SIZE,   /* uint64_t bytes within lo..hi: 4096, 64K, 2M, 1G, 1T (powers of 1024) */
	OPT_K_STRING, /* const char * */
	OPT_K_LIST,   /* struct opt_list: may be repeated */
	OPT_K_CHOICE, /* int: index into the words of `value`, "sync|access" */
};

struct opt_list { /* a vector for vec.h, owned by the caller's struct */
	const char **at;
	uint32_t n, cap;
};

struct opt {
	enum opt_kind kind;
	char letter;       /* 0 = none */
	const char *name;  /* without the dashes */
	size_t field;      /* offset in the caller's struct */
	const char *value; /* name of the value in help, or the words of a choice */
	uint64_t lo, hi;
	const char *help; /* lower case, no full stop; a newline starts another line of help */
};

/* The offset of a field; a compile error if the field does not have type T. */
#define OPT_FIELD_(S, f, T)                                                                        \
	(offsetof(S, f) + 0 * sizeof(char[_Generic(((S *)0)->f, T: 1, default: -1)]))

#define OPT_FLAG(letter, name, S, f, help)                                                         \
	{OPT_K_FLAG, letter, name, OPT_FIELD_(S, f, bool), NULL, 0, 0, help}
#define OPT_NUMBER(letter, name, S, f, value, lo, hi, help)                                        \
	{OPT_K_NUMBER, letter, name, OPT_FIELD_(S, f, uint64_t), value, lo, hi, help}
#define OPT_SIZE(letter, name, S, f, lo, hi, help)                                                 \
	{OPT_K_SIZE, letter, name, OPT_FIELD_(S, f, uint64_t), "SIZE", lo, hi, help}
#define OPT_STRING(letter, name, S, f, value, help)                                                \
	{OPT_K_STRING, letter, name, OPT_FIELD_(S, f, const char *), value, 0, 0, help}
#define OPT_LIST(letter, name, S, f, value, help)                                                  \
	{OPT_K_LIST, letter, name, OPT_FIELD_(S, f, struct opt_list), value, 0, 0, help}
#define OPT_CHOICE(letter, name, S, f, words, help)                                                \
	{OPT_K_CHOICE, letter, name, OPT_FIELD_(S, f, int), words, 0, 0, help}
#define OPT_END {OPT_K_END, 0, NULL, 0, NULL, 0, 0, NULL}

enum { OPT_PERMUTE = 1 << 0 }; /* options may follow operands, which are moved to the end of argv */
enum { OPT_ERROR = -1, OPT_HELP = -2 };

/*
 * Parses argv[1..argc-1] (argv[0] is the command's name). Returns the index of the first operand
 * (argc if there is none), OPT_HELP when -h or --help was met, or OPT_ERROR after error_().
 */
int opt_parse(const struct opt *opts, void *out, int argc, char **argv, unsigned flags);

/* The options as lines of help, aligned, -h included. */
void opt_help(struct strbuf *out, const struct opt *opts);

/* Parse one value that is not in argv, with the same messages; `what` is the subject of the
 * message, for example "'--seed'". -1 after error_(). */
int opt_number(const char *what, const char *text, uint64_t lo, uint64_t hi, uint64_t *out);
int opt_size(const char *what, const char *text, uint64_t lo, uint64_t hi, uint64_t *out);

/* "did you mean": offer each known name; `best` is then the most similar one, or NULL if no name is
 * similar enough. */
struct opt_nearest {
	const char *word;
	const char *best;
	uint32_t distance; /* edits from word to best */
};
void opt_nearest_init(struct opt_nearest *ne, const char *word);
void opt_nearest_offer(struct opt_nearest *ne, const char *name);

#endif
