#include "cc/link_recipe.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "object/ar.h"
#include "object/elf.h"
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct link_recipe {
	const struct units *us;
	struct parts *ps;
	const struct worker *w;
	struct container *files;
	struct recipe r;
};

/* ---- native objects ---------------------------------------------------------------------- */

static void add_funcs(struct link_recipe *c, struct recipe_unit *u, const void *data, size_t n)
{
	struct elf_symbols syms;
	const char *name;
	Elf64_Sym sym;
	struct elf e;

	if (elf_init(&e, data, n))
		return;
	elf_symbols(&e, SHT_SYMTAB, &syms);
	for (uint32_t i = 1; i < syms.n; i++) {
		name = elf_symbol(&syms, i, &sym);
		if (*name && sym.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(sym.st_info) == STT_FUNC)
			vec_push(&u->funcs, arena_strdup(&c->r.arena, name));
	}
}

/* The compiler removes the objects of a command that compiles and links: compiles one again. */
static bool compile_again(struct link_recipe *c, const struct part *p, struct strbuf *out)
{
	char *path = temporary_path("cc", "");
	int fd = mkstemp(path);
	bool ok = false;

	if (fd >= 0) {
		close(fd);
		ok = !unit_compile_native(c->us, &c->us->at.at[p->unit], path) &&
		     !strbuf_read_file(out, path);
		unlink(path);
	}
	free(path);
	return ok;
}

static void add_native(struct link_recipe *c, const struct part *p, struct recipe_unit *u)
{
	struct strbuf again = {0};
	struct ar ar;

	u->member = "";
	if (p->data) {
		/* members of the same name share one archive */
		for (const struct part *q = c->ps->at.at; q < p; q++)
			if (q->data == p->data && q->kind == PART_NATIVE)
				return;
		u->member = container_add(c->files, &c->r.arena,
			ar_init(&ar, p->data, p->n) ? ".a" : ".o", p->data, p->n);
		add_funcs(c, u, p->data, p->n);
	} else if (p->unit >= 0 && compile_again(c, p, &again)) {
		u->member = container_add(c->files, &c->r.arena, ".o", again.s, again.n);
		add_funcs(c, u, again.s, again.n);
	} else {
		warn_("'%s' could not be stored in the executable: heddle cannot record or replay "
		      "the program",
			p->name);
	}
	strbuf_release(&again);
}

static void add_shared(struct link_recipe *c, const struct part *p)
{
	char *abs = path_absolute(p->path);
	bool known = false;

	vec_each (&c->r.shared, i)
		known |= !strcmp(c->r.shared.at[i], abs);
	if (!known)
		vec_push(&c->r.shared, arena_strdup(&c->r.arena, abs));
	free(abs);
}

static void add_units(struct link_recipe *c)
{
	vec_each (&c->ps->at, i) {
		const struct part *p = &c->ps->at.at[i];
		const char *source = NULL;
		struct recipe_unit *u;

		if (p->kind == PART_SHARED)
			add_shared(c, p);
		if (p->kind != PART_BITCODE && p->kind != PART_NATIVE)
			continue;
		u = vec_add(&c->r.units);
		u->name = arena_strdup(&c->r.arena, p->name);
		if (p->kind == PART_NATIVE) {
			u->why = arena_strdup(&c->r.arena, p->why);
			add_native(c, p, u);
			continue;
		}
		if (p->work >= 0)
			source = c->w->units.at[p->work].source;
		u->source = arena_strdup(&c->r.arena, source ? source : "");
	}
}

/* ---- archives ---------------------------------------------------------------------------- */

/* Adds the archives of the command line of which the link used no member. */
static void find_archives(struct link_recipe *c)
{
	const struct cc_args *a = c->us->args;

	vec_each (&a->at, i) {
		const struct cc_arg *x = &a->at.at[i];

		if (x->input && x->lang == CC_L_OBJECT) {
			parts_add_archive(c->ps, x->text);
		} else if (x->traits & CC_LIBRARY && x->value) {
			char *own = find_own_library(a, x->value);

			if (own)
				parts_add_archive(c->ps, own);
			free(own);
		}
	}
}

static void add_archives(struct link_recipe *c)
{
	find_archives(c);
	vec_each (&c->ps->archives, i) {
		const struct archive *a = &c->ps->archives.at[i];
		struct recipe_archive *to = vec_add(&c->r.archives);

		to->path = arena_strdup(&c->r.arena, a->path);
		vec_each (&a->members, j) {
			const char *name = arena_strdup(&c->r.arena, path_base(a->members.at[j]));

			if (a->is_used.at[j])
				vec_push(&to->used, name);
			else
				vec_push(&to->unused, name);
		}
	}
}

/* ---- wrapped symbols --------------------------------------------------------------------- */

/* The merge has applied --wrap to the units; it cannot be applied to a native object. */
static void check_wrapped(struct link_recipe *c, const struct words *wrapped, const struct part *p)
{
	struct elf_symbols syms;
	const char *name, *plain;
	Elf64_Sym sym;
	struct elf e;

	if (elf_init(&e, p->data, p->n))
		return;
	elf_symbols(&e, SHT_SYMTAB, &syms);
	for (uint32_t i = 1; i < syms.n; i++) {
		name = elf_symbol(&syms, i, &sym);
		plain = strncmp(name, "__real_", 7) ? name : name + 7;
		vec_each (wrapped, j)
			if (!strcmp(plain, wrapped->at[j]) && sym.st_shndx == SHN_UNDEF) {
				char *why =
					xasprintf("native object '%s' refers to '%s', which the "
						  "linker's --wrap redirects",
						p->name, name);

				c->r.cannot = arena_strdup(&c->r.arena, why);
				free(why);
			}
	}
}

static void check_all_wrapped(struct link_recipe *c)
{
	struct words wrapped = {0};

	find_wrapped(c->us->args, &c->r.arena, &wrapped);
	vec_each (&c->ps->at, i)
		if (wrapped.n && c->ps->at.at[i].kind == PART_NATIVE && c->ps->at.at[i].data)
			check_wrapped(c, &wrapped, &c->ps->at.at[i]);
	vec_release(&wrapped);
}

/* ---- providers --------------------------------------------------------------------------- */

static void find_provided(const struct part *p, const struct intern *names, const char **provider)
{
	struct elf_symbols syms;
	Elf64_Sym sym;
	const char *name;
	struct elf e;
	uint32_t id;

	if (elf_init(&e, p->data, p->n))
		return;
	elf_symbols(&e, p->kind == PART_SHARED ? SHT_DYNSYM : SHT_SYMTAB, &syms);
	for (uint32_t i = 1; i < syms.n; i++) {
		name = elf_symbol(&syms, i, &sym);
		if (*name && sym.st_shndx != SHN_UNDEF && ELF64_ST_BIND(sym.st_info) != STB_LOCAL &&
			intern_lookup(names, name, &id) && !provider[id])
			provider[id] = p->kind == PART_NATIVE ? p->name : path_base(p->path);
	}
}

static void add_externs(struct link_recipe *c)
{
	struct intern names;
	const char **provider;

	intern_init(&names);
	vec_each (&c->w->externs, i)
		intern_str(&names, c->w->externs.at[i]);
	provider = xcalloc(names.n, sizeof *provider);
	vec_each (&c->ps->at, i)
		if (c->ps->at.at[i].kind != PART_BITCODE && c->ps->at.at[i].data)
			find_provided(&c->ps->at.at[i], &names, provider);
	vec_each (&c->w->externs, i) {
		const char *by = provider[intern_str(&names, c->w->externs.at[i])];

		vec_push(&c->r.externs,
			(struct recipe_extern){arena_strdup(&c->r.arena, c->w->externs.at[i]),
				arena_strdup(&c->r.arena, by ? by : "")});
	}
	free(provider);
	intern_release(&names);
}

void link_recipe_write(const struct units *us, struct parts *ps, const struct worker *w,
	struct container *files, struct strbuf *out)
{
	struct link_recipe c = {.us = us, .ps = ps, .w = w, .files = files};
	bool native = false;

	recipe_init(&c.r);
	c.r.llvm = HEDDLE_LLVM_MAJOR_STR;
	c.r.compiler = us->clang;
	vec_each (&ps->at, i)
		native |= ps->at.at[i].kind == PART_NATIVE;
	relink_words(us->args, native, files, &c.r);
	add_units(&c);
	add_archives(&c);
	add_externs(&c);
	check_all_wrapped(&c);
	recipe_write(&c.r, out);
	recipe_release(&c.r);
}
