#include "cc/link_parts.h"

#include "base/base.h"
#include "base/path.h"
#include "object/ar.h"
#include "object/elf.h"
#include "object/exe.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

void parts_init(struct parts *ps, const struct units *units)
{
	*ps = (struct parts){.units = units};
}

void parts_release(struct parts *ps)
{
	vec_each (&ps->at, i) {
		free(ps->at.at[i].name);
		free(ps->at.at[i].path);
		free(ps->at.at[i].why);
	}
	vec_each (&ps->files, i) {
		free(ps->files.at[i].path);
		file_unmap(&ps->files.at[i].map);
	}
	vec_each (&ps->archives, i) {
		struct archive *a = &ps->archives.at[i];

		vec_each (&a->members, j)
			free(a->members.at[j]);
		vec_release(&a->members);
		vec_release(&a->is_used);
		free(a->path);
	}
	vec_release(&ps->at);
	vec_release(&ps->files);
	vec_release(&ps->archives);
}

/* ---- files ------------------------------------------------------------------------------- */

/* NULL if the file cannot be read. The map is valid until parts_release(), the pointer until the
 * next call. */
static const struct file_map *open_file(struct parts *ps, const char *path)
{
	struct file_map map;

	vec_each (&ps->files, i)
		if (!strcmp(ps->files.at[i].path, path))
			return &ps->files.at[i].map;
	if (file_map(&map, path))
		return NULL;
	vec_push(&ps->files, (struct part_file){xstrdup(path), map});
	return &vec_last(&ps->files).map;
}

/* ---- why an object has no bitcode --------------------------------------------------------- */

static bool defines_cxx(const struct elf *e)
{
	struct elf_symbols syms;
	const char *name;
	Elf64_Sym sym;

	elf_symbols(e, SHT_SYMTAB, &syms);
	for (uint32_t i = 1; i < syms.n; i++) {
		name = elf_symbol(&syms, i, &sym);
		if (!strcmp(name, "__gxx_personality_v0") ||
			(!strncmp(name, "_Z", 2) && sym.st_shndx != SHN_UNDEF))
			return true;
	}
	return false;
}

/* The name that the compiler left in the object; NULL if there is none: assemblers leave none. */
static char *compiler_name(const struct elf *e)
{
	struct elf_bytes text;
	Elf64_Shdr h;
	uint64_t at = 0;
	size_t n;

	if (!elf_find(e, ".comment", &h, NULL) || !elf_contents(e, &h, &text))
		return NULL;
	while (at < text.n && !text.data[at])
		at++;
	n = strnlen((const char *)text.data + at, text.n - at);
	for (size_t i = 0; i < n; i++)
		if (!isprint(text.data[at + i]))
			return NULL;
	return n ? xstrndup((const char *)text.data + at, n) : NULL;
}

static char *why_native(const uint8_t *data, size_t n)
{
	struct exe_section why;
	char *by, *text;
	struct elf e;

	if (exe_view(data, n, EXE_WHY, &why))
		return xstrndup(why.data, why.n);
	if (exe_is_bitcode(data, n))
		return xstrdup("object for link-time optimization (-flto)");
	if (elf_init(&e, data, n))
		return xstrdup("not an object for x86-64");
	if (defines_cxx(&e))
		return xstrdup("C++ object");
	by = compiler_name(&e);
	if (!by)
		return xstrdup("object not built by heddle-cc (assembler?)");
	text = xasprintf("object not built by heddle-cc (by %s)", by);
	free(by);
	return text;
}

/* ---- adding parts ------------------------------------------------------------------------ */

static struct part *add_part(struct parts *ps, char *name, const char *path)
{
	struct part *p = vec_add(&ps->at);

	*p = (struct part){.name = name, .path = xstrdup(path), .unit = -1, .work = -1};
	return p;
}

/* bc_path: the file that has the object at `offset`. */
static void set_kind(struct part *p, const char *bc_path, size_t offset)
{
	struct exe_section bc;
	struct elf e;

	if (!elf_init(&e, p->data, p->n) && e.type == ET_DYN) {
		p->kind = PART_SHARED;
	} else if (exe_view(p->data, p->n, EXE_BITCODE, &bc) && bc.n) {
		p->kind = PART_BITCODE;
		p->bc_path = bc_path;
		p->bc_offset = offset + (uint64_t)((const uint8_t *)bc.data - p->data);
		p->bc_n = bc.n;
	} else if (path_is_system(p->path)) {
		p->kind = PART_SYSTEM;
	} else {
		p->kind = PART_NATIVE;
		p->why = why_native(p->data, p->n);
	}
}

static void add_object(struct parts *ps, const char *path)
{
	const struct file_map *f = open_file(ps, path);
	struct part *p = add_part(ps, xstrdup(path), path);

	if (!f) {
		p->kind = PART_NATIVE;
		p->why = xasprintf("cannot read it: %s", strerror(errno));
		return;
	}
	p->data = f->data;
	p->n = f->n;
	set_kind(p, p->path, 0);
}

static void add_unit(struct parts *ps, uint32_t unit)
{
	const struct unit *u = &ps->units->at.at[unit];
	struct part *p = add_part(ps, xstrdup(u->source), u->source);

	p->unit = unit;
	p->kind = u->why ? PART_NATIVE : PART_BITCODE;
	p->why = u->why ? xstrdup(u->why) : NULL;
}

/* ---- archives ---------------------------------------------------------------------------- */

/* NULL for an archive of the system. The pointer is valid until the next archive is added. */
static struct archive *find_archive(struct parts *ps, const char *path)
{
	const struct file_map *f;
	struct ar_member m;
	struct archive *a;
	struct ar r;

	vec_each (&ps->archives, i)
		if (!strcmp(ps->archives.at[i].path, path))
			return &ps->archives.at[i];
	f = path_is_system(path) ? NULL : open_file(ps, path);
	if (!f || !ar_init(&r, f->data, f->n))
		return NULL;
	a = vec_add(&ps->archives);
	a->path = xstrdup(path);
	while (ar_next(&r, &m, NULL)) {
		vec_push(&a->members, m.name);
		vec_push(&a->is_used, 0);
	}
	return a;
}

void parts_add_archive(struct parts *ps, const char *path)
{
	find_archive(ps, path);
}

/* Marks the member as used. False if several members have the name: the list of the linker does not
 * distinguish them. */
static bool use_member(struct parts *ps, const char *path, const char *member)
{
	struct archive *a = find_archive(ps, path);
	uint32_t same = 0, at = 0;

	if (!a)
		return true;
	vec_each (&a->members, i)
		if (!strcmp(path_base(a->members.at[i]), member)) {
			same++;
			at = i;
		}
	if (same != 1)
		return false;
	a->is_used.at[at] = 1;
	a->used++;
	return true;
}

/* Opens the file of a member of a thin archive. */
static bool open_thin(struct parts *ps, const char *archive, struct ar_member *m, const char **file)
{
	char *dir = path_dir(archive);
	char *path = m->name[0] == '/' ? xstrdup(m->name) : xasprintf("%s/%s", dir, m->name);
	const struct file_map *f = open_file(ps, path);

	vec_each (&ps->files, i)
		if (!strcmp(ps->files.at[i].path, path))
			*file = ps->files.at[i].path;
	if (f) {
		m->data = f->data;
		m->n = f->n;
		m->offset = 0;
	}
	free(dir);
	free(path);
	return f != NULL;
}

/* Sets the contents of the part from its member in the archive, or from its file if the archive is
 * thin. */
static bool load_member(
	struct parts *ps, struct part *p, const char *member, const char **file, size_t *offset)
{
	const struct file_map *f = open_file(ps, p->path);
	struct ar_member m;
	struct ar r;
	bool found = false;

	if (!f || !ar_init(&r, f->data, f->n))
		return false;
	while (!found && ar_next(&r, &m, NULL)) {
		found = !strcmp(path_base(m.name), member);
		if (found && r.thin)
			found = open_thin(ps, p->path, &m, file);
		if (found) {
			p->data = m.data;
			p->n = m.n;
			*offset = m.offset;
		}
		free(m.name);
	}
	return found;
}

static void add_member(struct parts *ps, const char *path, const char *member)
{
	bool unique = use_member(ps, path, member);
	struct part *p = add_part(ps, xasprintf("%s(%s)", path, member), path);
	const char *file = p->path;
	size_t offset = 0;

	if (!load_member(ps, p, member, &file, &offset)) {
		p->kind = PART_NATIVE;
		p->why = xstrdup("the archive member cannot be read");
		return;
	}
	set_kind(p, file, offset);
	if (unique || p->kind == PART_SYSTEM)
		return;
	p->kind = PART_NATIVE;
	free(p->why);
	p->why = xstrdup("the archive has several members of this name");
	/* a later link gets the whole archive and selects the member itself */
	p->data = open_file(ps, path)->data;
	p->n = open_file(ps, path)->n;
}

/* ---- the linker's list ------------------------------------------------------------------- */

/* Whether the path is the temporary object of the next source: "/tmp/main-1a2b3c.o". */
static bool is_temporary(const struct parts *ps, const char *path)
{
	const char *source, *base = path_base(path), *dot;
	size_t n;

	if (ps->sources >= ps->units->at.n)
		return false;
	source = path_base(ps->units->at.at[ps->sources].source);
	dot = strrchr(source, '.');
	n = dot ? (size_t)(dot - source) : strlen(source);
	if (strncmp(base, source, n))
		return false;
	/* with -save-temps the object stays, under the name of the source */
	if (!strcmp(base + n, ".o"))
		return ps->units->args->traits & CC_SAVE && file_is_regular(path);
	return base[n] == '-' && strlen(base + n) >= 4 && !file_is_regular(path) &&
	       !strcmp(base + strlen(base) - 2, ".o");
}

static bool add_line(struct parts *ps, char *line)
{
	size_t n = strlen(line);
	char *open = n && line[n - 1] == ')' ? strrchr(line, '(') : NULL;
	bool archive;

	if (is_temporary(ps, line)) {
		add_unit(ps, ps->sources++);
		return true;
	}
	if (file_is_regular(line)) {
		add_object(ps, line);
		return true;
	}
	if (!open)
		return false;
	*open = 0;
	archive = file_is_regular(line);
	if (archive) {
		line[n - 1] = 0;
		add_member(ps, line, open + 1);
	}
	*open = '(';
	return archive;
}

void parts_from_trace(struct parts *ps, const char *text, struct strbuf *rest)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		char *line;

		end = strchrnul(text, '\n');
		line = xstrndup(text, (size_t)(end - text));
		if (!add_line(ps, line))
			strbuf_add(rest, text, (size_t)(end - text) + (*end == '\n'));
		free(line);
	}
}

void parts_from_args(struct parts *ps, const struct cc_args *a)
{
	const struct file_map *f;
	struct ar r;

	vec_each (&a->at, i) {
		const struct cc_arg *x = &a->at.at[i];

		if (!x->input)
			continue;
		if (cc_arg_is_source(x)) {
			add_unit(ps, ps->sources++);
			continue;
		}
		f = open_file(ps, x->text);
		if (f && ar_init(&r, f->data, f->n)) {
			struct part *p = add_part(ps, xstrdup(x->text), x->text);

			p->kind = PART_NATIVE;
			p->data = f->data;
			p->n = f->n;
			p->why = xstrdup("archive, and the linker did not list its used members");
		} else if (f) {
			add_object(ps, x->text);
		}
	}
}
