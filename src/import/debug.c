#include "import/import_internal.h"

#include <string.h>

/*
 * Positions, and names of variables. A file has the name that the compiler was called with, as in
 * the compiler's messages. A register has the name of the first variable that it holds.
 */

enum { OP_SCOPE_SCOPE = 1, OP_VAR_NAME = 1, OP_VAR_TYPE = 3, OP_SUBPROGRAM_NAME = 2 };

enum { MAX_SCOPES = 1000 };

/* Collects the compilation directories: the directory of each unit's own file. */
static void note_comp_dirs(struct importer *im)
{
	unsigned n = LLVMGetNamedMetadataNumOperands(im->mod, "llvm.dbg.cu"), len;
	LLVMValueRef *units = arena_array(&im->arena, LLVMValueRef, n + 1);
	LLVMMetadataRef file;
	const char *dir;

	LLVMGetNamedMetadataOperands(im->mod, "llvm.dbg.cu", units);
	for (unsigned i = 0; i < n; i++) {
		file = LLVMDIScopeGetFile(LLVMValueAsMetadata(units[i]));
		dir = file ? LLVMDIFileGetDirectory(file, &len) : NULL;
		if (dir)
			*map_put(&im->comp_dirs, str_id(im, dir, len)) = 1;
	}
}

void debug_init(struct importer *im)
{
	LLVMDIBuilderRef b = LLVMCreateDIBuilder(im->mod);

	/* expressions are uniqued: the empty one is recognized by its address */
	im->empty_expr = LLVMDIBuilderCreateExpression(b, NULL, 0);
	LLVMDisposeDIBuilder(b);
	note_comp_dirs(im);
}

static uint32_t file_id(struct importer *im, LLVMMetadataRef file)
{
	uint64_t *slot;
	const char *s, *dir;
	char *whole;
	unsigned n, ndir;
	uint32_t id;

	if (!file)
		return 0;
	slot = map_put(&im->files, map_ptr(file));
	if (!*slot) {
		s = LLVMDIFileGetFilename(file, &n);
		dir = LLVMDIFileGetDirectory(file, &ndir);
		/* clang moves the part that a path shares with its working directory to `dir` */
		if (n && *s != '/' && ndir && !map_get(&im->comp_dirs, str_id(im, dir, ndir))) {
			whole = xasprintf("%.*s/%.*s", (int)ndir, dir, (int)n, s);
			id = str_id(im, whole, strlen(whole));
			free(whole);
		} else {
			id = str_id(im, s, n);
		}
		*slot = id;
	}
	return (uint32_t)*slot;
}

/* String id of the name of the function that contains a scope; 0 = none. */
static uint32_t scope_func(struct importer *im, LLVMMetadataRef scope)
{
	uint64_t *slot = map_get(&im->scopes, map_ptr(scope));
	LLVMMetadataRef s = scope;
	uint32_t name = 0;

	if (slot)
		return (uint32_t)*slot;
	for (int depth = 0; s && depth < MAX_SCOPES; depth++) {
		switch (LLVMGetMetadataKind(s)) {
		case LLVMDILexicalBlockMetadataKind:
		case LLVMDILexicalBlockFileMetadataKind:
			s = md_operand(im, s, OP_SCOPE_SCOPE);
			continue;
		case LLVMDISubprogramMetadataKind:
			name = md_string(im, md_operand(im, s, OP_SUBPROGRAM_NAME));
			break;
		default: break;
		}
		break;
	}
	*map_put(&im->scopes, map_ptr(scope)) = name;
	return name;
}

uint32_t debug_pos(struct importer *im, LLVMMetadataRef loc)
{
	LLVMMetadataRef scope;
	struct ir_pos pos = {0};
	uint64_t *slot;
	uint32_t id;

	if (!loc)
		return 0;
	slot = map_get(&im->positions, map_ptr(loc));
	if (slot)
		return (uint32_t)*slot;
	scope = LLVMDILocationGetScope(loc);
	pos.file = file_id(im, LLVMDIScopeGetFile(scope));
	pos.line = LLVMDILocationGetLine(loc);
	pos.col = LLVMDILocationGetColumn(loc);
	pos.func = scope_func(im, scope);
	pos.inlined_at = debug_pos(im, LLVMDILocationGetInlinedAt(loc));
	id = ir_add_pos(im->p, pos);
	*map_put(&im->positions, map_ptr(loc)) = id;
	return id;
}

uint32_t debug_func_pos(struct importer *im, LLVMValueRef func)
{
	LLVMMetadataRef sp = LLVMGetSubprogram(func);
	struct ir_pos pos = {0};

	if (!sp)
		return 0;
	pos.file = file_id(im, LLVMDIScopeGetFile(sp));
	pos.line = LLVMDISubprogramGetLine(sp);
	pos.func = scope_func(im, sp);
	return ir_add_pos(im->p, pos);
}

static uint32_t variable_pos(struct importer *im, LLVMMetadataRef var)
{
	LLVMMetadataRef scope = LLVMDIVariableGetScope(var);
	struct ir_pos pos = {0};

	pos.file = file_id(im, LLVMDIVariableGetFile(var));
	pos.line = LLVMDIVariableGetLine(var);
	pos.func = scope ? scope_func(im, scope) : 0;
	return ir_add_pos(im->p, pos);
}

void debug_global(struct importer *im, LLVMValueRef v, struct ir_global *g)
{
	size_t n;
	LLVMValueMetadataEntry *e = LLVMGlobalCopyAllMetadata(v, &n);

	for (size_t i = 0; i < n; i++) {
		LLVMMetadataRef md = LLVMValueMetadataEntriesGetMetadata(e, (unsigned)i), var;

		if (LLVMGetMetadataKind(md) != LLVMDIGlobalVariableExpressionMetadataKind)
			continue;
		var = LLVMDIGlobalVariableExpressionGetVariable(md);
		g->pos = variable_pos(im, var);
		g->dtype = dtype_of(im, md_operand(im, var, OP_VAR_TYPE));
		break;
	}
	LLVMDisposeValueMetadataEntries(e);
}

/* ---- variables --------------------------------------------------------------------------- */

struct variable {
	uint32_t name, dtype, pos;
};

static const struct variable *variable_of(struct importer *im, LLVMMetadataRef md)
{
	uint64_t *slot = map_get(&im->vars, map_ptr(md));
	struct variable *var;

	if (slot)
		return (const struct variable *)(uintptr_t)*slot;
	var = arena_new(&im->arena, struct variable);
	var->name = md_string(im, md_operand(im, md, OP_VAR_NAME));
	var->dtype = dtype_of(im, md_operand(im, md, OP_VAR_TYPE));
	var->pos = variable_pos(im, md);
	*map_put(&im->vars, map_ptr(md)) = map_ptr(var);
	return var;
}

static void name_local(struct fn *fn, uint32_t local, const struct variable *var)
{
	struct ir_local *l = &fn->f.locals.at[local];

	if (l->name)
		return;
	l->name = var->name;
	l->dtype = var->dtype;
	l->pos = var->pos;
}

/* `declare`: the value is the variable's address, not its contents */
static void name_value(struct fn *fn, LLVMValueRef v, LLVMMetadataRef md, bool declare)
{
	uint64_t *slot = map_get(&fn->vals, map_ptr(v)), *local;
	const struct variable *var;
	ir_ref r;

	if (!slot || (uint32_t)*slot != 1)
		return;
	r = lane(fn, (struct lanes){(uint32_t)(*slot >> 32), 1}, 0);
	if (!ir_is_reg(r))
		return;
	var = variable_of(fn->im, md);
	local = map_get(&fn->locals, r);
	if (local) {
		if (declare)
			name_local(fn, (uint32_t)*local, var);
		return;
	}
	/* a parameter passed by value (byval) is named by the register with its address */
	if (declare && (r >= fn->f.nparams || !fn->f.params[r].byval))
		return;
	if (!fn->f.regs.at[r].name) {
		fn->f.regs.at[r].name = var->name;
		fn->f.regs.at[r].dtype = var->dtype;
	}
}

#if DBG_RECORDS
void debug_records(struct fn *fn, LLVMValueRef insn)
{
	LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(insn);

	for (; r; r = LLVMGetNextDbgRecord(r)) {
		LLVMDbgRecordKind kind = LLVMDbgRecordGetKind(r);
		LLVMValueRef v;

		if (kind == LLVMDbgRecordLabel ||
			LLVMDbgVariableRecordGetExpression(r) != fn->im->empty_expr)
			continue;
		v = LLVMDbgVariableRecordGetValue(r, 0);
		if (v)
			name_value(fn, v, LLVMDbgVariableRecordGetVariable(r),
				kind == LLVMDbgRecordDeclare);
	}
}
#else
void debug_records(struct fn *fn, LLVMValueRef insn)
{
	(void)fn;
	(void)insn;
}
#endif

void debug_call(struct fn *fn, LLVMValueRef call, bool declare)
{
	LLVMMetadataRef value = LLVMValueAsMetadata(LLVMGetOperand(call, 0));
	LLVMMetadataRef var = LLVMValueAsMetadata(LLVMGetOperand(call, 1));
	LLVMValueRef v;

	if (LLVMGetMetadataKind(value) != LLVMLocalAsMetadataMetadataKind ||
		LLVMGetMetadataKind(var) != LLVMDILocalVariableMetadataKind ||
		LLVMValueAsMetadata(LLVMGetOperand(call, 2)) != fn->im->empty_expr)
		return;
	LLVMGetMDNodeOperands(LLVMGetOperand(call, 0), &v);
	name_value(fn, v, var, declare);
}

void debug_name_params(struct fn *fn)
{
	const struct ir_block *entry = &fn->f.blocks.at[0];

	for (uint32_t i = entry->first; i < entry->first + entry->n; i++) {
		const struct ir_insn *in = &fn->f.insns.at[i];
		struct ir_reg *reg;
		uint64_t *local;

		if (in->op != IR_STORE || in->arg[1] >= fn->f.nparams)
			continue;
		local = map_get(&fn->locals, in->arg[0]);
		reg = &fn->f.regs.at[in->arg[1]];
		if (!local || reg->name)
			continue;
		reg->name = fn->f.locals.at[*local].name;
		reg->dtype = fn->f.locals.at[*local].dtype;
	}
}
