/* The options of a run: those of the caller, the finding's, and the inputs of its test case. */
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "finding/testcase.h"
#include "image/image.h"
#include "replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the environment ------------------------------------------------------------------------- */

static bool is_given(const struct testcase *tc, const char *entry)
{
	vec_each (&tc->inputs, i) {
		const char *name = tc->inputs.at[i].name;
		size_t n = strlen(name);

		if (!strncmp(name, "env:", 4) && !strncmp(entry, name + 4, n - 4) &&
			entry[n - 4] == '=')
			return true;
	}
	return false;
}

void environment_add(struct environment *e, const struct testcase *tc)
{
	vec_each (&tc->inputs, i) {
		const struct testcase_input *in = &tc->inputs.at[i];

		if (!strncmp(in->name, "env:", 4))
			vec_push(e,
				xasprintf("%s=%.*s", in->name + 4, (int)in->n, (char *)in->bytes));
	}
}

void environment_init(struct environment *e, const struct testcase *tc)
{
	*e = (struct environment){0};
	for (char **at = environ; at && *at; at++)
		if (!is_given(tc, *at))
			vec_push(e, xstrdup(*at));
	environment_add(e, tc);
	vec_push(e, NULL);
}

void environment_release(struct environment *e)
{
	vec_each (e, i)
		free(e->at[i]);
	vec_release(e);
}

/* ---- inputs of a test case ------------------------------------------------------------------- */

/* Variables with which the dynamic linker or the C library loads code, and those of heddle. A name
 * that a shell does not accept is refused, too: a program that sets the environment could read it
 * as an option. */
static bool is_refused(const char *variable)
{
	static const char *const prefixes[] = {
		"LD_", "HEDDLE_", "GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH"};
	size_t n =
		strspn(variable, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (!n || variable[n] || (*variable >= '0' && *variable <= '9'))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

const char *replay_cannot_give(const struct testcase *tc)
{
	vec_each (&tc->inputs, i) {
		const char *name = tc->inputs.at[i].name;

		if (!strncmp(name, "syscall:", 8) ||
			(!strncmp(name, "env:", 4) && is_refused(name + 4)))
			return name;
	}
	return NULL;
}

static char *keep_text(struct replay_setup *s, char *text)
{
	vec_push(&s->texts, text);
	return text;
}

static int write_file(const char *path, const void *bytes, uint64_t n)
{
	return file_write(path, bytes, n, false)
		       ? error_("cannot write '%s': %s", path, strerror(errno))
		       : 0;
}

/* The absolute path, "/here/a" for "./b/../a", without resolving symbolic links: the same rule
 * as in runtime/enforce/inputs.c. */
static char *full_name(const char *cwd, const char *path)
{
	char *here = cwd ? NULL : getcwd(NULL, 0), *rest = NULL;
	char *all = xasprintf("%s/%s", *path == '/' ? "" : cwd ? cwd : here, path);
	struct strbuf b = {0};

	for (char *w = strtok_r(all, "/", &rest); w; w = strtok_r(NULL, "/", &rest)) {
		if (!strcmp(w, "."))
			continue;
		if (strcmp(w, "..")) {
			strbuf_addf(&b, "/%s", w);
			continue;
		}
		while (b.n && b.s[--b.n] != '/')
			;
		if (b.s)
			b.s[b.n] = 0;
	}
	if (!b.n)
		strbuf_addc(&b, '/');
	free(all);
	free(here);
	return strbuf_detach(&b);
}

static int add_file(struct replay_setup *s, const struct testcase_input *in)
{
	char *copy = keep_text(s, xasprintf("%s/f%u", s->dir, s->inputs.n));
	struct replay_input ri = {.kind = SCHED_INPUT_FILE,
		.name = keep_text(s, full_name(s->opt.cwd, in->name + 5)),
		.bytes = copy,
		.n = strlen(copy)};

	vec_push(&s->inputs, ri);
	return write_file(copy, in->bytes, in->n);
}

static int add_input(struct replay_setup *s, const struct testcase_input *in)
{
	const char *name;
	uint32_t nth;
	size_t n;

	if (!strcmp(in->name, "stdin"))
		return write_file(s->opt.input, in->bytes, in->n);
	if (!strncmp(in->name, "file:", 5))
		return add_file(s, in);
	if (testcase_name(in->name, "object", &name, &n, &nth))
		vec_push(&s->inputs, (struct replay_input){.kind = SCHED_INPUT_OBJECT,
					     .name = keep_text(s, xstrndup(name, n)),
					     .nth = nth,
					     .bytes = in->bytes,
					     .n = in->n});
	return 0;
}

/* Writes the inputs to the directory of the run. */
static int give_inputs(struct replay_setup *s, const struct testcase *tc)
{
	const char *missing = replay_cannot_give(tc);

	if (missing)
		return error_(
			"heddle does not pass the input '%s' of the test case to the real program",
			missing);
	s->dir = s->opt.keep ? realpath(s->opt.keep, NULL) : temporary_directory("test");
	if (!s->dir)
		return s->opt.keep ? error_("cannot use '%s': %s", s->opt.keep, strerror(errno))
				   : -1;
	s->opt.input = keep_text(s, xasprintf("%s/stdin", s->dir));
	if (!s->opt.debugger)
		s->opt.output = keep_text(s, xasprintf("%s/stdout", s->dir));
	if (!s->opt.write_files)
		s->opt.private_dir = s->dir;
	s->opt.guard = tc->fate == EXEC_FAULT &&
		       (tc->fault == FAULT_USE_AFTER_FREE || tc->fault == FAULT_OVERFLOW);
	environment_init(&s->env, tc);
	s->opt.envp = s->env.at;
	if (write_file(s->opt.input, "", 0))
		return -1;
	vec_each (&tc->inputs, i)
		if (add_input(s, &tc->inputs.at[i]))
			return -1;
	s->opt.inputs = s->inputs.at;
	s->opt.ninputs = s->inputs.n;
	return 0;
}

/* ---- the setup ------------------------------------------------------------------------------- */

int replay_setup(struct replay_setup *s, const struct finding *f, const struct replay_options *opt)
{
	*s = (struct replay_setup){0};
	if (opt)
		s->opt = *opt;
	vec_each (&f->argv, i)
		vec_push(&s->argv, f->argv.at[i]);
	vec_push(&s->argv, NULL);
	vec_each (&f->exclude, i)
		vec_push(&s->exclude, f->exclude.at[i]);
	vec_push(&s->exclude, NULL);
	if (!s->opt.exe)
		s->opt.exe = f->exe;
	if (!s->opt.argv)
		s->opt.argv = s->argv.at;
	if (!s->opt.cwd)
		s->opt.cwd = f->cwd;
	if (!s->opt.input)
		s->opt.input = f->input;
	if (!s->opt.exclude)
		s->opt.exclude = s->exclude.at;
	if (!s->opt.image && !s->opt.exe)
		return error_("%s names no program", f->name[0] ? f->name : "the finding");
	if (!s->opt.image && !image_cached(&s->image, s->opt.exe, IMAGE_ENFORCE, s->opt.exclude))
		s->opt.image = &s->image;
	return !s->opt.image || (f->test && give_inputs(s, f->test)) ? -1 : 0;
}

void replay_setup_release(struct replay_setup *s)
{
	if (s->dir && !s->opt.keep)
		remove_directory(s->dir);
	vec_each (&s->texts, i)
		free(s->texts.at[i]);
	vec_release(&s->texts);
	vec_release(&s->inputs);
	vec_release(&s->argv);
	vec_release(&s->exclude);
	environment_release(&s->env);
	free(s->dir);
	image_file_release(&s->image);
}
