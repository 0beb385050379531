#include "ir/parse_internal.h"

#include "base/arena.h"
#include "base/hash.h"
#include "ir/text.h"
#include "ir/validate.h"

#include <stdlib.h>
#include <string.h>

/* limit for all initializers together, because a short text can denote a long run of zeros */
#define MAX_INIT_BYTES (256ull << 20)

/* ---- tokens ------------------------------------------------------------------------------ */

static bool at_word(const struct parser *ps, const char *word)
{
	const struct token *t = &ps->lx.t;
	size_t n = strlen(word);

	return t->kind == TOK_WORD && t->n == n && !memcmp(t->s, word, n);
}

bool parse_try_char(struct parser *ps, int c)
{
	if (ps->lx.t.kind != c)
		return false;
	lex_next(&ps->lx);
	return true;
}

bool parse_try_word(struct parser *ps, const char *word)
{
	if (!at_word(ps, word))
		return false;
	lex_next(&ps->lx);
	return true;
}

void parse_char(struct parser *ps, int c)
{
	char buf[48];

	if (!parse_try_char(ps, c))
		lex_fail(&ps->lx, "expected '%c', not %s", c, lex_describe(&ps->lx, buf));
}

void parse_word(struct parser *ps, const char *word)
{
	char buf[48];

	if (!parse_try_word(ps, word))
		lex_fail(&ps->lx, "expected '%s', not %s", word, lex_describe(&ps->lx, buf));
}

uint64_t parse_u64(struct parser *ps)
{
	uint64_t v = ps->lx.t.lo;
	char buf[48];

	if (ps->lx.t.kind != TOK_INT || ps->lx.t.neg || ps->lx.t.hi) {
		lex_fail(&ps->lx, "expected a number, not %s", lex_describe(&ps->lx, buf));
		return 0;
	}
	lex_next(&ps->lx);
	return v;
}

uint32_t parse_u32(struct parser *ps)
{
	if (ps->lx.t.kind == TOK_INT && ps->lx.t.lo > UINT32_MAX)
		lex_fail(&ps->lx, "number past 32 bits");
	return (uint32_t)parse_u64(ps);
}

int64_t parse_i64(struct parser *ps)
{
	bool neg = ps->lx.t.kind == TOK_INT && ps->lx.t.neg;
	uint64_t v;

	ps->lx.t.neg = false;
	if (ps->lx.t.lo > INT64_MAX + (uint64_t)neg)
		lex_fail(&ps->lx, "number past 64 bits");
	v = parse_u64(ps);
	return (int64_t)(neg ? -v : v);
}

ir_type parse_type(struct parser *ps)
{
	int t = ps->lx.t.kind == TOK_WORD ? ir_type_parse(ps->lx.t.s, ps->lx.t.n) : -1;
	char buf[48];

	if (t < 0) {
		lex_fail(&ps->lx, "expected a type, not %s", lex_describe(&ps->lx, buf));
		return IR_VOID;
	}
	lex_next(&ps->lx);
	return (ir_type)t;
}

uint32_t parse_string(struct parser *ps)
{
	const struct token *t = &ps->lx.t;
	uint32_t id = 0;
	char buf[48];

	if (t->kind != TOK_STR)
		lex_fail(&ps->lx, "expected a string, not %s", lex_describe(&ps->lx, buf));
	else if (t->n && memchr(t->s, 0, t->n))
		lex_fail(&ps->lx, "a name cannot contain a NUL byte");
	else if (t->n)
		id = intern_strn(&ps->p->strs, t->s, t->n);
	lex_next(&ps->lx);
	return id;
}

/* a name, with or without quotes */
static uint32_t parse_name(struct parser *ps)
{
	uint32_t id;

	if (ps->lx.t.kind != TOK_WORD)
		return parse_string(ps);
	id = intern_strn(&ps->p->strs, ps->lx.t.s, ps->lx.t.n);
	lex_next(&ps->lx);
	return id;
}

bool parse_at_numbered(const struct parser *ps, char letter)
{
	const struct token *t = &ps->lx.t;

	if (t->kind != TOK_WORD || t->n < 2 || t->n > 11 || t->s[0] != letter)
		return false;
	for (size_t i = 1; i < t->n; i++)
		if (t->s[i] < '0' || t->s[i] > '9')
			return false;
	return true;
}

uint32_t parse_numbered(struct parser *ps, char letter)
{
	const struct token *t = &ps->lx.t;
	uint64_t v = 0;
	char buf[48];

	if (!parse_at_numbered(ps, letter)) {
		lex_fail(&ps->lx, "expected '%c' and a number, not %s", letter,
			lex_describe(&ps->lx, buf));
		return 0;
	}
	for (size_t i = 1; i < t->n; i++)
		v = v * 10 + (uint64_t)(t->s[i] - '0');
	if (v >= UINT32_MAX)
		lex_fail(&ps->lx, "number past 32 bits");
	lex_next(&ps->lx);
	return (uint32_t)v;
}

static uint32_t parse_opt_id(struct parser *ps, int kind)
{
	uint64_t v = ps->lx.t.lo;

	if (ps->lx.t.kind != kind)
		return 0;
	if (v >= UINT32_MAX)
		lex_fail(&ps->lx, "number past 32 bits");
	lex_next(&ps->lx);
	return (uint32_t)v;
}

uint32_t parse_opt_dtype(struct parser *ps)
{
	return parse_opt_id(ps, TOK_DTYPE);
}

uint32_t parse_opt_pos(struct parser *ps)
{
	return parse_opt_id(ps, TOK_POS);
}

uint32_t parse_opt_text(struct parser *ps, const char *word)
{
	return parse_try_word(ps, word) ? parse_string(ps) : 0;
}

uint32_t parse_words(struct parser *ps, const struct ir_word *words, size_t n)
{
	uint32_t bits = 0;
	size_t i;

	while (ps->lx.t.kind == TOK_WORD) {
		for (i = 0; i < n && !at_word(ps, words[i].word); i++)
			;
		if (i == n)
			break;
		bits |= words[i].bit;
		lex_next(&ps->lx);
	}
	return bits;
}

void parse_line_end(struct parser *ps)
{
	char buf[48];

	if (!ps->lx.t.nl)
		lex_fail(&ps->lx, "expected the end of the line, not %s",
			lex_describe(&ps->lx, buf));
}

/* ---- symbols ----------------------------------------------------------------------------- */

static uint32_t parse_symbol(struct parser *ps)
{
	const struct token *t = &ps->lx.t;
	struct parse_sym s = {.kind = IR_C_BITS};
	uint64_t *slot;
	char buf[48];

	if (t->kind != TOK_SYM || t->lo - 1 >= UINT32_MAX) {
		lex_fail(&ps->lx, "expected a symbol, not %s", lex_describe(&ps->lx, buf));
		return 0;
	}
	s.name = t->n ? intern_strn(&ps->p->strs, t->s, t->n) : 0;
	s.twin = (uint32_t)t->lo;
	slot = map_put(&ps->sym_by_name, (uint64_t)s.twin << 32 | s.name);
	if (!*slot) {
		s.used = parse_here(ps);
		vec_push(&ps->syms, s);
		*slot = ps->syms.n;
	}
	lex_next(&ps->lx);
	return (uint32_t)*slot - 1;
}

void parse_address(struct parser *ps, uint8_t *kind, uint32_t *id, int64_t *addend)
{
	struct place here = parse_here(ps);
	uint64_t n = ps->lx.t.hi;
	bool neg = ps->lx.t.neg;

	*kind = IR_C_GLOBAL;
	*id = 0;
	*addend = (int64_t)(neg ? -n : n);
	if (n > INT64_MAX + (uint64_t)neg)
		lex_fail(&ps->lx, "addend past 64 bits");
	*id = parse_symbol(ps);
	if (ps->lx.failed)
		return;
	if (n && !ps->syms.at[*id].used_with_addend.line)
		ps->syms.at[*id].used_with_addend = here;
	if (!n && parse_try_char(ps, ':')) {
		*kind = IR_C_BLOCK;
		*addend = parse_numbered(ps, 'b');
		if (!ps->syms.at[*id].used_as_func.line)
			ps->syms.at[*id].used_as_func = here;
	}
}

uint32_t parse_bare_symbol(struct parser *ps)
{
	if (ps->lx.t.kind == TOK_SYM && ps->lx.t.hi)
		lex_fail(&ps->lx, "a symbol without addend must stand here");
	return parse_symbol(ps);
}

void parse_define(struct parser *ps, uint32_t sym, uint8_t kind, uint32_t id)
{
	struct parse_sym *s;

	if (ps->lx.failed)
		return;
	s = &ps->syms.at[sym];
	if (s->kind != IR_C_BITS)
		lex_fail(&ps->lx, "second definition of '%s' (a twin is written '@%s#2')",
			ir_str(ps->p, s->name), ir_str(ps->p, s->name));
	s->kind = kind;
	s->id = id;
}

static void check_symbols(struct parser *ps)
{
	vec_each (&ps->syms, i) {
		const struct parse_sym *s = &ps->syms.at[i];
		const char *name = ir_str(ps->p, s->name);

		if (s->kind == IR_C_BITS)
			lex_fail_at(
				&ps->lx, s->used.line, s->used.col, "undefined symbol '%s'", name);
		if (s->kind == IR_C_FUNC && s->used_with_addend.line)
			lex_fail_at(&ps->lx, s->used_with_addend.line, s->used_with_addend.col,
				"address inside function '%s'", name);
		if (s->kind == IR_C_GLOBAL && s->used_as_func.line)
			lex_fail_at(&ps->lx, s->used_as_func.line, s->used_as_func.col,
				"'%s' is no function", name);
	}
}

static void resolve_symbol(struct parser *ps, uint8_t *kind, uint32_t *id)
{
	const struct parse_sym *s = &ps->syms.at[*id];

	if (*kind == IR_C_GLOBAL)
		*kind = s->kind;
	*id = s->id;
}

/* Replaces indices of symbols with ids of functions and globals. */
static void resolve_symbols(struct parser *ps)
{
	struct ir_program *p = ps->p;
	uint8_t is_func = IR_C_FUNC;

	vec_each (&p->funcs, i)
		vec_each (&p->funcs.at[i].consts, k) {
			struct ir_const *c = &p->funcs.at[i].consts.at[k];

			if (c->kind == IR_C_GLOBAL || c->kind == IR_C_BLOCK)
				resolve_symbol(ps, &c->kind, &c->id);
		}
	vec_each (&p->globals, i)
		vec_each (&p->globals.at[i].relocs, k)
			resolve_symbol(ps, &p->globals.at[i].relocs.at[k].kind,
				&p->globals.at[i].relocs.at[k].id);
	vec_each (&p->aliases, i)
		resolve_symbol(ps, &p->aliases.at[i].kind, &p->aliases.at[i].id);
	vec_each (&p->ctors, i)
		resolve_symbol(ps, &is_func, &p->ctors.at[i].func);
	vec_each (&p->dtors, i)
		resolve_symbol(ps, &is_func, &p->dtors.at[i].func);
}

static void put_name(struct map *m, uint32_t name, uint32_t id)
{
	if (name && !map_get(m, name))
		*map_put(m, name) = id;
}

static void index_names(struct ir_program *p)
{
	vec_each (&p->funcs, i)
		if (!(p->funcs.at[i].flags & IR_FN_LOCAL))
			put_name(&p->func_by_name, p->funcs.at[i].name, i);
	vec_each (&p->globals, i)
		if (!(p->globals.at[i].flags & IR_G_LOCAL))
			put_name(&p->global_by_name, p->globals.at[i].name, i);
	vec_each (&p->aliases, i) {
		const struct ir_alias *a = &p->aliases.at[i];
		struct map *by_name =
			a->kind == IR_C_FUNC ? &p->func_by_name : &p->global_by_name;

		/* the alias has priority: the importer keeps only aliases that are in effect */
		*map_put(by_name, a->name) = a->id;
	}
}

/* ---- tables ------------------------------------------------------------------------------ */

/* entries of a table must be numbered in ascending order without gaps */
static void parse_next_id(struct parser *ps, int kind, uint32_t next)
{
	char buf[48];

	if (ps->lx.t.kind != kind || ps->lx.t.lo != next)
		lex_fail(&ps->lx, "expected '%c%u', not %s", kind == TOK_POS ? '!' : '$', next,
			lex_describe(&ps->lx, buf));
	lex_next(&ps->lx);
	parse_char(ps, '=');
}

static void parse_dtype(struct parser *ps)
{
	struct ir_dtype d = {0};
	char buf[48];

	parse_next_id(ps, TOK_DTYPE, ps->p->dtypes.n);
	while (d.kind < ARRAY_SIZE(ir_dkind_words) && !at_word(ps, ir_dkind_words[d.kind]))
		d.kind++;
	if (d.kind == ARRAY_SIZE(ir_dkind_words))
		lex_fail(&ps->lx, "expected a kind of type, not %s", lex_describe(&ps->lx, buf));
	lex_next(&ps->lx);
	if (ps->lx.t.kind == TOK_STR)
		d.name = parse_string(ps);
	d.elem = parse_opt_dtype(ps);
	if (parse_try_word(ps, "size"))
		d.size = parse_u64(ps);
	if (parse_try_word(ps, "count"))
		d.count = parse_u64(ps);
	if (parse_try_char(ps, '{')) {
		while (ps->lx.t.kind == TOK_INT) {
			struct ir_field f = {.bit_offset = parse_u64(ps)};

			parse_char(ps, ':');
			f.name = parse_name(ps);
			f.dtype = parse_opt_dtype(ps);
			vec_push(&d.fields, f);
		}
		parse_char(ps, '}');
	}
	vec_push(&ps->p->dtypes, d);
}

/* Reads the `size` bytes after '='; NULL after an error. */
static uint8_t *parse_init(struct parser *ps, uint64_t size)
{
	uint8_t *init, *at;
	uint64_t left = size, n;

	if (size > ps->bytes_left) {
		lex_fail(&ps->lx, "initializers of more than %llu bytes", MAX_INIT_BYTES);
		return NULL;
	}
	ps->bytes_left -= size;
	init = at = arena_alloc(&ps->p->arena, size);
	for (;;) {
		const struct token *t = &ps->lx.t;
		bool zero = at_word(ps, "zero");

		if (!zero && t->kind != TOK_STR && t->kind != TOK_HEX)
			break;
		n = t->n;
		if (zero) {
			lex_next(&ps->lx);
			n = t->lo;
		}
		if (n > left) {
			lex_fail(&ps->lx, "initializer longer than its object");
			return NULL;
		}
		if (zero)
			parse_u64(ps);
		else if (n)
			memcpy(at, t->s, n);
		if (!zero)
			lex_next(&ps->lx);
		at += n;
		left -= n;
	}
	if (left)
		lex_fail(&ps->lx, "initializer shorter than its object by %lu bytes", left);
	return init;
}

static void parse_relocs(struct parser *ps, struct ir_global *g)
{
	while (ps->lx.t.kind == TOK_INT) {
		struct ir_reloc r = {.offset = parse_u64(ps)};

		parse_char(ps, ':');
		parse_address(ps, &r.kind, &r.id, &r.addend);
		vec_push(&g->relocs, r);
	}
	parse_char(ps, '}');
}

static void parse_global(struct parser *ps, bool is_extern)
{
	struct ir_global g = {.flags = is_extern ? IR_G_EXTERN : 0};
	uint32_t sym = parse_bare_symbol(ps);

	if (ps->lx.failed)
		return;
	parse_define(ps, sym, IR_C_GLOBAL, ps->p->globals.n);
	g.name = ps->syms.at[sym].name;
	g.flags |= parse_words(ps, ir_global_words, ARRAY_SIZE(ir_global_words));
	parse_word(ps, "size");
	g.size = parse_u64(ps);
	parse_word(ps, "align");
	g.align = parse_u32(ps);
	g.section = parse_opt_text(ps, "section");
	g.dtype = parse_opt_dtype(ps);
	g.pos = parse_opt_pos(ps);
	if (parse_try_char(ps, '='))
		g.init = parse_init(ps, g.size);
	if (parse_try_char(ps, '{'))
		parse_relocs(ps, &g);
	vec_push(&ps->p->globals, g);
}

static void parse_alias(struct parser *ps)
{
	struct ir_alias a = {0};

	if (ps->lx.t.kind != TOK_SYM || ps->lx.t.hi)
		lex_fail(&ps->lx, "expected the alias's name");
	else if (ps->lx.t.n)
		a.name = intern_strn(&ps->p->strs, ps->lx.t.s, ps->lx.t.n);
	lex_next(&ps->lx);
	parse_char(ps, '=');
	parse_address(ps, &a.kind, &a.id, &a.addend);
	if (a.kind == IR_C_BLOCK)
		lex_fail(&ps->lx, "a block has no alias");
	vec_push(&ps->p->aliases, a);
}

static struct ir_ctor parse_ctor(struct parser *ps)
{
	struct place here = parse_here(ps);
	struct ir_ctor c = {.func = parse_bare_symbol(ps)};
	int64_t priority;

	if (!ps->lx.failed && !ps->syms.at[c.func].used_as_func.line)
		ps->syms.at[c.func].used_as_func = here;
	parse_word(ps, "priority");
	priority = parse_i64(ps);
	if (priority != (int32_t)priority)
		lex_fail(&ps->lx, "priority past 32 bits");
	c.priority = (int32_t)priority;
	return c;
}

static void parse_pos(struct parser *ps)
{
	struct ir_program *p = ps->p;
	struct ir_pos at = {0};
	uint64_t *slot;

	parse_next_id(ps, TOK_POS, p->positions.n);
	at.file = parse_string(ps);
	parse_char(ps, ':');
	at.line = parse_u32(ps);
	parse_char(ps, ':');
	at.col = parse_u32(ps);
	if (parse_try_word(ps, "in"))
		at.func = parse_name(ps);
	if (parse_try_word(ps, "at"))
		at.inlined_at = parse_opt_pos(ps);
	slot = map_put(&p->pos_by_hash, hash_bytes(&at, sizeof at));
	if (!*slot)
		*slot = p->positions.n;
	vec_push(&p->positions, at);
}

static void parse_item(struct parser *ps)
{
	char buf[48];

	if (parse_try_word(ps, "type"))
		parse_dtype(ps);
	else if (parse_try_word(ps, "global"))
		parse_global(ps, false);
	else if (parse_try_word(ps, "func"))
		parse_func(ps, false);
	else if (parse_try_word(ps, "pos"))
		parse_pos(ps);
	else if (parse_try_word(ps, "asm"))
		vec_push(&ps->p->asms, parse_string(ps));
	else if (parse_try_word(ps, "alias"))
		parse_alias(ps);
	else if (parse_try_word(ps, "ctor"))
		vec_push(&ps->p->ctors, parse_ctor(ps));
	else if (parse_try_word(ps, "dtor"))
		vec_push(&ps->p->dtors, parse_ctor(ps));
	else if (!parse_try_word(ps, "extern"))
		lex_fail(&ps->lx, "expected 'type', 'global', 'func' or the like, not %s",
			lex_describe(&ps->lx, buf));
	else if (parse_try_word(ps, "func"))
		parse_func(ps, true);
	else if (parse_try_word(ps, "global"))
		parse_global(ps, true);
	else
		lex_fail(&ps->lx, "expected 'func' or 'global' after 'extern'");
	parse_line_end(ps);
}

static void parse_program(struct parser *ps)
{
	if (!at_word(ps, "heddle"))
		lex_fail(&ps->lx, "not the textual IR of heddle (it begins with 'heddle-ir 1')");
	parse_word(ps, "heddle");
	parse_char(ps, '-');
	parse_word(ps, "ir");
	if (ps->lx.t.kind != TOK_INT || ps->lx.t.lo != 1)
		lex_fail(
			&ps->lx, "unknown version of the textual IR (this heddle reads version 1)");
	parse_u64(ps);
	parse_line_end(ps);
	while (ps->lx.t.kind != TOK_END)
		parse_item(ps);
}

/* ---- the whole --------------------------------------------------------------------------- */

static struct diag_pos position_of(void *ctx, uint32_t func, uint32_t insn)
{
	const struct parser *ps = ctx;
	struct place at = {0};

	if (func != IR_NONE)
		at = ps->func_places.at[func];
	if (insn != IR_NONE)
		at = ps->insn_places.at[ps->first_insn.at[func] + insn];
	return (struct diag_pos){ps->lx.name, at.line, at.col};
}

static void release_parser(struct parser *ps)
{
	lex_release(&ps->lx);
	vec_release(&ps->syms);
	vec_release(&ps->list);
	vec_release(&ps->untyped);
	vec_release(&ps->func_places);
	vec_release(&ps->insn_places);
	vec_release(&ps->first_insn);
	map_release(&ps->sym_by_name);
	map_release(&ps->ops);
	map_release(&ps->consts);
}

struct ir_program *ir_parse(const char *name, const char *text, size_t n)
{
	struct parser ps = {.p = ir_program_new(), .bytes_left = MAX_INIT_BYTES,
		.regs_left = n + 1024};

	for (uint32_t op = 0; op < IR_NOPS; op++)
		*map_put(&ps.ops, hash_bytes(ir_ops[op].name, strlen(ir_ops[op].name))) = op + 1;
	lex_init(&ps.lx, name, text, n);
	parse_program(&ps);
	check_symbols(&ps);
	if (!ps.lx.failed) {
		resolve_symbols(&ps);
		index_names(ps.p);
	}
	if (ps.lx.failed || ir_validate_at(ps.p, position_of, &ps)) {
		ir_program_free(ps.p);
		ps.p = NULL;
	}
	release_parser(&ps);
	return ps.p;
}
