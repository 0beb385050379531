#include "base/opt.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMN 26

/* ---- did you mean ------------------------------------------------------------------------ */

enum { WORD_MAX = 32 };

/* Edits (insert, delete, replace, swap neighbours) between two short words. */
static uint32_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	uint32_t d[WORD_MAX + 1][WORD_MAX + 1];

	for (size_t i = 0; i <= na; i++)
		d[i][0] = (uint32_t)i;
	for (size_t j = 0; j <= nb; j++)
		d[0][j] = (uint32_t)j;
	for (size_t i = 1; i <= na; i++) {
		for (size_t j = 1; j <= nb; j++) {
			uint32_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			best = MIN(best, MIN(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = MIN(best, d[i - 2][j - 2] + 1);
			d[i][j] = best;
		}
	}
	return d[na][nb];
}

void opt_nearest_init(struct opt_nearest *ne, const char *word)
{
	*ne = (struct opt_nearest){.word = word, .distance = UINT32_MAX};
}

void opt_nearest_offer(struct opt_nearest *ne, const char *name)
{
	size_t nw = strlen(ne->word), nn = strlen(name);
	uint32_t distance;

	if (!nw || nw > WORD_MAX || nn > WORD_MAX)
		return;
	/* a word that begins a name is a good guess, however long the rest of the name is */
	if (nw >= 2 && nn > nw && !memcmp(ne->word, name, nw))
		distance = 1;
	else
		distance = edit_distance(ne->word, nw, name, nn);
	if (distance < ne->distance && distance <= 1 + nw / 4) {
		ne->distance = distance;
		ne->best = name;
	}
}

/* ---- values ------------------------------------------------------------------------------ */

static int parse_digits(const char *text, char **end, uint64_t *out)
{
	if (!isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	*out = strtoull(text, end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
	return errno ? -1 : 0;
}

int opt_number(const char *what, const char *text, uint64_t lo, uint64_t hi, uint64_t *out)
{
	char *end;

	if (parse_digits(text, &end, out) || *end || *out < lo || *out > hi) {
		if (hi == UINT64_MAX && !lo)
			return error_("%s needs a number, not '%s'", what, text);
		return error_("%s needs a number from %" PRIu64 " to %" PRIu64 ", not '%s'", what,
			lo, hi, text);
	}
	return 0;
}

/* The factor of a unit: "K", "KB", "KiB", …, "B" or nothing; 0 if s is not a unit. */
static uint64_t size_unit(const char *s)
{
	static const char letters[] = "KMGT";
	uint64_t unit = 1;
	const char *l;

	if (*s && (l = strchr(letters, toupper((unsigned char)*s)))) {
		unit <<= 10 * (l - letters + 1);
		s++;
		if (*s == 'i')
			s++;
	}
	if (*s == 'B')
		s++;
	return *s ? 0 : unit;
}

int opt_size(const char *what, const char *text, uint64_t lo, uint64_t hi, uint64_t *out)
{
	char *end;
	uint64_t n, unit;

	if (parse_digits(text, &end, &n) || !(unit = size_unit(end)))
		return error_("%s needs a size such as 4096, 64K, 2M or 1G, not '%s'", what, text);
	if (__builtin_mul_overflow(n, unit, out) || *out < lo || *out > hi)
		return error_("%s of '%s' is out of range (%" PRIu64 " to %" PRIu64 " bytes)", what,
			text, lo, hi);
	return 0;
}

static int parse_choice(const char *what, const char *words, const char *text, int *out)
{
	size_t n = strlen(text);
	int k = 0;

	for (const char *w = words;; k++) {
		size_t len = strcspn(w, "|");

		if (len == n && !memcmp(w, text, n)) {
			*out = k;
			return 0;
		}
		if (!w[len])
			break;
		w += len + 1;
	}
	return error_("%s needs one of %s, not '%s'", what, words, text);
}

static int store_value(const struct opt *o, void *out, const char *what, const char *text)
{
	void *field = (char *)out + o->field;

	switch (o->kind) {
	case OPT_K_FLAG: *(bool *)field = true; return 0;
	case OPT_K_NUMBER: return opt_number(what, text, o->lo, o->hi, field);
	case OPT_K_SIZE: return opt_size(what, text, o->lo, o->hi, field);
	case OPT_K_STRING: *(const char **)field = text; return 0;
	case OPT_K_LIST: vec_push((struct opt_list *)field, text); return 0;
	case OPT_K_CHOICE: return parse_choice(what, o->value, text, field);
	case OPT_K_END: break;
	}
	BUG("option of kind %d", o->kind);
}

/* ---- parsing ----------------------------------------------------------------------------- */

static int unknown_long(const struct opt *opts, const char *name, size_t n)
{
	struct opt_nearest ne;
	char *word = xstrndup(name, n);

	opt_nearest_init(&ne, word);
	opt_nearest_offer(&ne, "help");
	for (const struct opt *o = opts; o->kind; o++)
		opt_nearest_offer(&ne, o->name);
	if (ne.best)
		error_("unknown option '--%s' (did you mean '--%s'?)", word, ne.best);
	else
		error_("unknown option '--%s' (-h lists them)", word);
	free(word);
	return OPT_ERROR;
}

/* argv[i] is "--name" or "--name=value". Returns how many words it took, or OPT_*. */
static int parse_long(const struct opt *opts, void *out, int i, int argc, char **argv)
{
	const char *name = argv[i] + 2, *eq = strchr(name, '='), *text = eq ? eq + 1 : NULL;
	size_t n = eq ? (size_t)(eq - name) : strlen(name);
	const struct opt *o = opts;
	char what[WORD_MAX + 16];
	int took = 1;

	while (o->kind && (strncmp(o->name, name, n) || o->name[n]))
		o++;
	if (!o->kind && !strcmp(name, "help"))
		return OPT_HELP;
	if (!o->kind && n == 4 && !strncmp(name, "help", n)) {
		error_("option '--help' takes no value");
		return OPT_ERROR;
	}
	if (!o->kind)
		return unknown_long(opts, name, n);
	snprintf(what, sizeof what, "option '--%s'", o->name);
	if (o->kind == OPT_K_FLAG && text) {
		error_("%s takes no value", what);
		return OPT_ERROR;
	}
	if (o->kind != OPT_K_FLAG && !text) {
		if (i + 1 >= argc) {
			error_("%s needs a value (%s)", what, o->value);
			return OPT_ERROR;
		}
		text = argv[i + 1];
		took = 2;
	}
	return store_value(o, out, what, text) ? OPT_ERROR : took;
}

/* argv[i] is "-abc": joined flags, the last of which may take the rest or the next word. */
static int parse_short(const struct opt *opts, void *out, int i, int argc, char **argv)
{
	for (const char *s = argv[i] + 1; *s; s++) {
		const struct opt *o = opts;
		char what[32];
		const char *text;

		while (o->kind && o->letter != *s)
			o++;
		if (!o->kind && *s == 'h')
			return OPT_HELP;
		if (!o->kind) {
			error_("unknown option '-%c' (-h lists them)", *s);
			return OPT_ERROR;
		}
		snprintf(what, sizeof what, "option '-%c'", *s);
		if (o->kind == OPT_K_FLAG) {
			store_value(o, out, what, NULL);
			continue;
		}
		text = s[1] ? s + 1 : i + 1 < argc ? argv[i + 1] : NULL;
		if (!text) {
			error_("%s needs a value (%s)", what, o->value);
			return OPT_ERROR;
		}
		if (store_value(o, out, what, text))
			return OPT_ERROR;
		return s[1] ? 1 : 2;
	}
	return 1;
}

/* Moves argv[i .. i+n) in front of the operands that start at `to`. */
static void move_up(char **argv, int to, int i, int n)
{
	for (; n--; to++, i++) {
		char *word = argv[i];

		memmove(argv + to + 1, argv + to, (size_t)(i - to) * sizeof *argv);
		argv[to] = word;
	}
}

int opt_parse(const struct opt *opts, void *out, int argc, char **argv, unsigned flags)
{
	int operands = 1; /* [operands, i) are operands met so far */

	for (int i = 1; i < argc;) {
		int took;

		if (argv[i][0] != '-' || !argv[i][1]) {
			if (!(flags & OPT_PERMUTE))
				return i;
			i++;
			continue;
		}
		if (!strcmp(argv[i], "--")) {
			move_up(argv, operands, i, 1);
			return operands + 1;
		}
		if (argv[i][1] == '-')
			took = parse_long(opts, out, i, argc, argv);
		else
			took = parse_short(opts, out, i, argc, argv);
		if (took < 0)
			return took;
		move_up(argv, operands, i, took);
		operands += took;
		i += took;
	}
	return operands;
}

/* ---- help -------------------------------------------------------------------------------- */

static void help_line(struct strbuf *out, const char *head, const char *help)
{
	strbuf_addf(out, "  %-*s", HELP_COLUMN - 2, head);
	if (strlen(head) > HELP_COLUMN - 4)
		strbuf_addf(out, "\n%*s", HELP_COLUMN, "");
	for (;;) {
		size_t n = strcspn(help, "\n");

		strbuf_add(out, help, n);
		strbuf_addc(out, '\n');
		if (!help[n])
			return;
		strbuf_addf(out, "%*s", HELP_COLUMN, "");
		help += n + 1;
	}
}

void opt_help(struct strbuf *out, const struct opt *opts)
{
	struct strbuf head = {0};

	for (const struct opt *o = opts; o->kind; o++) {
		strbuf_clear(&head);
		if (o->letter)
			strbuf_addf(&head, "-%c, ", o->letter);
		else
			strbuf_adds(&head, "    ");
		strbuf_addf(&head, "--%s", o->name);
		if (o->value)
			strbuf_addf(&head, "=%s", o->value);
		help_line(out, head.s, o->help);
	}
	help_line(out, "-h, --help", "show this help");
	strbuf_release(&head);
}
