#include "export/export_internal.h"

#include "base/diag.h"
#include "base/strbuf.h"
#include "ir/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- declarations ------------------------------------------------------------------------ */

bool export_has_body(const struct ir_func *f)
{
	return !(f->flags & (IR_FN_EXTERN | IR_FN_MODEL));
}

static bool has_contents(const struct ir_global *g)
{
	return !(g->flags & (IR_G_EXTERN | IR_G_MODEL));
}

static LLVMLinkage linkage_of(bool defined, bool local, bool weak)
{
	if (!defined)
		return weak ? LLVMExternalWeakLinkage : LLVMExternalLinkage;
	return local ? LLVMInternalLinkage : weak ? LLVMWeakAnyLinkage : LLVMExternalLinkage;
}

static void copy_attributes(struct exporter *x, LLVMValueRef to, LLVMValueRef from, unsigned at)
{
	unsigned n = LLVMGetAttributeCountAtIndex(from, at);
	LLVMAttributeRef *all = arena_array(&x->arena, LLVMAttributeRef, n + 1);

	LLVMGetAttributesAtIndex(from, at, all);
	for (unsigned i = 0; i < n; i++)
		LLVMAddAttributeAtIndex(to, at, all[i]);
}

static void add_word_attribute(struct exporter *x, LLVMValueRef v, const char *word)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(word, strlen(word));

	LLVMAddAttributeAtIndex(v, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(x->ctx, kind, 0));
}

static void declare_func(struct exporter *x, uint32_t id)
{
	const struct ir_func *f = &x->p->funcs.at[id];
	bool defined = export_has_body(f);
	const char *attrs = ir_str(x->p, f->attrs);
	const struct proto *pr;
	struct strbuf b = {0};
	char *why = NULL;
	LLVMValueRef v;

	if (!strcmp(attrs, "ifunc")) {
		fail_func(x, id, IR_NONE, "it is an ifunc, chosen by the dynamic linker");
		attrs = "";
	}
	ir_abi_func(&b, x->p, f);
	pr = proto_get(x, b.s, attrs, &why);
	strbuf_release(&b);
	if (!pr) {
		fail_func(x, id, IR_NONE, "%s", why);
		free(why);
		return;
	}
	x->funcs[id] = v = LLVMAddFunction(x->mod, ir_func_name(x->p, id), pr->type);
	for (unsigned i = 0; i <= LLVMCountParams(v); i++)
		copy_attributes(x, v, pr->decl, i);
	copy_attributes(x, v, pr->decl, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
	LLVMSetFunctionCallConv(v, LLVMGetFunctionCallConv(pr->decl));
	if (f->flags & IR_FN_NORETURN)
		add_word_attribute(x, v, "noreturn");
	if (f->flags & IR_FN_TWICE)
		add_word_attribute(x, v, "returns_twice");
	LLVMSetLinkage(v, linkage_of(defined, f->flags & IR_FN_LOCAL, f->flags & IR_FN_WEAK));
	if (f->flags & IR_FN_HIDDEN && !(f->flags & IR_FN_LOCAL))
		LLVMSetVisibility(v, LLVMHiddenVisibility);
	if (f->section && defined)
		LLVMSetSection(v, ir_str(x->p, f->section));
}

/* The blocks exist before any constant or initializer that has their address. */
static void declare_blocks(struct exporter *x, uint32_t id)
{
	const struct ir_func *f = &x->p->funcs.at[id];
	char name[16];

	if (!export_has_body(f) || !x->funcs[id])
		return;
	x->blocks[id] = arena_array(&x->arena, LLVMBasicBlockRef, f->blocks.n + 1);
	vec_each (&f->blocks, b) {
		snprintf(name, sizeof name, "b%u", b);
		x->blocks[id][b] = LLVMAppendBasicBlockInContext(x->ctx, x->funcs[id], name);
	}
}

/* ---- globals ----------------------------------------------------------------------------- */

static LLVMTypeRef bytes_type(struct exporter *x, uint64_t n)
{
	return LLVMArrayType2(x->types[8], n);
}

/* An array of bytes; with addresses, a packed struct of bytes and pointers. */
static LLVMTypeRef contents_type(struct exporter *x, const struct ir_global *g)
{
	VEC(LLVMTypeRef) parts = {0};
	uint64_t at = 0;
	LLVMTypeRef t;

	if (!g->relocs.n)
		return bytes_type(x, g->size);
	vec_each (&g->relocs, i) {
		if (g->relocs.at[i].offset > at)
			vec_push(&parts, bytes_type(x, g->relocs.at[i].offset - at));
		vec_push(&parts, x->types[IR_PTR]);
		at = g->relocs.at[i].offset + 8;
	}
	if (at < g->size)
		vec_push(&parts, bytes_type(x, g->size - at));
	t = LLVMStructTypeInContext(x->ctx, parts.at, parts.n, true);
	vec_release(&parts);
	return t;
}

static void declare_global(struct exporter *x, uint32_t id)
{
	const struct ir_global *g = &x->p->globals.at[id];
	const char *name = ir_str(x->p, g->name);
	bool defined = has_contents(g);
	LLVMValueRef v = LLVMAddGlobal(x->mod, contents_type(x, g), name);

	x->globals[id] = v;
	if (g->flags & IR_G_INEXACT) {
		x->errors++;
		error_at(ir_diag_pos(x->p, g->pos),
			"cannot export '%s': its initializer has an address that is not a "
			"relocation",
			name);
	}
	LLVMSetLinkage(v, linkage_of(defined, g->flags & IR_G_LOCAL, g->flags & IR_G_WEAK));
	LLVMSetGlobalConstant(v, (g->flags & IR_G_CONST) != 0);
	LLVMSetThreadLocal(v, (g->flags & IR_G_TLS) != 0);
	if (g->align)
		LLVMSetAlignment(v, g->align);
	if (g->flags & IR_G_HIDDEN && !(g->flags & IR_G_LOCAL))
		LLVMSetVisibility(v, LLVMHiddenVisibility);
	if (g->section && defined)
		LLVMSetSection(v, ir_str(x->p, g->section));
}

void export_declare(struct exporter *x)
{
	const struct ir_program *p = x->p;

	/* names of local symbols give way: those with linkage come first */
	for (int local = 0; local < 2; local++) {
		vec_each (&p->funcs, i)
			if (!(p->funcs.at[i].flags & IR_FN_LOCAL) == !local)
				declare_func(x, i);
		vec_each (&p->globals, i)
			if (!(p->globals.at[i].flags & IR_G_LOCAL) == !local)
				declare_global(x, i);
	}
	vec_each (&p->funcs, i)
		declare_blocks(x, i);
}

LLVMValueRef export_address(struct exporter *x, uint8_t kind, uint32_t id, int64_t addend)
{
	LLVMValueRef base, offset;

	switch (kind) {
	case IR_C_FUNC: base = x->funcs[id]; break;
	case IR_C_BLOCK:
		base = x->blocks[id] ? LLVMBlockAddress(x->funcs[id], x->blocks[id][addend]) : NULL;
		addend = 0;
		break;
	default: base = x->globals[id];
	}
	if (!base) /* an error was reported */
		return LLVMConstNull(x->types[IR_PTR]);
	if (!addend)
		return base;
	offset = LLVMConstInt(x->types[64], (uint64_t)addend, true);
	return LLVMConstGEP2(x->types[8], base, &offset, 1);
}

static LLVMValueRef bytes_of(struct exporter *x, const uint8_t *s, uint64_t n)
{
	bool zero = true;

	for (uint64_t i = 0; s && i < n && zero; i++)
		zero = !s[i];
	if (!s || zero)
		return LLVMConstNull(bytes_type(x, n));
	return LLVMConstStringInContext2(x->ctx, (const char *)s, n, true);
}

static LLVMValueRef contents_of(struct exporter *x, const struct ir_global *g)
{
	VEC(LLVMValueRef) parts = {0};
	uint64_t at = 0;
	LLVMValueRef v;

	if (!g->relocs.n)
		return bytes_of(x, g->init, g->size);
	vec_each (&g->relocs, i) {
		const struct ir_reloc *r = &g->relocs.at[i];

		if (r->offset > at)
			vec_push(
				&parts, bytes_of(x, g->init ? g->init + at : NULL, r->offset - at));
		vec_push(&parts, export_address(x, r->kind, r->id, r->addend));
		at = r->offset + 8;
	}
	if (at < g->size)
		vec_push(&parts, bytes_of(x, g->init ? g->init + at : NULL, g->size - at));
	v = LLVMConstStructInContext(x->ctx, parts.at, parts.n, true);
	vec_release(&parts);
	return v;
}

void export_globals(struct exporter *x)
{
	vec_each (&x->p->globals, i)
		if (has_contents(&x->p->globals.at[i]))
			LLVMSetInitializer(x->globals[i], contents_of(x, &x->p->globals.at[i]));
}

/* ---- tables ------------------------------------------------------------------------------ */

static void add_alias(struct exporter *x, const struct ir_alias *a)
{
	const char *name = ir_str(x->p, a->name);
	bool func = a->kind == IR_C_FUNC;
	bool model = func ? (x->p->funcs.at[a->id].flags & IR_FN_MODEL) != 0
			  : (x->p->globals.at[a->id].flags & IR_G_MODEL) != 0;
	bool defined = func ? export_has_body(&x->p->funcs.at[a->id])
			    : has_contents(&x->p->globals.at[a->id]);
	LLVMValueRef target = func ? x->funcs[a->id] : x->globals[a->id];

	if (model || !target)
		return;
	if (!defined) {
		x->errors++;
		error_("cannot export the alias '%s': its target is not defined here", name);
		return;
	}
	LLVMAddAlias2(x->mod, LLVMGlobalGetValueType(target), 0,
		export_address(x, a->kind, a->id, a->addend), name);
}

static void add_array(
	struct exporter *x, const char *name, LLVMTypeRef elem, LLVMValueRef *at, unsigned n)
{
	LLVMValueRef v = LLVMAddGlobal(x->mod, LLVMArrayType2(elem, n), name);

	LLVMSetInitializer(v, LLVMConstArray2(elem, at, n));
	LLVMSetLinkage(v, LLVMAppendingLinkage);
	if (elem == x->types[IR_PTR])
		LLVMSetSection(v, "llvm.metadata");
}

static void add_ctors(
	struct exporter *x, const char *name, const struct ir_ctor *c, uint32_t n, bool reverse)
{
	LLVMTypeRef ptr = x->types[IR_PTR], fields[] = {x->types[32], ptr, ptr};
	LLVMTypeRef entry = LLVMStructTypeInContext(x->ctx, fields, 3, false);
	VEC(LLVMValueRef) all = {0};

	for (uint32_t i = 0; i < n; i++) {
		const struct ir_ctor *k = &c[reverse ? n - 1 - i : i];
		LLVMValueRef v[3];

		if (x->p->funcs.at[k->func].flags & IR_FN_MODEL || !x->funcs[k->func])
			continue;
		v[0] = LLVMConstInt(x->types[32], (uint64_t)k->priority, false);
		v[1] = x->funcs[k->func];
		v[2] = LLVMConstNull(ptr);
		vec_push(&all, LLVMConstStructInContext(x->ctx, v, 3, false));
	}
	if (all.n)
		add_array(x, name, entry, all.at, all.n);
	vec_release(&all);
}

static void add_used(struct exporter *x)
{
	VEC(LLVMValueRef) all = {0};

	vec_each (&x->p->funcs, i)
		if (x->p->funcs.at[i].flags & IR_FN_USED && x->funcs[i])
			vec_push(&all, x->funcs[i]);
	vec_each (&x->p->globals, i)
		if (x->p->globals.at[i].flags & IR_G_USED)
			vec_push(&all, x->globals[i]);
	if (all.n)
		add_array(x, "llvm.used", x->types[IR_PTR], all.at, all.n);
	vec_release(&all);
}

void export_tables(struct exporter *x)
{
	const struct ir_program *p = x->p;

	vec_each (&p->aliases, i)
		add_alias(x, &p->aliases.at[i]);
	add_ctors(x, "llvm.global_ctors", p->ctors.at, p->ctors.n, false);
	/* the last of the array is the first that runs */
	add_ctors(x, "llvm.global_dtors", p->dtors.at, p->dtors.n, true);
	add_used(x);
	vec_each (&p->asms, i) {
		const char *s = ir_str(p, p->asms.at[i]);

		LLVMAppendModuleInlineAsm(x->mod, s, strlen(s));
	}
}
