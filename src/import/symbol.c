#include "import/import_internal.h"

#include "base/diag.h"
#include "base/strbuf.h"
#include "import/watch.h"
#include "log/effects.h"

#include <stdlib.h>
#include <string.h>

/*
 * Symbols of the module in the symbol table of the program. A definition has a rank; of two
 * definitions the one with the higher rank is kept. It is queued and translated later, so that of a
 * module of models only the definitions in use are translated.
 */
enum rank { R_EXTERN, R_MODEL_WEAK, R_MODEL, R_WEAK, R_STRONG };

uint32_t str_id(struct importer *im, const char *s, size_t n)
{
	char *copy;
	uint32_t id;

	if (!n)
		return 0;
	if (!memchr(s, 0, n))
		return intern_strn(&im->p->strs, s, n);
	copy = xstrndup(s, n);
	for (size_t i = 0; i < n; i++)
		copy[i] = s[i] ? s[i] : '?';
	id = intern_strn(&im->p->strs, copy, n);
	free(copy);
	return id;
}

/* the linkage name, without the prefix \1, which means "do not mangle" */
static uint32_t name_of(struct importer *im, LLVMValueRef v)
{
	size_t n;
	const char *s = LLVMGetValueName2(v, &n);

	if (n && s[0] == 1) {
		s++;
		n--;
	}
	return str_id(im, s, n);
}

static bool is_local(LLVMValueRef v)
{
	LLVMLinkage l = LLVMGetLinkage(v);
	size_t n;

	LLVMGetValueName2(v, &n);
	return l == LLVMInternalLinkage || l == LLVMPrivateLinkage || !n;
}

static bool is_weak(LLVMValueRef v)
{
	switch (LLVMGetLinkage(v)) {
	case LLVMLinkOnceAnyLinkage:
	case LLVMLinkOnceODRLinkage:
	case LLVMWeakAnyLinkage:
	case LLVMWeakODRLinkage:
	case LLVMCommonLinkage:
	case LLVMAvailableExternallyLinkage:
	case LLVMExternalWeakLinkage: return true;
	default: return false;
	}
}

/* See import_define_inline_bodies(). */
static bool has_inline_body(LLVMValueRef v)
{
	size_t n;

	if (!LLVMIsAFunction(v) || LLVMIsDeclaration(v) ||
		LLVMGetLinkage(v) != LLVMAvailableExternallyLinkage ||
		effects_find(LLVMGetValueName2(v, &n)).kind != EFFECTS_UNKNOWN)
		return false;
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);

		if (LLVMIsAInstruction(user) &&
			LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == v)
			return false;
	}
	return true;
}

static bool is_definition(LLVMValueRef v)
{
	if (LLVMGetValueKind(v) == LLVMGlobalIFuncValueKind || LLVMIsDeclaration(v))
		return false;
	return LLVMGetLinkage(v) != LLVMAvailableExternallyLinkage || has_inline_body(v);
}

void import_define_inline_bodies(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (has_inline_body(f))
			LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
}

static enum rank rank_of(bool is_extern, bool model, bool weak)
{
	if (is_extern)
		return R_EXTERN;
	return (model ? R_MODEL_WEAK : R_WEAK) + (weak ? 0 : 1);
}

/* Whether a new definition replaces the present one. Two strong definitions of the program are an
 * error; of two strong definitions of models the first one is kept. */
static bool takes_over(struct importer *im, enum rank there, enum rank mine, uint32_t name)
{
	if (there == R_STRONG && mine == R_STRONG) {
		error_("'%s' is defined a second time in '%s' (remove one of the definitions)",
			ir_str(im->p, name), im->name);
		im->failed = true;
	}
	return mine > there;
}

/* ---- functions --------------------------------------------------------------------------- */

static uint64_t byval_size(struct importer *im, LLVMValueRef f, unsigned param)
{
	LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, param + 1, im->attrs.byval);

	return a ? type_size(im, LLVMGetTypeAttributeValue(a)) : 0;
}

static bool has_fn_attr(LLVMValueRef f, unsigned kind)
{
	return LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

/* Sets parameters and results; both are empty if the IR has no type for one of them. */
static bool set_signature(struct importer *im, LLVMValueRef v, struct ir_func *f)
{
	LLVMTypeRef t = LLVMGlobalGetValueType(v);
	bool is_func = LLVMGetValueKind(v) == LLVMFunctionValueKind;
	unsigned n = LLVMCountParamTypes(t);
	LLVMTypeRef *types = xcalloc(n + 1, sizeof *types);
	const struct layout *l = layout_of(im, LLVMGetReturnType(t));
	VEC(struct ir_param) params = {0};
	bool ok = l->ok;

	LLVMGetParamTypes(t, types);
	f->nret = l->n;
	f->ret = arena_array(&im->p->arena, ir_type, l->n);
	for (uint32_t i = 0; i < l->n; i++)
		f->ret[i] = l->leaf[i].type;
	for (unsigned i = 0; i < n && ok; i++) {
		uint64_t byval = is_func ? byval_size(im, v, i) : 0;

		l = layout_of(im, types[i]);
		ok = l->ok;
		for (uint32_t k = 0; k < l->n; k++)
			vec_push(&params, (struct ir_param){l->leaf[k].type, byval});
	}
	f->nparams = ok ? params.n : 0;
	f->nret = ok ? f->nret : 0;
	f->params = arena_memdup(&im->p->arena, params.at, f->nparams * sizeof *f->params);
	vec_release(&params);
	free(types);
	return ok;
}

static void set_func(struct importer *im, LLVMValueRef v, struct ir_func *f, bool defined)
{
	f->flags = 0;
	if (!defined)
		f->flags |= IR_FN_EXTERN;
	else if (im->flags & IMPORT_MODEL)
		f->flags |= IR_FN_MODEL;
	if (is_local(v))
		f->flags |= IR_FN_LOCAL;
	if (defined ? is_weak(v) : LLVMGetLinkage(v) == LLVMExternalWeakLinkage)
		f->flags |= IR_FN_WEAK;
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(v)))
		f->flags |= IR_FN_VARARG;
	if (LLVMGetValueKind(v) == LLVMFunctionValueKind) {
		if (has_fn_attr(v, im->attrs.noreturn))
			f->flags |= IR_FN_NORETURN;
		if (has_fn_attr(v, im->attrs.returns_twice))
			f->flags |= IR_FN_TWICE;
		f->pos = debug_func_pos(im, v);
	} else {
		warn_("'%s' is an ifunc, chosen by the dynamic linker: treated as an external "
		      "function",
			ir_str(im->p, f->name));
	}
	set_signature(im, v, f);
	abi_func(im, v, f);
}

static uint32_t add_func(struct importer *im, uint32_t name, bool local)
{
	struct ir_func *f = vec_add(&im->p->funcs);
	uint32_t id = im->p->funcs.n - 1;

	f->name = name;
	f->flags = IR_FN_EXTERN;
	if (!local)
		*map_put(&im->p->func_by_name, name) = id;
	return id;
}

static struct sym func_sym(struct importer *im, LLVMValueRef v)
{
	bool local = is_local(v), defined = is_definition(v), fresh = true;
	uint32_t name = name_of(im, v), id = IR_NONE;
	struct sym s = {.kind = IR_C_FUNC};
	struct ir_func *f;

	if (!local)
		id = (uint32_t)map_get_or(&im->p->func_by_name, name, IR_NONE);
	if (id == IR_NONE)
		id = add_func(im, name, local);
	else
		fresh = false;
	f = &im->p->funcs.at[id];
	if (defined)
		s.here = takes_over(im,
			rank_of(f->flags & IR_FN_EXTERN, f->flags & IR_FN_MODEL,
				f->flags & IR_FN_WEAK),
			rank_of(false, im->flags & IMPORT_MODEL, is_weak(v)), name);
	if (s.here && f->name != name) { /* the name was an alias until now */
		id = add_func(im, name, local);
		f = &im->p->funcs.at[id];
	}
	s.id = id;
	if (s.here)
		ir_func_drop_body(f);
	if (s.here || fresh)
		set_func(im, v, f, defined);
	else if (f->flags & IR_FN_EXTERN && !is_weak(v))
		f->flags &= ~(uint32_t)IR_FN_WEAK;
	if (s.here)
		vec_push(&im->funcs, (struct todo){v, id});
	return s;
}

uint32_t sym_library(
	struct importer *im, const char *name, ir_type ret, const ir_type *params, uint32_t nparams)
{
	uint32_t sid = str_id(im, name, strlen(name));
	uint32_t id = (uint32_t)map_get_or(&im->p->func_by_name, sid, IR_NONE);
	LLVMValueRef here = LLVMGetNamedFunction(im->mod, name);
	struct ir_func *f;

	if (here)
		return sym_of(im, here)->id;
	if (id != IR_NONE)
		return id;
	/* needed_read() left out a model that only an intrinsic function calls */
	BUG_ON(im->flags & IMPORT_NEEDED && intern_lookup(&im->optional, name, &id));
	id = add_func(im, sid, false);
	f = &im->p->funcs.at[id];
	f->nret = 1;
	f->ret = arena_memdup(&im->p->arena, &ret, sizeof ret);
	f->nparams = nparams;
	f->params = arena_array(&im->p->arena, struct ir_param, nparams);
	for (uint32_t i = 0; i < nparams; i++)
		f->params[i].type = params[i];
	return id;
}

/* ---- globals ----------------------------------------------------------------------------- */

static void set_global(struct importer *im, LLVMValueRef v, struct ir_global *g, bool defined)
{
	g->flags = 0;
	if (!defined)
		g->flags |= IR_G_EXTERN;
	else if (im->flags & IMPORT_MODEL)
		g->flags |= IR_G_MODEL;
	if (LLVMIsGlobalConstant(v))
		g->flags |= IR_G_CONST;
	if (LLVMIsThreadLocal(v))
		g->flags |= IR_G_TLS;
	if (is_local(v))
		g->flags |= IR_G_LOCAL;
	if (defined ? is_weak(v) : LLVMGetLinkage(v) == LLVMExternalWeakLinkage)
		g->flags |= IR_G_WEAK;
	g->size = type_size(im, LLVMGlobalGetValueType(v));
	g->align = LLVMGetAlignment(v);
	if (!g->align && g->size)
		g->align = LLVMPreferredAlignmentOfGlobal(im->td, v);
	if (!g->align)
		g->align = 1;
	g->init = NULL;
	vec_release(&g->relocs);
	debug_global(im, v, g);
	abi_global(im, v, g);
}

static uint32_t add_global(struct importer *im, uint32_t name, bool local)
{
	struct ir_global *g = vec_add(&im->p->globals);
	uint32_t id = im->p->globals.n - 1;

	g->name = name;
	g->flags = IR_G_EXTERN;
	if (!local)
		*map_put(&im->p->global_by_name, name) = id;
	return id;
}

static struct sym global_sym(struct importer *im, LLVMValueRef v)
{
	bool local = is_local(v), defined = is_definition(v), fresh = true;
	uint32_t name = name_of(im, v), id = IR_NONE;
	struct sym s = {.kind = IR_C_GLOBAL};
	struct ir_global *g;

	if (!local)
		id = (uint32_t)map_get_or(&im->p->global_by_name, name, IR_NONE);
	if (id == IR_NONE)
		id = add_global(im, name, local);
	else
		fresh = false;
	g = &im->p->globals.at[id];
	if (defined)
		s.here = takes_over(im,
			rank_of(g->flags & IR_G_EXTERN, g->flags & IR_G_MODEL,
				g->flags & IR_G_WEAK),
			rank_of(false, im->flags & IMPORT_MODEL, is_weak(v)), name);
	if (s.here && g->name != name) {
		id = add_global(im, name, local);
		g = &im->p->globals.at[id];
	}
	s.id = id;
	if (s.here || fresh)
		set_global(im, v, g, defined);
	else if (g->flags & IR_G_EXTERN && !is_weak(v))
		g->flags &= ~(uint32_t)IR_G_WEAK;
	else if (LLVMGetLinkage(v) == LLVMCommonLinkage && g->flags & IR_G_WEAK && !g->init)
		g->size = MAX(g->size, type_size(im, LLVMGlobalGetValueType(v)));
	if (s.here)
		vec_push(&im->globals, (struct todo){v, id});
	return s;
}

/* ---- aliases ----------------------------------------------------------------------------- */

/* Whether the program has a symbol of the alias's name with at least its rank; *s is then that
 * symbol. A symbol of lower rank, such as an extern, is redirected to the target of the alias. */
static bool alias_gives_way(struct importer *im, LLVMValueRef v, uint32_t name, struct sym *s)
{
	struct map *m = s->kind == IR_C_FUNC ? &im->p->func_by_name : &im->p->global_by_name;
	uint32_t id = (uint32_t)map_get_or(m, name, IR_NONE), flags;
	bool is_extern, model, weak;

	if (id == IR_NONE)
		return false;
	if (s->kind == IR_C_FUNC) {
		flags = im->p->funcs.at[id].flags;
		is_extern = flags & IR_FN_EXTERN;
		model = flags & IR_FN_MODEL;
		weak = flags & IR_FN_WEAK;
	} else {
		flags = im->p->globals.at[id].flags;
		is_extern = flags & IR_G_EXTERN;
		model = flags & IR_G_MODEL;
		weak = flags & IR_G_WEAK;
	}
	if (id == s->id)
		return false;
	if (!takes_over(im, rank_of(is_extern, model, weak),
		    rank_of(false, im->flags & IMPORT_MODEL, is_weak(v)), name)) {
		*s = (struct sym){.kind = s->kind, .id = id};
		return true;
	}
	vec_push(&im->redirects, (struct redirect){s->kind, id, s->id, s->addend});
	return false;
}

static bool alias_sym(struct importer *im, LLVMValueRef v, struct sym *s)
{
	uint32_t name = name_of(im, v);
	struct ir_const c;

	if (!const_eval(im, LLVMAliasGetAliasee(v), &c) ||
		(c.kind != IR_C_GLOBAL && c.kind != IR_C_FUNC))
		return false;
	*s = (struct sym){.kind = c.kind, .id = c.id, .addend = (int64_t)c.lo};
	if (is_local(v) || alias_gives_way(im, v, name, s))
		return true;
	*map_put(s->kind == IR_C_FUNC ? &im->p->func_by_name : &im->p->global_by_name, name) =
		s->id;
	vec_push(&im->p->aliases,
		(struct ir_alias){.name = name, .kind = s->kind, .id = s->id, .addend = s->addend});
	return true;
}

const struct sym *sym_of(struct importer *im, LLVMValueRef v)
{
	uint64_t *slot = map_get(&im->syms, map_ptr(v));
	struct sym s = {0}, *copy;
	bool ok = true;

	if (slot)
		return (const struct sym *)(uintptr_t)*slot;
	switch (LLVMGetValueKind(v)) {
	case LLVMGlobalVariableValueKind: s = global_sym(im, v); break;
	case LLVMFunctionValueKind: ok = !LLVMGetIntrinsicID(v); /* fall through */
	case LLVMGlobalIFuncValueKind:
		if (ok)
			s = func_sym(im, v);
		break;
	case LLVMGlobalAliasValueKind: ok = alias_sym(im, v, &s); break;
	default: return NULL;
	}
	copy = ok ? arena_memdup(&im->arena, &s, sizeof s) : NULL;
	*map_put(&im->syms, map_ptr(v)) = map_ptr(copy);
	return copy;
}

/* ---- selection of symbols ---------------------------------------------------------------- */

static bool is_special(LLVMValueRef v)
{
	size_t n;
	const char *s = LLVMGetValueName2(v, &n);

	return n > 5 && !memcmp(s, "llvm.", 5);
}

void sym_define_all(struct importer *im)
{
	LLVMValueRef v;

	for (v = LLVMGetFirstFunction(im->mod); v; v = LLVMGetNextFunction(v))
		if (is_definition(v))
			sym_of(im, v);
	for (v = LLVMGetFirstGlobal(im->mod); v; v = LLVMGetNextGlobal(v))
		if (is_definition(v) && !is_special(v))
			sym_of(im, v);
	for (v = LLVMGetFirstGlobalAlias(im->mod); v; v = LLVMGetNextGlobalAlias(v))
		if (!sym_of(im, v))
			warn_("alias '%s' in '%s' has an unsupported target and is ignored",
				LLVMGetValueName(v), im->name);
}

static void define_named(void *ctx, const char *name)
{
	struct importer *im = ctx;
	LLVMValueRef v = sym_named(im->mod, name);

	if (v && (LLVMGetValueKind(v) == LLVMGlobalAliasValueKind || is_definition(v)) &&
		!is_local(v) && !is_special(v))
		sym_of(im, v);
}

void sym_each_needed(struct importer *im, void (*fn)(void *ctx, const char *name), void *ctx)
{
	uint32_t nf = im->p->funcs.n, ng = im->p->globals.n;

	for (uint32_t i = 0; i < nf; i++)
		if (im->p->funcs.at[i].flags & IR_FN_EXTERN)
			fn(ctx, ir_func_name(im->p, i));
	for (uint32_t i = 0; i < ng; i++)
		if (im->p->globals.at[i].flags & IR_G_EXTERN)
			fn(ctx, ir_str(im->p, im->p->globals.at[i].name));
	fn(ctx, "__heddle_start");
}

void sym_define_needed(struct importer *im)
{
	sym_each_needed(im, define_named, im);
}

/* ---- symbols replaced by aliases --------------------------------------------------------- */

struct remap {
	uint32_t *funcs, *globals; /* old id -> new id */
	int64_t *addends;          /* by old id of a global, in bytes */
};

static void remap_const(const struct remap *r, struct ir_const *c)
{
	if (c->kind == IR_C_GLOBAL) {
		c->lo += (uint64_t)r->addends[c->id];
		c->id = r->globals[c->id];
	} else if (c->kind == IR_C_FUNC || c->kind == IR_C_BLOCK) {
		c->id = r->funcs[c->id];
	}
}

static void remap_users(struct ir_program *p, const struct remap *r)
{
	vec_each (&p->funcs, i)
		vec_each (&p->funcs.at[i].consts, k)
			remap_const(r, &p->funcs.at[i].consts.at[k]);
	vec_each (&p->globals, i)
		vec_each (&p->globals.at[i].relocs, k) {
			struct ir_reloc *e = &p->globals.at[i].relocs.at[k];

			if (e->kind == IR_C_GLOBAL) {
				e->addend += r->addends[e->id];
				e->id = r->globals[e->id];
			} else {
				e->id = r->funcs[e->id];
			}
		}
	vec_each (&p->aliases, i)
		p->aliases.at[i].id = p->aliases.at[i].kind == IR_C_FUNC
					      ? r->funcs[p->aliases.at[i].id]
					      : r->globals[p->aliases.at[i].id];
	vec_each (&p->ctors, i)
		p->ctors.at[i].func = r->funcs[p->ctors.at[i].func];
	vec_each (&p->dtors, i)
		p->dtors.at[i].func = r->funcs[p->dtors.at[i].func];
	map_each (&p->func_by_name, i)
		p->func_by_name.slots[i].val = r->funcs[p->func_by_name.slots[i].val];
	map_each (&p->global_by_name, i)
		p->global_by_name.slots[i].val = r->globals[p->global_by_name.slots[i].val];
}

/* New ids by old id: the symbols that stay are numbered first; a redirected one then gets the id
 * of its target. */
static uint32_t *number_symbols(struct importer *im, uint8_t kind, uint32_t n)
{
	uint32_t *to = xcalloc(n + 1, sizeof *to), next = 0;

	vec_each (&im->redirects, i)
		if (im->redirects.at[i].kind == kind)
			to[im->redirects.at[i].from] = IR_NONE;
	for (uint32_t i = 0; i < n; i++)
		if (to[i] != IR_NONE)
			to[i] = next++;
	/* newest first: an older redirect does not drop the target of a newer one */
	for (uint32_t i = im->redirects.n; i--;)
		if (im->redirects.at[i].kind == kind)
			to[im->redirects.at[i].from] = to[im->redirects.at[i].to];
	return to;
}

static bool is_dropped(const struct importer *im, uint8_t kind, uint32_t id)
{
	vec_each (&im->redirects, i)
		if (im->redirects.at[i].kind == kind && im->redirects.at[i].from == id)
			return true;
	return false;
}

void sym_apply_redirects(struct importer *im)
{
	struct ir_program *p = im->p;
	struct remap r;
	uint32_t n = 0;

	if (!im->redirects.n)
		return;
	r.funcs = number_symbols(im, IR_C_FUNC, p->funcs.n);
	r.globals = number_symbols(im, IR_C_GLOBAL, p->globals.n);
	r.addends = xcalloc(p->globals.n + 1, sizeof *r.addends);
	vec_each (&im->redirects, i)
		if (im->redirects.at[i].kind == IR_C_GLOBAL)
			r.addends[im->redirects.at[i].from] = im->redirects.at[i].addend;
	remap_users(p, &r);
	vec_each (&p->funcs, i) {
		if (is_dropped(im, IR_C_FUNC, i))
			ir_func_drop_body(&p->funcs.at[i]);
		else
			p->funcs.at[n++] = p->funcs.at[i];
	}
	p->funcs.n = n;
	n = 0;
	vec_each (&p->globals, i) {
		if (is_dropped(im, IR_C_GLOBAL, i))
			vec_release(&p->globals.at[i].relocs);
		else
			p->globals.at[n++] = p->globals.at[i];
	}
	p->globals.n = n;
	free(r.funcs);
	free(r.globals);
	free(r.addends);
}
