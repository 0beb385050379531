#include "export/export_internal.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/*
 * Debug locations. Each function has a subprogram; a function that was inlined has one, too, by
 * its name and file. Types and variables are not described.
 */

struct debug {
	LLVMDIBuilderRef b;
	LLVMMetadataRef unit, type; /* type: that of every function */
	struct map files;           /* string id -> LLVMMetadataRef */
	struct map inlined;         /* name, file -> subprogram */
	struct map places;          /* position -> location, in the current function */
	LLVMMetadataRef here;       /* subprogram of the current function, or NULL */
	uint32_t here_file;
};

static LLVMMetadataRef file_of(struct exporter *x, uint32_t name)
{
	struct debug *d = x->debug;
	uint64_t *slot = map_put(&d->files, name);
	const char *s = name ? ir_str(x->p, name) : "unknown";

	if (!*slot)
		*slot = map_ptr(LLVMDIBuilderCreateFile(d->b, s, strlen(s), "", 0));
	return (LLVMMetadataRef)(uintptr_t)*slot;
}

void debug_begin(struct exporter *x, const char *name)
{
	static const char producer[] = "heddle", version[] = "Debug Info Version",
			  dwarf[] = "Dwarf Version";
	struct debug *d = x->debug = arena_new(&x->arena, struct debug);
	LLVMMetadataRef file, number;

	d->b = LLVMCreateDIBuilder(x->mod);
	file = LLVMDIBuilderCreateFile(d->b, name, strlen(name), "", 0);
	d->unit = LLVMDIBuilderCreateCompileUnit(d->b, LLVMDWARFSourceLanguageC11, file, producer,
		sizeof producer - 1, false, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, false, false,
		"", 0, "", 0);
	d->type = LLVMDIBuilderCreateSubroutineType(d->b, file, NULL, 0, LLVMDIFlagZero);
	number = LLVMValueAsMetadata(LLVMConstInt(x->types[32], LLVMDebugMetadataVersion(), false));
	LLVMAddModuleFlag(
		x->mod, LLVMModuleFlagBehaviorWarning, version, sizeof version - 1, number);
	number = LLVMValueAsMetadata(LLVMConstInt(x->types[32], 5, false));
	LLVMAddModuleFlag(x->mod, LLVMModuleFlagBehaviorWarning, dwarf, sizeof dwarf - 1, number);
}

void debug_end(struct exporter *x)
{
	struct debug *d = x->debug;

	LLVMDIBuilderFinalize(d->b);
	LLVMDisposeDIBuilder(d->b);
	map_release(&d->files);
	map_release(&d->inlined);
	map_release(&d->places);
}

static LLVMMetadataRef make_subprogram(struct exporter *x, uint32_t name, const char *linkage,
	uint32_t file, uint32_t line, bool local)
{
	LLVMMetadataRef f = file_of(x, file);
	const char *s = name ? ir_str(x->p, name) : linkage;

	return LLVMDIBuilderCreateFunction(x->debug->b, f, s, strlen(s), linkage, strlen(linkage),
		f, line, x->debug->type, local, true, line, LLVMDIFlagPrototyped, false);
}

/* A position of the function that is not inlined, for its file and name; 0 = none. */
static uint32_t own_position(const struct body *o)
{
	if (o->f->pos)
		return o->f->pos;
	vec_each (&o->f->insns, i) {
		uint32_t pos = o->f->insns.at[i].pos;

		while (pos && o->x->p->positions.at[pos].inlined_at)
			pos = o->x->p->positions.at[pos].inlined_at;
		if (pos)
			return pos;
	}
	return 0;
}

void debug_func(struct body *o)
{
	struct debug *d = o->x->debug;
	uint32_t pos = own_position(o);
	const struct ir_pos *at = &o->x->p->positions.at[pos];

	map_release(&d->places);
	memset(&d->places, 0, sizeof d->places);
	d->here = NULL;
	LLVMSetCurrentDebugLocation2(o->x->b, NULL);
	if (!pos)
		return;
	d->here_file = at->file;
	d->here = make_subprogram(o->x, at->func, ir_func_name(o->x->p, o->id), at->file, at->line,
		(o->f->flags & IR_FN_LOCAL) != 0);
	LLVMSetSubprogram(o->v, d->here);
}

static LLVMMetadataRef inlined_subprogram(struct exporter *x, const struct ir_pos *at)
{
	uint64_t *slot = map_put(&x->debug->inlined, (uint64_t)at->func << 32 | at->file);

	if (!*slot)
		*slot = map_ptr(make_subprogram(x, at->func, "", at->file, 0, true));
	return (LLVMMetadataRef)(uintptr_t)*slot;
}

static LLVMMetadataRef location_of(struct exporter *x, uint32_t pos)
{
	struct debug *d = x->debug;
	const struct ir_pos *at = &x->p->positions.at[pos];
	uint64_t *slot = map_get(&d->places, pos);
	LLVMMetadataRef scope = d->here, outer = NULL, loc;

	if (slot)
		return (LLVMMetadataRef)(uintptr_t)*slot;
	if (at->inlined_at) {
		outer = location_of(x, at->inlined_at);
		scope = inlined_subprogram(x, at);
	} else if (at->file != d->here_file) {
		scope = LLVMDIBuilderCreateLexicalBlockFile(d->b, scope, file_of(x, at->file), 0);
	}
	loc = LLVMDIBuilderCreateDebugLocation(x->ctx, at->line, at->col, scope, outer);
	*map_put(&d->places, pos) = map_ptr(loc);
	return loc;
}

void debug_insn(struct body *o, const struct ir_insn *in)
{
	struct debug *d = o->x->debug;
	LLVMMetadataRef loc = NULL;

	if (d->here && in->pos)
		loc = location_of(o->x, in->pos);
	else if (d->here) /* LLVM requires one of a call */
		loc = LLVMDIBuilderCreateDebugLocation(o->x->ctx, 0, 0, d->here, NULL);
	LLVMSetCurrentDebugLocation2(o->x->b, loc);
}
