#include "cc/link.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "object/attach.h"
#include "cc/link_recipe.h"
#include "object/elf.h"
#include "object/exe.h"
#include "cc/start_hook.h"
#include "cc/link_parts.h"
#include "object/spawn.h"
#include "cc/worker_client.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct link {
	const struct cc_args *a;
	const char *clang, *output;
	char **argv;
	char *hook; /* the object with the start-up hook; NULL = none */
	int input;
	bool traced;            /* the output of the linker has its list of files */
	struct strbuf out, err; /* of the native link */
	struct units us;
	struct parts ps;
	struct worker w;
	int merged; /* memory file */
};

/* ---- the native link --------------------------------------------------------------------- */

/* Runs the command of the user with a few words in front, and keeps its output. */
static int run_native(struct link *l, const char *const *extra, uint32_t n)
{
	int out = memory_file("out"), err = memory_file("err"), status;
	struct spawn s = SPAWN_INIT;
	struct words w = {0};

	vec_push(&w, l->clang);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&w, extra[i]);
	if (l->hook)
		vec_push(&w, l->hook);
	for (char **p = l->argv + 1; *p; p++)
		vec_push(&w, *p);
	vec_push(&w, NULL);
	if (l->input >= 0)
		lseek(l->input, 0, SEEK_SET);
	s.argv = w.at;
	s.in = l->input;
	s.out = out;
	s.err = err;
	status = spawn_run(&s);
	strbuf_clear(&l->out);
	strbuf_clear(&l->err);
	memory_read(out, &l->out);
	memory_read(err, &l->err);
	start_hook_hide(l->hook, &l->out);
	close(out);
	close(err);
	vec_release(&w);
	return status;
}

static bool failed_in_linker(const struct link *l)
{
	return strstr(l->err.s, "linker command failed") || strstr(l->err.s, "-fuse-ld=lld");
}

/* Links with lld, which lists its files. If lld fails, links with the default linker of the
 * compiler, which gives no list. If both fail, the messages of lld are shown. */
static int link_native(struct link *l)
{
	/* the messages go through a file, so colours for a terminal need an option */
	const char *const with_lld[] = {"-fuse-ld=lld", "-Wl,-t", "-fcolor-diagnostics"};
	uint32_t colour = isatty(2) ? 1 : 0;
	struct strbuf out, err;
	int status, again;

	l->traced = !(l->a->traits & CC_LINKER);
	if (!l->traced)
		return run_native(l, with_lld + 2, colour);
	status = run_native(l, with_lld, 2 + colour);
	if (!status || !failed_in_linker(l))
		return status;
	out = l->out;
	err = l->err;
	l->out = l->err = (struct strbuf){0};
	again = run_native(l, with_lld + 2, colour);
	if (!again) {
		l->traced = false;
		status = 0;
	} else {
		strbuf_release(&l->out);
		strbuf_release(&l->err);
		l->out = out;
		l->err = err;
		return status;
	}
	strbuf_release(&out);
	strbuf_release(&err);
	return status;
}

static void find_trace_option(void *ctx, const char *word)
{
	if (!strcmp(word, "-t") || !strcmp(word, "--trace"))
		*(bool *)ctx = true;
}

/* Prints the output of the native link, without the list of files unless the user asked for it. */
static void show_output(struct link *l, const struct strbuf *rest)
{
	bool wanted = false;

	each_linker_word(l->a, find_trace_option, &wanted);
	if (wanted)
		fwrite(l->out.s, 1, l->out.n, stdout);
	else if (rest->n)
		fwrite(rest->s, 1, rest->n, stdout);
	fflush(stdout);
	fwrite(l->err.s, 1, l->err.n, stderr);
}

/* ---- merging ----------------------------------------------------------------------------- */

static void start_worker(struct link *l)
{
	VEC(int) keep = {0};

	vec_push(&keep, l->merged);
	vec_each (&l->us.at, i)
		if (l->us.at.at[i].raw >= 0)
			vec_push(&keep, l->us.at.at[i].raw);
	worker_start(&l->w, keep.at, keep.n);
	vec_release(&keep);
}

static void order_parts(struct link *l)
{
	struct words wrapped = {0};
	struct arena arena;

	arena_init(&arena);
	find_wrapped(l->a, &arena, &wrapped);
	vec_each (&wrapped, i)
		worker_wrap(&l->w, wrapped.at[i], l->traced);
	vec_release(&wrapped);
	arena_release(&arena);
	vec_each (&l->ps.at, i) {
		struct part *p = &l->ps.at.at[i];

		p->work = -1;
		if (p->kind != PART_BITCODE)
			continue;
		p->work = l->w.nunits;
		if (p->unit >= 0)
			worker_unit(&l->w, p->name, NULL, 0, 0, l->us.at.at[p->unit].raw, -1);
		else
			worker_unit(&l->w, p->name, p->bc_path, p->bc_offset, p->bc_n, -1, -1);
	}
	worker_merge(&l->w, l->merged);
}

static void leave_native(struct part *p, const char *why)
{
	p->kind = PART_NATIVE;
	free(p->why);
	p->why = xstrdup(why);
	warn_("'%s' stays native and is not analysed: %s", p->name, why);
}

static struct part *part_of_work(struct link *l, uint32_t unit)
{
	vec_each (&l->ps.at, i)
		if (l->ps.at.at[i].work == unit)
			return &l->ps.at.at[i];
	return NULL;
}

/* False after a warning: nothing was merged. If the worker crashes on a unit, a new worker merges
 * the others. */
static bool merge_parts(struct link *l)
{
	struct part *p;

	for (;;) {
		order_parts(l);
		worker_finish(&l->w);
		if (!l->w.failure)
			break;
		p = l->w.blamed == UINT32_MAX ? NULL : part_of_work(l, l->w.blamed);
		if (!p) {
			warn_("'%s' has no bitcode and is not analysed: %s", l->output,
				l->w.failure);
			return false;
		}
		leave_native(p, l->w.failure);
		worker_release(&l->w);
		if (ftruncate(l->merged, 0) || lseek(l->merged, 0, SEEK_SET))
			BUG("cannot empty a memory file");
		start_worker(l);
	}
	vec_each (&l->ps.at, i) {
		p = &l->ps.at.at[i];
		if (p->work >= 0 && l->w.units.at[p->work].why)
			leave_native(p, l->w.units.at[p->work].why);
	}
	return true;
}

/* ---- results ----------------------------------------------------------------------------- */

static uint32_t count_native(const struct parts *ps)
{
	uint32_t n = 0;

	vec_each (&ps->at, i)
		n += ps->at.at[i].kind == PART_NATIVE;
	return n;
}

static void attach_to_output(struct link *l, const struct attachment *at, uint32_t n, bool exclude)
{
	char *wrong = attach_sections(l->output, at, n, exclude);

	if (wrong)
		warn_("'%s' has no bitcode and is not analysed: %s", l->output, wrong);
	free(wrong);
}

/* An object of `-r` has the bitcode of all its parts or none. */
static void attach_partial(struct link *l, const struct strbuf *bitcode)
{
	static const char why[] = "linked with -r from objects of which some have no bitcode";
	struct attachment at[] = {
		{EXE_BITCODE, bitcode->s, bitcode->n}, {EXE_WHY, why, sizeof why - 1}};

	if (!count_native(&l->ps)) {
		attach_to_output(l, at, 1, true);
		return;
	}
	warn_("'%s' stays native and is not analysed: %s", l->output, why);
	at[0].n = 0;
	attach_to_output(l, at, 2, true);
}

static void attach_program(struct link *l, const struct strbuf *bitcode)
{
	struct strbuf recipe = {0};
	struct container files;
	uint32_t native = count_native(&l->ps);

	container_init(&files);
	link_recipe_write(&l->us, &l->ps, &l->w, &files, &recipe);
	attach_to_output(l,
		(struct attachment[]){
			{EXE_BITCODE, bitcode->s, bitcode->n},
			{EXE_RECIPE, recipe.s, recipe.n},
			{EXE_NATIVE, files.bytes.s, files.bytes.n},
		},
		files.n ? 3 : 2, false);
	if (native)
		note_("%u %s of '%s' %s native and not analysed (run 'heddle info %s' for the "
		      "reasons)",
			native, native == 1 ? "part" : "parts", l->output,
			native == 1 ? "is" : "are", l->output);
	strbuf_release(&files.bytes);
	strbuf_release(&recipe);
}

static bool is_program(const char *path)
{
	struct file_map f;
	struct elf e;
	bool yes;

	if (file_map(&f, path))
		return false;
	yes = !elf_init(&e, f.data, f.n) && elf_is_program(&e);
	file_unmap(&f);
	return yes;
}

static void add_bitcode(struct link *l)
{
	struct strbuf bitcode = {0}, rest = {0};

	units_finish(&l->us);
	if (l->traced)
		parts_from_trace(&l->ps, l->out.s, &rest);
	else
		parts_from_args(&l->ps, l->a);
	show_output(l, l->traced ? &rest : &l->out);
	strbuf_release(&rest);
	if (!(l->a->traits & CC_PARTIAL) && !is_program(l->output))
		return;
	if (!merge_parts(l))
		return;
	memory_read(l->merged, &bitcode);
	if (l->a->traits & CC_PARTIAL)
		attach_partial(l, &bitcode);
	else
		attach_program(l, &bitcode);
	strbuf_release(&bitcode);
}

int cc_link(const struct cc_args *a, const char *clang, char **argv, int input)
{
	struct link l = {.a = a, .clang = clang, .argv = argv, .input = input};
	struct strbuf rest = {0};
	int status;

	l.output = a->output ? a->output : "a.out";
	l.merged = memory_file("merged");
	l.hook = start_hook_make(a);
	units_init(&l.us, a, clang, input);
	parts_init(&l.ps, &l.us);
	units_start(&l.us);
	start_worker(&l);
	status = link_native(&l);
	if (status) {
		if (l.traced && l.out.n)
			parts_from_trace(&l.ps, l.out.s, &rest);
		show_output(&l, l.traced ? &rest : &l.out);
		units_cancel(&l.us);
	} else {
		add_bitcode(&l);
	}
	worker_release(&l.w);
	parts_release(&l.ps);
	units_release(&l.us);
	strbuf_release(&rest);
	strbuf_release(&l.out);
	strbuf_release(&l.err);
	start_hook_remove(l.hook);
	close(l.merged);
	return status;
}
