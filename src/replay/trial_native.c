#include "replay/trial_native.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/vec.h"
#include "image/image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

void environment_init(struct environment *e, const struct testcase *tc)
{
	*e = (struct environment){0};
	for (char **at = environ; at && *at; at++)
		if (!is_given(tc, *at))
			vec_push(e, xstrdup(*at));
	vec_each (&tc->inputs, i) {
		const struct testcase_input *in = &tc->inputs.at[i];

		if (!strncmp(in->name, "env:", 4))
			vec_push(e,
				xasprintf("%s=%.*s", in->name + 4, (int)in->n, (char *)in->bytes));
	}
	vec_push(e, NULL);
}

void environment_release(struct environment *e)
{
	vec_each (e, i)
		free(e->at[i]);
	vec_release(e);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

struct setup {
	const struct testcase *tc;
	const char *dir; /* directory for input, output and files of the run */
	struct environment env;
	VEC(char *) argv; /* NULL at the end */
	VEC(struct replay_input) inputs;
	VEC(char *) texts; /* strings that `inputs` refers to, owned */
	char *input, *output;
};

static char *keep_text(struct setup *s, char *text)
{
	vec_push(&s->texts, text);
	return text;
}

static int write_file(const char *path, const void *bytes, uint64_t n)
{
	FILE *f = fopen(path, "we");
	bool written = f && fwrite(bytes, 1, n, f) == n;

	if ((f && fclose(f)) || !written)
		return error_("cannot write '%s': %s", path, strerror(errno));
	return 0;
}

/* The absolute path, "/here/a" for "./b/../a", without resolving symbolic links: the same rule
 * as in runtime/enforce/inputs.c. */
static char *full_name(const char *path)
{
	char *cwd = *path == '/' ? NULL : getcwd(NULL, 0);
	char *all = xasprintf("%s/%s", cwd ? cwd : "", path), *rest = NULL;
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
	free(cwd);
	return strbuf_detach(&b);
}

static int add_file(struct setup *s, const struct testcase_input *in)
{
	char *copy = keep_text(s, xasprintf("%s/f%u", s->dir, s->inputs.n));
	struct replay_input ri = {.kind = SCHED_INPUT_FILE,
		.name = keep_text(s, full_name(in->name + 5)),
		.bytes = copy,
		.n = strlen(copy)};

	vec_push(&s->inputs, ri);
	return write_file(copy, in->bytes, in->n);
}

static int add_input(struct setup *s, const struct testcase_input *in)
{
	const char *name;
	uint32_t nth;
	size_t n;

	if (!strcmp(in->name, "stdin"))
		return write_file(s->input, in->bytes, in->n);
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

static int setup_init(struct setup *s)
{
	s->input = xasprintf("%s/stdin", s->dir);
	s->output = xasprintf("%s/stdout", s->dir);
	environment_init(&s->env, s->tc);
	vec_each (&s->tc->argv, i)
		vec_push(&s->argv, s->tc->argv.at[i]);
	vec_push(&s->argv, NULL);
	if (write_file(s->input, "", 0))
		return -1;
	vec_each (&s->tc->inputs, i)
		if (add_input(s, &s->tc->inputs.at[i]))
			return -1;
	return 0;
}

static void setup_release(struct setup *s)
{
	vec_each (&s->texts, i)
		free(s->texts.at[i]);
	vec_release(&s->texts);
	vec_release(&s->inputs);
	vec_release(&s->argv);
	environment_release(&s->env);
	free(s->input);
	free(s->output);
}

const char *native_cannot(const struct testcase *tc)
{
	vec_each (&tc->inputs, i)
		if (!strncmp(tc->inputs.at[i].name, "syscall:", 8))
			return tc->inputs.at[i].name;
	return NULL;
}

/* ---- the run --------------------------------------------------------------------------------- */

static int run(struct native *nv, struct setup *s, struct trial_program *tp,
	const struct finding *schedule, const struct trial_options *opt)
{
	struct replay_options ro = {.exe = tp->exe,
		.argv = s->argv.at,
		.input = s->input,
		.output = s->output,
		.envp = s->env.at,
		.inputs = s->inputs.at,
		.ninputs = s->inputs.n,
		.private_dir = opt->write_files ? NULL : s->dir,
		.guard = s->tc->fate == EXEC_FAULT &&
			 (s->tc->fault == FAULT_USE_AFTER_FREE || s->tc->fault == FAULT_OVERFLOW),
		.quiet = !opt->show,
		.seconds = opt->seconds};

	if (!tp->image)
		tp->image = image_cached(tp->exe, IMAGE_ENFORCE, NULL);
	if (!tp->image)
		return -1;
	ro.image = tp->image;
	if (replay_run(&ro, schedule, &nv->res))
		return -1;
	if (strbuf_read_file(&nv->output, s->output)) {
		replay_result_release(&nv->res);
		return error_("cannot read '%s': %s", s->output, strerror(errno));
	}
	if (opt->show)
		fwrite(nv->output.s, 1, nv->output.n, stdout);
	return 0;
}

int native_run(struct native *nv, const struct testcase *tc, struct trial_program *tp,
	const struct finding *schedule, const struct trial_options *opt)
{
	char *dir = opt->keep ? realpath(opt->keep, NULL) : temporary_directory("test");
	struct setup s = {.tc = tc, .dir = dir};
	int rc;

	*nv = (struct native){0};
	if (!dir)
		return opt->keep ? error_("cannot use '%s': %s", opt->keep, strerror(errno)) : -1;
	rc = setup_init(&s) ? -1 : run(nv, &s, tp, schedule, opt);
	setup_release(&s);
	if (!opt->keep)
		remove_directory(dir);
	free(dir);
	if (rc)
		strbuf_release(&nv->output);
	return rc;
}

void native_release(struct native *nv)
{
	replay_result_release(&nv->res);
	strbuf_release(&nv->output);
}
