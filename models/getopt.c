/* getopt, getopt_long and getopt_long_only with permutation and GNU's messages. */
#include "model.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

enum order { PERMUTE, REQUIRE_ORDER, RETURN_IN_ORDER };

/* argv[first_other .. end_other) are arguments that were skipped over, to come after options. */
static struct {
	bool initialized;
	char *next; /* rest of a cluster of short options */
	enum order order;
	int first_other, end_other;
} state;

struct parse {
	int argc;
	char **argv;
	const char *shorts;
	const struct option *longs;
	int *index;
	bool long_only, complain;
};

static int missing(const struct parse *p)
{
	return p->shorts[0] == ':' ? ':' : '?';
}

/* Exchanges the skipped arguments with the options that follow them. */
static void exchange(char **argv)
{
	int others = state.end_other - state.first_other, options = optind - state.end_other;

	for (int i = 0; i < options; i++) {
		char *option = argv[state.end_other + i];
		for (int k = state.end_other + i; k > state.first_other + i; k--)
			argv[k] = argv[k - 1];
		argv[state.first_other + i] = option;
	}
	state.first_other += options;
	state.end_other = state.first_other + others;
}

/* ---- long options ------------------------------------------------------------------------ */

static bool has_prefix(const struct option *o, const char *name, size_t n)
{
	return strncmp(o->name, name, n) == 0;
}

static bool same_effect(const struct option *a, const struct option *b)
{
	return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

static void complain_ambiguous(const struct parse *p, const char *prefix, size_t n, int first)
{
	fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", p->argv[0], prefix,
		state.next);
	for (int i = first; p->longs[i].name; i++)
		if (has_prefix(&p->longs[i], state.next, n) &&
			(i == first || p->long_only ||
				!same_effect(&p->longs[first], &p->longs[i])))
			fprintf(stderr, " '%s%s'", prefix, p->longs[i].name);
	fprintf(stderr, "\n");
}

/* Finds an option by its exact name or unique prefix. -1: none, -2: ambiguous, with a message. */
static int find_long(const struct parse *p, const char *prefix, size_t n)
{
	int found = -1;

	for (int i = 0; p->longs[i].name; i++)
		if (has_prefix(&p->longs[i], state.next, n) && strlen(p->longs[i].name) == n)
			return i;
	for (int i = 0; p->longs[i].name; i++) {
		if (!has_prefix(&p->longs[i], state.next, n))
			continue;
		if (found < 0) {
			found = i;
		} else if (p->long_only || !same_effect(&p->longs[found], &p->longs[i])) {
			if (p->complain)
				complain_ambiguous(p, prefix, n, found);
			return -2;
		}
	}
	return found;
}

static int take_long(const struct parse *p, const char *prefix, int i, char *end)
{
	const struct option *o = &p->longs[i];

	optind++;
	state.next = NULL;
	if (*end == '=') {
		if (!o->has_arg) {
			if (p->complain)
				fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n",
					p->argv[0], prefix, o->name);
			optopt = o->val;
			return '?';
		}
		optarg = end + 1;
	} else if (o->has_arg == required_argument) {
		if (optind >= p->argc) {
			if (p->complain)
				fprintf(stderr, "%s: option '%s%s' requires an argument\n",
					p->argv[0], prefix, o->name);
			optopt = o->val;
			return missing(p);
		}
		optarg = p->argv[optind++];
	}
	if (p->index)
		*p->index = i;
	if (!o->flag)
		return o->val;
	*o->flag = o->val;
	return 0;
}

/* state.next is the name. -1: could be a short option. */
static int long_option(const struct parse *p, const char *prefix)
{
	char *end = state.next;
	int i;

	while (*end && *end != '=')
		end++;
	i = find_long(p, prefix, (size_t)(end - state.next));
	if (i >= 0)
		return take_long(p, prefix, i, end);
	if (i == -1 && p->long_only && p->argv[optind][1] != '-' && strchr(p->shorts, *state.next))
		return -1;
	if (i == -1 && p->complain)
		fprintf(stderr, "%s: unrecognized option '%s%s'\n", p->argv[0], prefix, state.next);
	state.next = NULL;
	optind++;
	optopt = 0;
	return '?';
}

/* ---- short options ----------------------------------------------------------------------- */

static int complain_missing(const struct parse *p, char c)
{
	if (p->complain)
		fprintf(stderr, "%s: option requires an argument -- '%c'\n", p->argv[0], c);
	optopt = c;
	return missing(p);
}

static int short_option(struct parse *p)
{
	char c = *state.next++;
	const char *o = strchr(p->shorts, c);

	if (!*state.next)
		optind++;
	if (!o || c == ':' || c == ';') {
		if (p->complain)
			fprintf(stderr, "%s: invalid option -- '%c'\n", p->argv[0], c);
		optopt = c;
		return '?';
	}
	if (o[0] == 'W' && o[1] == ';' && p->longs) {
		if (!*state.next && optind == p->argc)
			return complain_missing(p, c);
		if (!*state.next)
			state.next = p->argv[optind];
		p->long_only = false;
		return long_option(p, "-W ");
	}
	if (o[1] != ':')
		return c;
	if (*state.next) {
		optarg = state.next;
		optind++;
	} else if (o[2] != ':') {
		if (optind == p->argc) {
			state.next = NULL;
			return complain_missing(p, c);
		}
		optarg = p->argv[optind++];
	}
	state.next = NULL;
	return c;
}

/* ---- the walk over argv ------------------------------------------------------------------ */

static const char *initialize(const char *shorts, bool posix)
{
	if (optind == 0)
		optind = 1;
	state.first_other = state.end_other = optind;
	state.next = NULL;
	state.initialized = true;
	if (*shorts == '-' || *shorts == '+') {
		state.order = *shorts == '-' ? RETURN_IN_ORDER : REQUIRE_ORDER;
		return shorts + 1;
	}
	state.order = posix || getenv("POSIXLY_CORRECT") ? REQUIRE_ORDER : PERMUTE;
	return shorts;
}

static bool is_other(const char *arg)
{
	return arg[0] != '-' || arg[1] == '\0';
}

/* Advances to the next option and returns 0; without one, returns the result of getopt. */
static int advance(const struct parse *p)
{
	if (state.end_other > optind)
		state.end_other = optind;
	if (state.first_other > optind)
		state.first_other = optind;
	if (state.order == PERMUTE) {
		if (state.first_other != state.end_other && state.end_other != optind)
			exchange(p->argv);
		else if (state.end_other != optind)
			state.first_other = optind;
		while (optind < p->argc && is_other(p->argv[optind]))
			optind++;
		state.end_other = optind;
	}
	if (optind != p->argc && strcmp(p->argv[optind], "--") == 0) {
		optind++;
		if (state.first_other != state.end_other && state.end_other != optind)
			exchange(p->argv);
		else if (state.first_other == state.end_other)
			state.first_other = optind;
		state.end_other = optind = p->argc;
	}
	if (optind == p->argc) {
		if (state.first_other != state.end_other)
			optind = state.first_other;
		return -1;
	}
	if (is_other(p->argv[optind])) {
		if (state.order == REQUIRE_ORDER)
			return -1;
		optarg = p->argv[optind++];
		return 1;
	}
	return 0;
}

static int next_option(struct parse *p, bool posix)
{
	char *arg;

	if (p->argc < 1)
		return -1;
	optarg = NULL;
	if (optind == 0 || !state.initialized)
		p->shorts = initialize(p->shorts, posix);
	else if (*p->shorts == '-' || *p->shorts == '+')
		p->shorts++;
	p->complain = opterr && p->shorts[0] != ':';
	if (!state.next || !*state.next) {
		int r = advance(p);
		if (r)
			return r;
		arg = p->argv[optind];
		if (p->longs && arg[1] == '-') {
			state.next = arg + 2;
			return long_option(p, "--");
		}
		state.next = arg + 1;
		if (p->longs && p->long_only && (arg[2] || !strchr(p->shorts, arg[1]))) {
			r = long_option(p, "-");
			if (r != -1)
				return r;
		}
	}
	return short_option(p);
}

int getopt(int argc, char *const *argv, const char *shorts)
{
	return next_option(
		&(struct parse){.argc = argc, .argv = (char **)argv, .shorts = shorts}, false);
}

int __posix_getopt(int argc, char *const *argv, const char *shorts)
{
	return next_option(
		&(struct parse){.argc = argc, .argv = (char **)argv, .shorts = shorts}, true);
}

int getopt_long(int argc, char *const *argv, const char *shorts, const struct option *longs,
	int *index)
{
	return next_option(&(struct parse){.argc = argc, .argv = (char **)argv, .shorts = shorts,
				   .longs = longs, .index = index}, false);
}

int getopt_long_only(int argc, char *const *argv, const char *shorts, const struct option *longs,
	int *index)
{
	return next_option(&(struct parse){.argc = argc, .argv = (char **)argv, .shorts = shorts,
				   .longs = longs, .index = index, .long_only = true}, false);
}
