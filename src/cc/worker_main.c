#include "cc/worker_main.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "bitcode/hidden_order.h"
#include "bitcode/merge.h"
#include "bitcode/module.h"
#include "object/fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
	char *name;
	int out; /* descriptor for the unit after clean-up; -1 = none */
};

struct worker_job { /* everything that the driver ordered */
	LLVMContextRef c;
	VEC(struct merge_unit) units;
	VEC(struct job) jobs; /* one for each unit */
	VEC(char *) wrapped;
	struct merge_options opt;
	int merge_out; /* -1 = no merge */
	bool go, failed;
};

static void send_answer(const char *key, const char *a, const char *b)
{
	struct strbuf line = {0};

	if (b)
		fields_add(&line, key, a, b);
	else
		fields_add(&line, key, a);
	/* an error means that the driver has ended: no answer is needed */
	file_write_fd(WORKER_REPORT, line.s, line.n);
	strbuf_release(&line);
}

static void report_unit(const char *key, uint32_t i, const char *text)
{
	char number[16];

	snprintf(number, sizeof number, "%u", i);
	send_answer(key, number, text);
}

static void on_progress(void *ctx, uint32_t i)
{
	(void)ctx;
	report_unit("begin", i, NULL);
}

/* ---- orders --------------------------------------------------------------------------- */

/* The file stays mapped until the process ends: modules are read from it lazily. */
static void add_unit(struct worker_job *w, const struct fields *r)
{
	struct merge_unit *u = vec_add(&w->units);
	struct job *j = vec_add(&w->jobs);
	const char *path = r->field[2];
	uint64_t offset = strtoull(r->field[3], NULL, 10), n = strtoull(r->field[4], NULL, 10);
	struct file_map f;
	int rc;

	j->name = xstrdup(r->field[1]);
	j->out = strcmp(r->field[6], "-") ? atoi(r->field[6]) : -1;
	u->name = j->name;
	u->raw = !strcmp(r->field[5], "1");
	if (!strncmp(path, "fd:", 3))
		rc = file_map_fd(&f, atoi(path + 3));
	else
		rc = file_map(&f, path);
	if (rc)
		u->left = xasprintf("cannot read '%s': %s", path, strerror(errno));
	else if (offset > f.n || n > f.n - offset)
		u->left = xasprintf("'%s' became shorter while it was read", path);
	if (u->left)
		return;
	u->data = f.data + offset;
	u->n = n ? n : f.n - offset;
}

static void read_order(struct worker_job *w, const struct fields *r)
{
	const char *key = r->field[0];

	if (!strcmp(key, "unit"))
		add_unit(w, r);
	else if (!strcmp(key, "wrap")) {
		vec_push(&w->wrapped, xstrdup(r->field[1]));
		w->opt.wrap_own = !strcmp(r->field[2], "1");
	} else if (!strcmp(key, "merge"))
		w->merge_out = atoi(r->field[1]);
	else if (!strcmp(key, "go"))
		w->go = true;
	else if (strcmp(key, "level") || !clean_parse_level(r->field[1], &w->opt.level))
		w->failed = error_("worker: unknown command '%s %s'", key, r->field[1]) < 0;
}

/* ---- the work ---------------------------------------------------------------------------- */

static int write_module(LLVMModuleRef m, int fd)
{
	struct strbuf b = {0};
	int rc;

	module_write(m, &b);
	rc = file_write_fd(fd, b.s, b.n);
	strbuf_release(&b);
	return rc;
}

static void clean_units(struct worker_job *w)
{
	vec_each (&w->units, i) {
		struct merge_unit *u = &w->units.at[i];
		LLVMModuleRef m = NULL;

		if (w->jobs.at[i].out < 0)
			continue;
		on_progress(NULL, i);
		if (!u->left)
			m = merge_load_unit(w->c, u, w->opt.level);
		if (!m)
			continue;
		if (write_module(m, w->jobs.at[i].out))
			u->left = xasprintf("cannot write its bitcode: %s", strerror(errno));
		module_free(m);
	}
}

static void report_extern(const char *name)
{
	send_answer("extern", name, NULL);
}

static void merge_all(struct worker_job *w)
{
	LLVMModuleRef m;

	w->opt.wrapped = (const char *const *)w->wrapped.at;
	w->opt.nwrapped = w->wrapped.n;
	m = merge_units(w->c, w->units.at, w->units.n, &w->opt, on_progress, NULL);
	module_each_extern(m, report_extern);
	hidden_order_insert(m);
	w->failed |= write_module(m, w->merge_out) != 0;
	module_free(m);
}

static void release_job(struct worker_job *w)
{
	vec_each (&w->units, i) {
		free(w->units.at[i].left);
		free(w->units.at[i].source);
		free(w->jobs.at[i].name);
	}
	vec_each (&w->wrapped, i)
		free(w->wrapped.at[i]);
	vec_release(&w->units);
	vec_release(&w->jobs);
	vec_release(&w->wrapped);
	module_context_free(w->c);
}

static void run_job(struct worker_job *w)
{
	clean_units(w);
	if (w->merge_out >= 0)
		merge_all(w);
	vec_each (&w->units, i)
		if (w->units.at[i].left)
			report_unit("left", i, w->units.at[i].left);
		else
			report_unit("taken", i, w->units.at[i].source);
	if (!w->failed)
		send_answer("done", "", NULL);
}

int worker_main(void)
{
	struct worker_job w = {.c = module_context_new(), .opt.level = CLEAN_FULL, .merge_out = -1};
	struct strbuf text = {0};
	struct fields_reader in;
	struct fields r;

	if (strbuf_read_fd(&text, 0))
		return 1;
	in = (struct fields_reader){text.s, text.s + text.n};
	while (fields_next(&in, &r) && !w.failed)
		read_order(&w, &r);
	if (!w.failed && w.go)
		run_job(&w);
	strbuf_release(&text);
	release_job(&w);
	return w.failed;
}
