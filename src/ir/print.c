#include "ir/print_internal.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/text.h"

#include <stdlib.h>
#include <string.h>

/* zero runs shorter than ZERO_RUN are printed as bytes */
enum { ZERO_RUN = 16, BYTES_PER_LINE = 32 };

void print_u64(struct printer *pr, uint64_t v)
{
	char buf[20];
	int i = sizeof buf;

	do
		buf[--i] = (char)('0' + v % 10);
	while (v /= 10);
	strbuf_add(pr->out, buf + i, sizeof buf - (size_t)i);
}

void print_i64(struct printer *pr, int64_t v)
{
	if (v < 0)
		strbuf_addc(pr->out, '-');
	print_u64(pr, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void print_escaped(struct printer *pr, const uint8_t *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";

	strbuf_addc(pr->out, '"');
	for (size_t i = 0; i < n; i++) {
		char esc[3] = {'\\', hex[s[i] >> 4], hex[s[i] & 15]};

		if (s[i] == '"' || s[i] == '\\' || s[i] < 0x20 || s[i] >= 0x7f)
			strbuf_add(pr->out, esc, 3);
		else
			strbuf_addc(pr->out, (char)s[i]);
	}
	strbuf_addc(pr->out, '"');
}

void print_quoted(struct printer *pr, const char *s)
{
	print_escaped(pr, (const uint8_t *)s, strlen(s));
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* does the lexer read the name as one word? */
static bool is_plain(const char *s)
{
	if (!is_alpha(s[*s == '.']))
		return false;
	for (; *s; s++)
		if (!is_alpha(*s) && !(*s >= '0' && *s <= '9') && *s != '.' && *s != '$')
			return false;
	return true;
}

/* the name with this string id: bare if it is a plain identifier, else in quotes */
static void print_name(struct printer *pr, uint32_t str)
{
	const char *s = str < pr->p->strs.n ? ir_str(pr->p, str) : "?";

	if (is_plain(s))
		strbuf_adds(pr->out, s);
	else
		print_quoted(pr, s);
}

void print_number_twins(struct printer *pr)
{
	const struct ir_program *p = pr->p;
	struct map seen = {0};
	uint32_t k = 0;

	pr->twins = xmalloc(((size_t)p->globals.n + p->funcs.n + 1) * sizeof *pr->twins);
	vec_each (&p->globals, i)
		pr->twins[k++] = (uint32_t)(*map_put(&seen, p->globals.at[i].name))++;
	vec_each (&p->funcs, i)
		pr->twins[k++] = (uint32_t)(*map_put(&seen, p->funcs.at[i].name))++;
	map_release(&seen);
}

void print_symbol(struct printer *pr, uint8_t kind, uint32_t id)
{
	const struct ir_program *p = pr->p;
	bool is_func = kind != IR_C_GLOBAL;
	uint32_t twin = 0;

	if (id >= (is_func ? p->funcs.n : p->globals.n)) {
		strbuf_addf(pr->out, "@?%u", id);
		return;
	}
	strbuf_addc(pr->out, '@');
	print_name(pr, is_func ? p->funcs.at[id].name : p->globals.at[id].name);
	if (pr->twins)
		twin = pr->twins[is_func ? p->globals.n + id : id];
	if (twin) {
		strbuf_addc(pr->out, '#');
		print_u64(pr, twin + 1u);
	}
}

void print_address(struct printer *pr, uint8_t kind, uint32_t id, int64_t addend)
{
	print_symbol(pr, kind, id);
	if (kind == IR_C_BLOCK) {
		strbuf_adds(pr->out, ":b");
		print_u64(pr, (uint64_t)addend);
	} else if (addend) {
		if (addend > 0)
			strbuf_addc(pr->out, '+');
		print_i64(pr, addend);
	}
}

void print_dtype_ref(struct printer *pr, uint32_t dtype)
{
	if (!dtype || pr->readable)
		return;
	strbuf_adds(pr->out, " $");
	print_u64(pr, dtype);
}

void print_pos_ref(struct printer *pr, uint32_t pos)
{
	if (!pos || pr->readable)
		return;
	strbuf_adds(pr->out, " !");
	print_u64(pr, pos);
}

void print_words(struct printer *pr, const struct ir_word *words, size_t n, uint32_t bits)
{
	for (size_t i = 0; i < n; i++)
		if (bits & words[i].bit) {
			strbuf_addc(pr->out, ' ');
			strbuf_adds(pr->out, words[i].word);
		}
}

void print_worded(struct printer *pr, const char *word, uint32_t text)
{
	if (!text)
		return;
	strbuf_addf(pr->out, " %s ", word);
	print_quoted(pr, ir_str(pr->p, text));
}

static void print_dtype(struct printer *pr, uint32_t id)
{
	const struct ir_dtype *d = &pr->p->dtypes.at[id];

	strbuf_addf(pr->out, "type $%u = %s", id, ir_dkind_words[d->kind]);
	if (d->name) {
		strbuf_addc(pr->out, ' ');
		print_quoted(pr, ir_str(pr->p, d->name));
	}
	print_dtype_ref(pr, d->elem);
	if (d->size)
		strbuf_addf(pr->out, " size %lu", d->size);
	if (d->count)
		strbuf_addf(pr->out, " count %lu", d->count);
	if (d->fields.n) {
		strbuf_adds(pr->out, " {\n");
		vec_each (&d->fields, i) {
			const struct ir_field *fd = &d->fields.at[i];

			strbuf_addc(pr->out, '\t');
			print_u64(pr, fd->bit_offset);
			strbuf_adds(pr->out, ": ");
			print_name(pr, fd->name);
			print_dtype_ref(pr, fd->dtype);
			strbuf_addc(pr->out, '\n');
		}
		strbuf_addc(pr->out, '}');
	}
	strbuf_addc(pr->out, '\n');
}

static size_t zero_run(const uint8_t *s, size_t n)
{
	size_t i = 0;
	uint64_t w;

	for (; n - i >= 8; i += 8) {
		memcpy(&w, s + i, 8);
		if (w)
			break;
	}
	while (i < n && !s[i])
		i++;
	return i;
}

/* The number of bytes for one line: up to the next run of ZERO_RUN zeros. */
static size_t piece_length(const uint8_t *s, size_t n)
{
	size_t i = 0, z;

	while (i < n && i < BYTES_PER_LINE) {
		z = zero_run(s + i, MIN(n - i, (size_t)ZERO_RUN));
		if (z == ZERO_RUN)
			break;
		i += z ? z : 1;
	}
	return MIN(i, (size_t)BYTES_PER_LINE);
}

static void print_piece(struct printer *pr, const uint8_t *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t text = 0;

	for (size_t i = 0; i < n; i++)
		text += (s[i] >= 0x20 && s[i] < 0x7f) || s[i] == '\n' || s[i] == '\t' ||
			(!s[i] && i == n - 1);
	if (text * 5 >= n * 3) {
		print_escaped(pr, s, n);
		return;
	}
	strbuf_adds(pr->out, "x\"");
	for (size_t i = 0; i < n; i++) {
		strbuf_addc(pr->out, hex[s[i] >> 4]);
		strbuf_addc(pr->out, hex[s[i] & 15]);
	}
	strbuf_addc(pr->out, '"');
}

static void print_init(struct printer *pr, const struct ir_global *g)
{
	size_t i = g->init ? 0 : g->size, k;

	/* a global without initializer is all zero */
	if (i == g->size || zero_run(g->init, g->size) == g->size)
		return;
	strbuf_adds(pr->out, " =");
	while (i < g->size) {
		strbuf_adds(pr->out, g->size <= BYTES_PER_LINE ? " " : "\n\t");
		k = zero_run(g->init + i, g->size - i);
		if (k >= ZERO_RUN) {
			strbuf_addf(pr->out, "zero %zu", k);
		} else {
			k = piece_length(g->init + i, g->size - i);
			print_piece(pr, g->init + i, k);
		}
		i += k;
	}
}

static void print_global(struct printer *pr, uint32_t id)
{
	const struct ir_global *g = &pr->p->globals.at[id];

	strbuf_adds(pr->out, g->flags & IR_G_EXTERN ? "extern global " : "global ");
	print_symbol(pr, IR_C_GLOBAL, id);
	print_words(pr, ir_global_words, ARRAY_SIZE(ir_global_words), g->flags);
	strbuf_addf(pr->out, " size %lu align %u", g->size, g->align);
	print_worded(pr, "section", g->section);
	print_dtype_ref(pr, g->dtype);
	print_pos_ref(pr, g->pos);
	print_init(pr, g);
	if (g->relocs.n) {
		strbuf_adds(pr->out, " {\n");
		vec_each (&g->relocs, i) {
			const struct ir_reloc *r = &g->relocs.at[i];

			strbuf_addf(pr->out, "\t%lu: ", r->offset);
			print_address(pr, r->kind, r->id, r->addend);
			strbuf_addc(pr->out, '\n');
		}
		strbuf_addc(pr->out, '}');
	}
	strbuf_addc(pr->out, '\n');
}

static void print_ctors(struct printer *pr, const char *word, const struct ir_ctor *c, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		strbuf_addf(pr->out, "%s ", word);
		print_symbol(pr, IR_C_FUNC, c[i].func);
		strbuf_addf(pr->out, " priority %d\n", c[i].priority);
	}
}

static void print_pos(struct printer *pr, uint32_t id)
{
	const struct ir_pos *at = &pr->p->positions.at[id];

	strbuf_adds(pr->out, "pos !");
	print_u64(pr, id);
	strbuf_adds(pr->out, " = ");
	print_quoted(pr, ir_str(pr->p, at->file));
	strbuf_addc(pr->out, ':');
	print_u64(pr, at->line);
	strbuf_addc(pr->out, ':');
	print_u64(pr, at->col);
	if (at->func) {
		strbuf_adds(pr->out, " in ");
		print_name(pr, at->func);
	}
	if (at->inlined_at) {
		strbuf_adds(pr->out, " at !");
		print_u64(pr, at->inlined_at);
	}
	strbuf_addc(pr->out, '\n');
}

void ir_print(struct strbuf *out, const struct ir_program *p)
{
	struct printer pr = {.out = out, .p = p};

	print_number_twins(&pr);
	strbuf_adds(out, "heddle-ir 1\n");
	for (uint32_t i = 1; i < p->dtypes.n; i++)
		print_dtype(&pr, i);
	vec_each (&p->globals, i)
		print_global(&pr, i);
	vec_each (&p->aliases, i) {
		const struct ir_alias *a = &p->aliases.at[i];

		strbuf_adds(out, "alias @");
		print_name(&pr, a->name);
		strbuf_adds(out, " = ");
		print_address(&pr, a->kind, a->id, a->addend);
		strbuf_addc(out, '\n');
	}
	print_ctors(&pr, "ctor", p->ctors.at, p->ctors.n);
	print_ctors(&pr, "dtor", p->dtors.at, p->dtors.n);
	vec_each (&p->asms, i) {
		strbuf_adds(out, "asm ");
		print_quoted(&pr, ir_str(p, p->asms.at[i]));
		strbuf_addc(out, '\n');
	}
	vec_each (&p->funcs, i) {
		if (!(p->funcs.at[i].flags & IR_FN_EXTERN))
			strbuf_addc(out, '\n');
		print_func(&pr, i);
	}
	if (p->positions.n > 1)
		strbuf_addc(out, '\n');
	for (uint32_t i = 1; i < p->positions.n; i++)
		print_pos(&pr, i);
	free(pr.twins);
}
