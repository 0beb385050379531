/*
 * `heddle info`: which functions of a program are in its bitcode, which parts are native and why,
 * archives and their used members, external functions, synchronization and threads. The recipe in
 * the executable describes the native parts, the IR everything else.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/print.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/load_program.h"
#include "facts/opaque.h"
#include "ir/ir.h"
#include "log/format.h"
#include "object/exe.h"
#include "object/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_SHOWN 4

/* A name and the positions where the program uses it, in the order of the program. */
struct use {
	const char *name;
	VEC(uint32_t) places;
};

struct uses {
	VEC(struct use) at;
	struct map by_name; /* string id -> index + 1 */
};

struct info {
	FILE *out;
	const struct ir_program *p;
	struct recipe r;
	struct uses externs, sync, threads, odd;
	struct intern names;
};

/* A library function that synchronizes or creates a thread. */
struct sync_call {
	const char *name;
	int kind; /* LOG_S_*, or SYNC_OTHER */
};
enum { SYNC_OTHER = -1 };

static const struct sync_call sync_calls[] = {
	{"pthread_kill", SYNC_OTHER},
	{"sched_yield", SYNC_OTHER},
	{"thrd_yield", SYNC_OTHER},
#define SYNC(name, kind, object, ...) {#name, LOG_S_##kind},
#include "log/sync.def"
};

static void add_use(struct info *f, struct uses *u, const char *name, uint32_t pos)
{
	uint32_t id = intern_str(&f->names, name);
	uint64_t *slot = map_put(&u->by_name, id);

	if (!*slot) {
		vec_add(&u->at)->name = intern_get(&f->names, id);
		*slot = u->at.n;
	}
	vec_push(&u->at.at[*slot - 1].places, pos);
}

static void uses_release(struct uses *u)
{
	vec_each (&u->at, i)
		vec_release(&u->at.at[i].places);
	vec_release(&u->at);
	map_release(&u->by_name);
}

/* ---- the program -------------------------------------------------------------------------- */

static const struct sync_call *find_sync_call(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(sync_calls); i++)
		if (!strcmp(sync_calls[i].name, name))
			return &sync_calls[i];
	return NULL;
}

/* Operations that create or destroy objects, of the heap, and of the process are not listed. */
static bool is_listed(const struct sync_call *s)
{
	switch (s->kind) {
	case SYNC_OTHER:
	case LOG_S_JOIN:
	case LOG_S_DETACH:
	case LOG_S_EXIT:
	case LOG_S_CANCEL:
	case LOG_S_LOCK:
	case LOG_S_TRYLOCK:
	case LOG_S_UNLOCK:
	case LOG_S_RDLOCK:
	case LOG_S_WRLOCK:
	case LOG_S_TRYRDLOCK:
	case LOG_S_TRYWRLOCK:
	case LOG_S_RW_UNLOCK:
	case LOG_S_SPIN_LOCK:
	case LOG_S_SPIN_TRYLOCK:
	case LOG_S_SPIN_UNLOCK:
	case LOG_S_COND_WAIT:
	case LOG_S_COND_SIGNAL:
	case LOG_S_COND_BROADCAST:
	case LOG_S_SEM_WAIT:
	case LOG_S_SEM_TRYWAIT:
	case LOG_S_SEM_POST:
	case LOG_S_SEM_VALUE:
	case LOG_S_BARRIER_ENTER:
	case LOG_S_ONCE: return true;
	default: return false;
	}
}

static void see_thread(struct info *f, const struct ir_func *fn, const struct ir_insn *in, bool c11)
{
	uint32_t arg = c11 ? 1 : 2, routine = IR_NONE;

	if (arg < in->arg[2])
		routine = ir_func_of(fn, fn->extra.at[in->arg[1] + 2 * arg]);
	add_use(f, &f->threads, routine == IR_NONE ? "" : ir_func_name(f->p, routine), in->pos);
}

static void see_call(struct info *f, const struct ir_func *fn, const struct ir_insn *in)
{
	uint32_t callee = ir_callee(fn, in);
	const struct sync_call *s;
	const char *name;

	if (callee == IR_NONE || !(f->p->funcs.at[callee].flags & (IR_FN_EXTERN | IR_FN_MODEL)))
		return;
	name = ir_func_name(f->p, callee);
	add_use(f, &f->externs, name, in->pos);
	s = find_sync_call(name);
	if (s && s->kind == LOG_S_CREATE)
		see_thread(f, fn, in, !strcmp(name, "thrd_create"));
	else if (s && is_listed(s))
		add_use(f, &f->sync, name, in->pos);
}

static void see_atomic(struct info *f, const struct ir_insn *in)
{
	static const char *const orders[] = {
		"", "unordered", "relaxed", "acquire", "release", "acq_rel", "seq_cst"};
	enum ir_shape shape = ir_ops[in->op].shape;
	enum ir_order order = ir_order(in->flags);
	char *text;

	if (in->flags & IR_F_COMPILER || order == IR_O_NONE || order > IR_O_SEQCST)
		return;
	text = xasprintf("%s %s, %s", shape == IR_S_FENCE ? "memory" : "atomic",
		ir_ops[in->op].name, orders[order]);
	add_use(f, &f->sync, text, in->pos);
	free(text);
}

static void see_insn(struct info *f, const struct ir_func *fn, const struct ir_insn *in)
{
	char *text;

	switch (ir_ops[in->op].shape) {
	case IR_S_CALL: see_call(f, fn, in); break;
	case IR_S_LOAD:
	case IR_S_STORE:
	case IR_S_RMW:
	case IR_S_CAS:
	case IR_S_FENCE: see_atomic(f, in); break;
	case IR_S_ASM:
		add_use(f, &f->odd,
			opaque_is_intrinsic(f->p, in) ? ir_str(f->p, in->arg[0]) : "inline assembler",
			in->pos);
		break;
	case IR_S_STOP:
		text = xasprintf("unsupported: %s", ir_str(f->p, (uint32_t)in->imm));
		add_use(f, &f->odd, text, in->pos);
		free(text);
		break;
	default: break;
	}
}

static bool is_in_bitcode(const struct ir_func *fn)
{
	return !(fn->flags & (IR_FN_EXTERN | IR_FN_MODEL));
}

static void see_program(struct info *f)
{
	vec_each (&f->p->funcs, i) {
		const struct ir_func *fn = &f->p->funcs.at[i];

		if (is_in_bitcode(fn))
			vec_each (&fn->insns, j)
				see_insn(f, fn, &fn->insns.at[j]);
	}
}

/* ---- printing ----------------------------------------------------------------------------- */

static void put_pos(struct strbuf *b, const struct ir_program *p, uint32_t pos)
{
	struct diag_pos at = ir_diag_pos(p, pos);

	if (at.file)
		strbuf_addf(b, "%s:%u", at.file, at.line);
	else
		strbuf_adds(b, "unknown place");
}

static void put_places(struct strbuf *b, const struct ir_program *p, const struct use *u)
{
	uint32_t shown = MIN(u->places.n, (uint32_t)PLACES_SHOWN);

	for (uint32_t i = 0; i < shown; i++) {
		strbuf_adds(b, i ? ", " : "");
		put_pos(b, p, u->places.at[i]);
	}
	if (u->places.n > shown)
		strbuf_addf(b, " and %u more", u->places.n - shown);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct use *)a)->name, ((const struct use *)b)->name);
}

static const char *provider_of(const struct info *f, const char *name)
{
	vec_each (&f->r.externs, i)
		if (!strcmp(f->r.externs.at[i].name, name))
			return f->r.externs.at[i].provider;
	return "";
}

static const char *plural_ending(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_bitcode(struct info *f)
{
	uint32_t nfuncs = 0, nunits = 0;
	struct strbuf b = {0};

	vec_each (&f->p->funcs, i)
		nfuncs += is_in_bitcode(&f->p->funcs.at[i]);
	vec_each (&f->r.units, i)
		nunits += !f->r.units.at[i].why;
	print_clean(f->out, "\nanalysed: %u function%s in %u unit%s\n", nfuncs,
		plural_ending(nfuncs), nunits, plural_ending(nunits));
	vec_each (&f->p->funcs, i) {
		if (!is_in_bitcode(&f->p->funcs.at[i]))
			continue;
		strbuf_clear(&b);
		put_pos(&b, f->p, f->p->funcs.at[i].pos);
		print_clean(f->out, "  %-28s %s\n", ir_func_name(f->p, i), b.s);
	}
	strbuf_release(&b);
}

static void print_native(struct info *f)
{
	uint32_t nfuncs = 0, nunits = 0;

	vec_each (&f->r.units, i) {
		nunits += f->r.units.at[i].why != NULL;
		nfuncs += f->r.units.at[i].funcs.n;
	}
	print_clean(f->out, "\nnative, not analysed: %u function%s in %u object%s\n", nfuncs,
		plural_ending(nfuncs), nunits, plural_ending(nunits));
	vec_each (&f->r.units, i) {
		const struct recipe_unit *u = &f->r.units.at[i];

		if (!u->why)
			continue;
		print_clean(f->out, "  %s: %s\n", u->name, u->why);
		vec_each (&u->funcs, j)
			print_clean(f->out, "    %s\n", u->funcs.at[j]);
	}
	print_clean(f->out, "\nshared libraries, not analysed: %u\n", f->r.shared.n);
	vec_each (&f->r.shared, i)
		print_clean(f->out, "  %s\n", f->r.shared.at[i]);
}

static void print_archives(struct info *f)
{
	if (!f->r.archives.n)
		return;
	print_clean(f->out, "\narchives: %u\n", f->r.archives.n);
	vec_each (&f->r.archives, i) {
		const struct recipe_archive *a = &f->r.archives.at[i];

		print_clean(f->out, "  %s: %u of %u members used\n", a->path, a->used.n,
			a->used.n + a->unused.n);
		vec_each (&a->used, j)
			print_clean(f->out, "    %s\n", a->used.at[j]);
		vec_each (&a->unused, j)
			print_clean(f->out, "    %s (not used)\n", a->unused.at[j]);
	}
}

static void print_externs(struct info *f)
{
	struct uses *u = &f->externs;
	struct strbuf b = {0};

	if (u->at.n)
		qsort(u->at.at, u->at.n, sizeof *u->at.at, by_name);
	print_clean(f->out, "\nexternal functions called: %u\n", u->at.n);
	vec_each (&u->at, i) {
		strbuf_clear(&b);
		put_places(&b, f->p, &u->at.at[i]);
		print_clean(f->out, "  %-28s %-20s %s\n", u->at.at[i].name,
			provider_of(f, u->at.at[i].name), b.s);
	}
	strbuf_release(&b);
}

static void print_counted(struct info *f, const char *title, struct uses *u)
{
	struct strbuf b = {0};

	if (u->at.n)
		qsort(u->at.at, u->at.n, sizeof *u->at.at, by_name);
	print_clean(f->out, "\n%s: %u\n", title, u->at.n);
	vec_each (&u->at, i) {
		strbuf_clear(&b);
		put_places(&b, f->p, &u->at.at[i]);
		print_clean(
			f->out, "  %-28s %4u   %s\n", u->at.at[i].name, u->at.at[i].places.n, b.s);
	}
	strbuf_release(&b);
}

static void print_threads(struct info *f)
{
	struct strbuf b = {0};
	uint32_t n = 0;

	vec_each (&f->threads.at, i)
		n += f->threads.at.at[i].places.n;
	print_clean(f->out, "\nplaces that create threads: %u\n", n);
	vec_each (&f->threads.at, i) {
		const struct use *u = &f->threads.at.at[i];

		vec_each (&u->places, j) {
			const struct ir_pos *pos = &f->p->positions.at[u->places.at[j]];

			strbuf_clear(&b);
			put_pos(&b, f->p, u->places.at[j]);
			print_clean(f->out, "  %s in %s: runs %s\n", b.s, ir_str(f->p, pos->func),
				*u->name ? u->name : "a function that is only known at run time");
		}
	}
	strbuf_release(&b);
}

static void print_all(struct info *f, const char *exe_path)
{
	print_clean(f->out, "%s: built by heddle-cc with LLVM %s\n", exe_path, f->r.llvm);
	print_bitcode(f);
	print_native(f);
	print_archives(f);
	print_externs(f);
	print_counted(f, "synchronization", &f->sync);
	print_threads(f);
	if (f->odd.at.n)
		print_counted(f, "not supported", &f->odd);
}

/* p: the program of exe_path, with or without models. -1 after error_(). */
static int print_info(FILE *out, const char *exe_path, const struct ir_program *p)
{
	struct info f = {.out = out, .p = p};
	struct exe *x = exe_open(exe_path);

	if (!x)
		return -1;
	if (recipe_of(&f.r, exe_path, x)) {
		exe_close(x);
		return -1;
	}
	intern_init(&f.names);
	see_program(&f);
	print_all(&f, exe_path);
	uses_release(&f.externs);
	uses_release(&f.sync);
	uses_release(&f.threads);
	uses_release(&f.odd);
	intern_release(&f.names);
	recipe_release(&f.r);
	exe_close(x);
	return 0;
}

/* ---- the command -------------------------------------------------------------------------- */

static const struct opt info_opts[] = {OPT_END};

static int info_run(void *args, int argc, char **argv)
{
	struct ir_program *p = load_program(argv[0], LOAD_MODELS);
	int rc;

	(void)args, (void)argc;
	if (!p)
		return STATUS_FAILED;
	rc = print_info(stdout, argv[0], p);
	ir_program_free(p);
	return rc ? STATUS_FAILED : STATUS_NOTHING;
}

const struct command cmd_info = {
	.synopsis = "PROGRAM",
	.about = "Lists the functions of a program built by heddle-cc that heddle can analyse,\n"
		 "the native parts with the reason, the external functions that the program\n"
		 "calls, its synchronization, and the places that create threads.",
	.opts = info_opts,
	.opt_flags = OPT_PERMUTE,
	.min = 1,
	.max = 1,
	.run = info_run,
};
