/*
 * Any finding, as data of the two scripts with which `heddle replay --gdb` starts gdb: it is one
 * string in the script of gdb, and words in the script of the shell, which are those of the finding.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/finding.h"
#include "finding/testcase.h"
#include "replay/gdb.h"
#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char starter[] = "/tmp/heddle/start";

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

/* ---- the script of gdb -------------------------------------------------------------------- */

static size_t count_lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void check_script(const struct finding *f)
{
	static const char before[] = "\nfinding = json.loads(\"";
	static size_t lines;
	struct strbuf b = {0};
	const char *at;

	if (!lines) {
		struct finding *empty = finding_new();

		gdb_script(empty, starter, &b);
		lines = count_lines(b.s);
		finding_free(empty);
		strbuf_clear(&b);
	}
	gdb_script(f, starter, &b);
	BUG_ON(strlen(b.s) != b.n || count_lines(b.s) != lines);
	at = strstr(b.s, before);
	BUG_ON(!at);
	for (at += sizeof before - 1; *at != '"'; at++) {
		BUG_ON((uint8_t)*at < 0x20);
		at += *at == '\\';
	}
	BUG_ON(strncmp(at, "\")\nclass Switches", 17));
	strbuf_release(&b);
}

/* ---- the script of the shell -------------------------------------------------------------- */

struct shell { /* reads the words of a script as a shell does; stops at what is no word */
	const char *at;
	struct strbuf word;
};

/* The next word of the line; false at its end. */
static bool next_word(struct shell *sh)
{
	static const char special[] = "|&;()`\\\"*?[]{}~!#$ \t";

	strbuf_clear(&sh->word);
	while (*sh->at == ' ')
		sh->at++;
	if (*sh->at == '\n')
		return false;
	while (*sh->at && *sh->at != ' ' && *sh->at != '\n') {
		if (!strncmp(sh->at, "\"$@\"", 4)) {
			strbuf_adds(&sh->word, "$@");
			sh->at += 4;
		} else if (*sh->at == '\'') {
			for (sh->at++; *sh->at != '\''; sh->at++) {
				BUG_ON(!*sh->at);
				strbuf_addc(&sh->word, *sh->at);
			}
			sh->at++;
		} else if (!strncmp(sh->at, "\\'", 2)) {
			strbuf_addc(&sh->word, '\'');
			sh->at += 2;
		} else {
			BUG_ON(strchr(special, *sh->at));
			strbuf_addc(&sh->word, *sh->at++);
		}
	}
	return true;
}

static void expect(struct shell *sh, const char *word)
{
	BUG_ON(!next_word(sh) || strcmp(sh->word.s ? sh->word.s : "", word));
}

static void end_line(struct shell *sh)
{
	BUG_ON(next_word(sh) || *sh->at++ != '\n');
}

static void check_starter(const struct finding *f)
{
	static const char head[] = "#!/bin/sh\n";
	VEC(char *) argv = {0};
	struct replay_options opt = {.input = f->input};
	struct environment own = {0};
	struct strbuf b = {0};
	struct shell sh = {0};
	char *input = xasprintf("<%s", f->input ? f->input : "/dev/null");

	vec_push(&argv, "program");
	vec_each (&f->argv, i)
		vec_push(&argv, f->argv.at[i]);
	vec_push(&argv, NULL);
	opt.argv = argv.at;
	gdb_starter(f, &opt, &b);
	BUG_ON(strncmp(b.s, head, sizeof head - 1));
	sh.at = b.s + sizeof head - 1;
	if (f->test)
		environment_add(&own, f->test);
	vec_each (&own, i) {
		expect(&sh, "export");
		expect(&sh, own.at[i]);
		end_line(&sh);
	}
	expect(&sh, "exec");
	expect(&sh, "$@");
	for (uint32_t i = 1; i + 1 < argv.n; i++)
		expect(&sh, argv.at[i]);
	expect(&sh, input);
	end_line(&sh);
	BUG_ON(*sh.at);
	environment_release(&own);
	strbuf_release(&sh.word);
	strbuf_release(&b);
	vec_release(&argv);
	free(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct finding *f;

	diag_set_sink(ignore, NULL);
	f = finding_from_json((const char *)data, n, "input");
	if (f) {
		check_script(f);
		if (!f->test || !replay_cannot_give(f->test))
			check_starter(f);
		finding_free(f);
	}
	diag_set_sink(NULL, NULL);
	return 0;
}
