#include "bitcode/keep_accesses.h"

#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "bitcode/locals.h"

#include <string.h>

/* One protected instruction. Metadata on the instruction has the index of its mark. */
struct mark {
	LLVMValueRef callee; /* the memory intrinsic that the call has to get back; else NULL */
	bool was_volatile;
	uint32_t seq; /* index in the order of the module, from 1; 0 = not ordered yet */
};

struct keep {
	LLVMModuleRef m;
	LLVMContextRef c;
	LLVMBuilderRef b;
	unsigned kind;       /* of the metadata */
	LLVMValueRef marker; /* void heddle.mark(...) */
	LLVMTypeRef marker_type;
	VEC(struct mark) marks;
	VEC(LLVMValueRef) opaque;      /* unknown functions in the place of memory intrinsics */
	VEC(LLVMValueRef) undefined;   /* functions that give undefined values, one for each type */
	VEC(LLVMValueRef) no_builtins; /* functions to which keep_begin() added the attribute */
	VEC(uint32_t) ends; /* by seq: 1 at the last protected instruction of its block */
	struct map volatile_constants; /* constant globals with a volatile access */
	bool ordered;                  /* keep_all_accesses() has set the order */
	bool lost;                     /* a mark of keep_shared_accesses() was gone by then */
};

/* ---- looking at instructions ------------------------------------------------------------- */

#define each_function(m, f)                                                                        \
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
#define each_block(f, b)                                                                           \
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
/* the body may remove i, or insert instructions around it */
#define each_insn(b, i)                                                                            \
	for (LLVMValueRef i = LLVMGetFirstInstruction(b), next_ = NULL;                            \
		i && (next_ = LLVMGetNextInstruction(i), true); i = next_)

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool is_intrinsic(LLVMValueRef f)
{
	size_t n;

	return LLVMIsAFunction(f) && starts_with(LLVMGetValueName2(f, &n), "llvm.");
}

static LLVMValueRef address_of(LLVMValueRef i)
{
	return LLVMGetOperand(i, LLVMGetInstructionOpcode(i) == LLVMStore ? 1 : 0);
}

static bool is_access(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return true;
	default: return false;
	}
}

static bool is_local_access(LLVMValueRef i)
{
	return LLVMIsAAllocaInst(local_base(address_of(i)));
}

static LLVMValueRef first_after_phis(LLVMBasicBlockRef b)
{
	LLVMValueRef i = LLVMGetFirstInstruction(b);

	while (i && LLVMIsAPHINode(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

static bool has_phis(LLVMBasicBlockRef b)
{
	return LLVMIsAPHINode(LLVMGetFirstInstruction(b));
}

static LLVMValueRef constant_base(LLVMValueRef i)
{
	LLVMValueRef base = LLVMIsALoadInst(i) ? local_base(address_of(i)) : NULL;

	return base && LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base) ? base : NULL;
}

/* A load that may be folded. Next to a volatile load of the same place, the optimizer would fold it
 * into that load and drop its mark. */
static bool is_constant_access(struct keep *k, LLVMValueRef i)
{
	LLVMValueRef base = constant_base(i);

	return base && !map_get(&k->volatile_constants, map_ptr(base));
}

static bool is_kept_access(struct keep *k, LLVMValueRef i)
{
	return is_access(i) && !is_constant_access(k, i);
}

/* ---- marking ----------------------------------------------------------------------------- */

static unsigned attribute_kind(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static struct mark *mark_of(struct keep *k, LLVMValueRef i, uint32_t *id)
{
	LLVMValueRef md = LLVMGetMetadata(i, k->kind), op;

	if (!md || LLVMGetMDNodeNumOperands(md) != 1)
		return NULL;
	LLVMGetMDNodeOperands(md, &op);
	*id = (uint32_t)LLVMConstIntGetZExtValue(op);
	return &k->marks.at[*id];
}

static struct mark *add_mark(struct keep *k, LLVMValueRef i)
{
	LLVMValueRef id = LLVMConstInt(LLVMInt32TypeInContext(k->c), k->marks.n, false);
	LLVMMetadataRef op = LLVMValueAsMetadata(id);

	LLVMSetMetadata(i, k->kind, LLVMMetadataAsValue(k->c, LLVMMDNodeInContext2(k->c, &op, 1)));
	return vec_add(&k->marks);
}

static void mark_access(struct keep *k, LLVMValueRef i)
{
	add_mark(k, i)->was_volatile = LLVMGetVolatile(i);
	LLVMSetVolatile(i, true);
}

/* No two markers are equal: the optimizer hoists equal code of all successors before a branch.
 * `escaping` may be NULL; else the unknown function gets this pointer to a local. */
static void put_marker(struct keep *k, LLVMValueRef before, LLVMValueRef escaping)
{
	LLVMValueRef args[2] = {
		LLVMConstInt(LLVMInt32TypeInContext(k->c), k->marks.n, false), escaping};

	LLVMPositionBuilderBefore(k->b, before);
	add_mark(k, LLVMBuildCall2(k->b, k->marker_type, k->marker, args, escaping ? 2 : 1, ""));
}

/* The call keeps its operands and gets an unknown callee of the same type. */
static void mark_memory_call(struct keep *k, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i), opaque = NULL;
	LLVMTypeRef type = LLVMGetCalledFunctionType(i);

	vec_each (&k->opaque, j)
		if (LLVMGlobalGetValueType(k->opaque.at[j]) == type)
			opaque = k->opaque.at[j];
	if (!opaque) {
		opaque = LLVMAddFunction(k->m, "heddle.memory", type);
		vec_push(&k->opaque, opaque);
	}
	add_mark(k, i)->callee = callee;
	LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, opaque);
}

/* `pure` and `const` would let the optimizer merge calls that read shared memory. */
static void forget_effects(struct keep *k)
{
	static const char *const names[] = {"memory", "speculatable"};
	LLVMAttributeIndex fn = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		unsigned kind = attribute_kind(names[n]);

		each_function (k->m, f) {
			if (!is_intrinsic(f))
				LLVMRemoveEnumAttributeAtIndex(f, fn, kind);
			each_block (f, b)
				each_insn (b, i)
					if (is_call(i) && !is_intrinsic(LLVMGetCalledValue(i)))
						LLVMRemoveCallSiteEnumAttribute(i, fn, kind);
		}
	}
}

/* Makes printf, malloc & co. unknown functions. */
static void forget_libc(struct keep *k)
{
	static const char name[] = "no-builtins";
	LLVMAttributeIndex fn = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	LLVMAttributeRef a = LLVMCreateStringAttribute(k->c, name, sizeof name - 1, "", 0);

	each_function (k->m, f) {
		if (LLVMIsDeclaration(f) ||
			LLVMGetStringAttributeAtIndex(f, fn, name, sizeof name - 1))
			continue;
		LLVMAddAttributeAtIndex(f, fn, a);
		vec_push(&k->no_builtins, f);
	}
}

/* ---- undefined values --------------------------------------------------------------------- */

static LLVMValueRef undefined_maker(struct keep *k, LLVMTypeRef type)
{
	LLVMTypeRef ft = LLVMFunctionType(type, NULL, 0, false);
	LLVMValueRef f;

	vec_each (&k->undefined, i)
		if (LLVMGlobalGetValueType(k->undefined.at[i]) == ft)
			return k->undefined.at[i];
	f = LLVMAddFunction(k->m, "heddle.undefined", ft);
	/* memory(none), whose encoding is 0: an unused call can be removed */
	static const char *const pure[] = {"memory", "nounwind", "willreturn"};
	for (size_t i = 0; i < ARRAY_SIZE(pure); i++)
		LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(k->c, attribute_kind(pure[i]), 0));
	vec_push(&k->undefined, f);
	return f;
}

/* The call is at the start of the function: before every use. */
static LLVMValueRef undefined_value(struct keep *k, LLVMValueRef f, LLVMTypeRef type)
{
	LLVMValueRef maker = undefined_maker(k, type), i;
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);

	for (i = LLVMGetFirstInstruction(entry); is_call(i); i = LLVMGetNextInstruction(i))
		if (LLVMGetCalledValue(i) == maker)
			return i;
	LLVMPositionBuilderBefore(k->b, LLVMGetFirstInstruction(entry));
	return LLVMBuildCall2(k->b, LLVMGlobalGetValueType(maker), maker, NULL, 0, "");
}

enum { MOST_PARTS = 64 }; /* of a local that is initialized part by part */

/* The number of scalars in the type, up to MOST_PARTS + 1; that also if a part is of another kind. */
static unsigned count_parts(LLVMTypeRef type)
{
	unsigned n = 0, elements;

	switch (LLVMGetTypeKind(type)) {
	case LLVMStructTypeKind:
		elements = LLVMCountStructElementTypes(type);
		for (unsigned i = 0; i < elements && n <= MOST_PARTS; i++)
			n += count_parts(LLVMStructGetTypeAtIndex(type, i));
		return MIN(n, MOST_PARTS + 1u);
	case LLVMArrayTypeKind:
		if (LLVMGetArrayLength2(type) > MOST_PARTS)
			return MOST_PARTS + 1;
		n = count_parts(LLVMGetElementType(type)) * (unsigned)LLVMGetArrayLength2(type);
		return MIN(n, MOST_PARTS + 1u);
	default: return type_is_scalar(type) ? 1 : MOST_PARTS + 1;
	}
}

/* Stores an undefined value to each scalar of the type at p, before the instruction. */
static void unset_parts(
	struct keep *k, LLVMValueRef f, LLVMTypeRef type, LLVMValueRef p, LLVMValueRef before)
{
	bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(k->c);
	LLVMValueRef value;
	unsigned n;

	if (type_is_scalar(type)) {
		value = undefined_value(k, f, type);
		LLVMPositionBuilderBefore(k->b, before);
		LLVMBuildStore(k->b, value, p);
		return;
	}
	n = is_struct ? LLVMCountStructElementTypes(type) : (unsigned)LLVMGetArrayLength2(type);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef at[] = {LLVMConstInt(i32, 0, false), LLVMConstInt(i32, i, false)}, part;

		LLVMPositionBuilderBefore(k->b, before);
		part = LLVMBuildInBoundsGEP2(k->b, type, p, at, 2, "");
		unset_parts(k, f, is_struct ? LLVMStructGetTypeAtIndex(type, i) : LLVMGetElementType(type),
			part, before);
	}
}

/* Gives a local a value that no pass can choose: at its begin, and at each begin of its scope, which
 * may be the next round of a loop. */
static void unset_local(struct keep *k, LLVMValueRef f, LLVMValueRef local)
{
	LLVMTypeRef type = LLVMGetAllocatedType(local);
	VEC(LLVMValueRef) begins = {0};

	for (LLVMUseRef u = LLVMGetFirstUse(local); u; u = LLVMGetNextUse(u))
		if (is_call(LLVMGetUser(u)) &&
			starts_with(LLVMGetValueName(LLVMGetCalledValue(LLVMGetUser(u))),
				"llvm.lifetime.start"))
			vec_push(&begins, LLVMGetUser(u));
	unset_parts(k, f, type, local, LLVMGetNextInstruction(local));
	vec_each (&begins, i)
		unset_parts(k, f, type, local, LLVMGetNextInstruction(begins.at[i]));
	vec_release(&begins);
}

/* Scalar locals, which mem2reg promotes: a read before the first write must stay undefined. */
static void unset_locals(struct keep *k, LLVMValueRef f)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);

	each_insn (entry, i)
		if (LLVMIsAAllocaInst(i) && local_is_scalar(i))
			unset_local(k, f, i);
}

/* The same for locals of several scalars that sroa may promote. It would choose a value for an
 * undefined part that meets a constant. A store that is left writes to memory that is undefined anyway. */
static void unset_aggregates(struct keep *k, LLVMValueRef f, LLVMTargetDataRef layout)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(f);

	each_insn (entry, i)
		if (LLVMIsAAllocaInst(i) && !type_is_scalar(LLVMGetAllocatedType(i)) &&
			local_is_plain(i, layout) && count_parts(LLVMGetAllocatedType(i)) <= MOST_PARTS)
			unset_local(k, f, i);
}

/* sroa leaves uninitialized parts of locals undefined. Instructions that build aggregates start
 * from an undefined value and keep it. */
static void hide_undefined(struct keep *k, LLVMValueRef f, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);

	if (op == LLVMInsertValue || op == LLVMInsertElement || op == LLVMShuffleVector)
		return;
	for (int n = LLVMGetNumOperands(i), o = 0; o < n; o++) {
		LLVMValueRef v = LLVMGetOperand(i, (unsigned)o);

		/* poison is an undefined value too */
		if (v && LLVMIsUndef(v) && type_is_scalar(LLVMTypeOf(v)))
			LLVMSetOperand(i, (unsigned)o, undefined_value(k, f, LLVMTypeOf(v)));
	}
}

/* ---- protecting --------------------------------------------------------------------------- */

struct keep *keep_begin(LLVMModuleRef m)
{
	static const char kind[] = "heddle.keep";
	struct keep *k = xcalloc(1, sizeof *k);

	k->m = m;
	k->c = LLVMGetModuleContext(m);
	k->b = LLVMCreateBuilderInContext(k->c);
	k->kind = LLVMGetMDKindIDInContext(k->c, kind, sizeof kind - 1);
	k->marker_type = LLVMFunctionType(LLVMVoidTypeInContext(k->c), NULL, 0, true);
	k->marker = LLVMAddFunction(m, "heddle.mark", k->marker_type);
	forget_effects(k);
	forget_libc(k);
	each_function (m, f)
		if (!LLVMIsDeclaration(f))
			unset_locals(k, f);
	return k;
}

static void find_volatile_constants(struct keep *k)
{
	each_function (k->m, f)
		each_block (f, b)
			each_insn (b, i)
				if (constant_base(i) && LLVMGetVolatile(i))
					map_put(&k->volatile_constants, map_ptr(constant_base(i)));
}

void keep_shared_accesses(struct keep *k)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(k->m);

	find_volatile_constants(k);
	each_function (k->m, f)
		if (!LLVMIsDeclaration(f))
			unset_aggregates(k, f, layout);
	each_function (k->m, f)
		each_block (f, b)
			each_insn (b, i) {
				if (LLVMIsAAllocaInst(i) && !local_is_plain(i, layout))
					put_marker(k, LLVMGetNextInstruction(i), i);
				else if (is_kept_access(k, i) && !is_local_access(i))
					mark_access(k, i);
				else if (is_call(i) && is_memory_intrinsic(LLVMGetCalledValue(i)) &&
					 !is_local_memory_call(i))
					mark_memory_call(k, i);
			}
}

static bool is_kept_call(LLVMValueRef i)
{
	LLVMValueRef f = is_call(i) ? LLVMGetCalledValue(i) : NULL;

	return f && !is_intrinsic(f) && !starts_with(LLVMGetValueName(f), "heddle.undefined");
}

static bool is_entered_by_choice(LLVMBasicBlockRef b)
{
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef i = LLVMGetUser(u);

		if (LLVMIsAInstruction(i) && LLVMIsATerminatorInst(i) &&
			LLVMGetNumSuccessors(i) > 1)
			return true;
	}
	return false;
}

static void protect_block(struct keep *k, LLVMValueRef f, LLVMBasicBlockRef b)
{
	LLVMValueRef t = LLVMGetBasicBlockTerminator(b), head = first_after_phis(b);
	bool loads = false;
	uint32_t id;

	each_insn (b, i) {
		hide_undefined(k, f, i);
		loads |= LLVMIsALoadInst(i) && is_kept_access(k, i);
		if (is_kept_access(k, i) && !mark_of(k, i, &id))
			mark_access(k, i);
		else if (is_call(i) && is_memory_intrinsic(LLVMGetCalledValue(i)))
			mark_memory_call(k, i);
		else if (LLVMIsAFenceInst(i)) {
			add_mark(k, i);
			/* a marker keeps two equal fences in a row apart */
			put_marker(k, LLVMGetNextInstruction(i), NULL);
		} else if (is_kept_call(i) && !mark_of(k, i, &id)) {
			add_mark(k, i);
		}
	}
	if (is_entered_by_choice(b) && !LLVMIsALandingPadInst(head))
		put_marker(k, head, NULL);
	/* loads at the ends of two blocks would become one load behind both, even volatile loads */
	if (loads && LLVMGetNumSuccessors(t) == 1 && has_phis(LLVMGetSuccessor(t, 0)))
		put_marker(k, t, NULL);
}

static uint32_t count_marked(struct keep *k)
{
	uint32_t n = 0, id;

	each_function (k->m, f)
		each_block (f, b)
			each_insn (b, i)
				n += mark_of(k, i, &id) != NULL;
	return n;
}

void keep_all_accesses(struct keep *k)
{
	struct mark *mk;
	uint32_t id;

	k->lost = count_marked(k) != k->marks.n;
	each_function (k->m, f)
		each_block (f, b)
			protect_block(k, f, b);
	vec_push(&k->ends, 1);
	each_function (k->m, f)
		each_block (f, b) {
			each_insn (b, i) {
				mk = mark_of(k, i, &id);
				if (!mk)
					continue;
				mk->seq = k->ends.n;
				vec_push(&k->ends, 0);
			}
			vec_last(&k->ends) = 1;
		}
	k->ordered = true;
}

/* ---- undoing ----------------------------------------------------------------------------- */

struct check {
	VEC(uint8_t) seen; /* by mark */
	char *wrong;
};

static void add_complaint(struct check *c, LLVMValueRef f, const char *what)
{
	if (!c->wrong)
		c->wrong = xasprintf("%s in '%s'", what, LLVMGetValueName(f));
}

/* Blocks may be joined or gone, but each remaining one must be complete. */
static void check_block(struct keep *k, struct check *c, LLVMValueRef f, LLVMBasicBlockRef b)
{
	uint32_t last = 0, id;
	struct mark *mk;

	each_insn (b, i) {
		mk = mark_of(k, i, &id);
		if (!mk && (is_kept_access(k, i) || is_kept_call(i)))
			add_complaint(c, f, "an access or call was added or changed");
		if (!mk)
			continue;
		if (c->seen.at[id])
			add_complaint(c, f, "an access or call was duplicated");
		c->seen.at[id] = 1;
		if (k->ends.at[last] ? !k->ends.at[mk->seq - 1] : mk->seq != last + 1)
			add_complaint(c, f, "an access or call was moved or removed");
		last = mk->seq;
	}
	if (!k->ends.at[last])
		add_complaint(c, f, "an access or call was moved or removed");
}

static void unmark_access(struct keep *k, LLVMValueRef i)
{
	struct mark *mk;
	uint32_t id;

	mk = mark_of(k, i, &id);
	if (!mk)
		return;
	LLVMSetMetadata(i, k->kind, NULL);
	if (mk->callee)
		LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, mk->callee);
	else if (is_access(i))
		LLVMSetVolatile(i, mk->was_volatile);
	else if (is_call(i) && LLVMGetCalledValue(i) == k->marker)
		LLVMInstructionEraseFromParent(i);
}

static void delete_makers(struct keep *k)
{
	LLVMUseRef u;

	vec_each (&k->undefined, n) {
		while ((u = LLVMGetFirstUse(k->undefined.at[n]))) {
			LLVMValueRef i = LLVMGetUser(u);

			LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
			LLVMInstructionEraseFromParent(i);
		}
		LLVMDeleteFunction(k->undefined.at[n]);
	}
	vec_each (&k->opaque, n)
		LLVMDeleteFunction(k->opaque.at[n]);
	LLVMDeleteFunction(k->marker);
}

static void check_module(struct keep *k, struct check *c)
{
	if (k->lost || (!k->ordered && count_marked(k) != k->marks.n))
		c->wrong = xstrdup("an access or call was removed");
	vec_resize(&c->seen, k->marks.n);
	each_function (k->m, f)
		each_block (f, b)
			if (k->ordered)
				check_block(k, c, f, b);
	vec_release(&c->seen);
}

static void undo_changes(struct keep *k)
{
	static const char name[] = "no-builtins";

	each_function (k->m, f)
		each_block (f, b)
			each_insn (b, i)
				unmark_access(k, i);
	delete_makers(k);
	vec_each (&k->no_builtins, i)
		LLVMRemoveStringAttributeAtIndex(k->no_builtins.at[i],
			(LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, sizeof name - 1);
}

char *keep_restore(struct keep *k)
{
	struct check c = {0};

	check_module(k, &c);
	if (!c.wrong)
		undo_changes(k);
	LLVMDisposeBuilder(k->b);
	map_release(&k->volatile_constants);
	vec_release(&k->marks);
	vec_release(&k->opaque);
	vec_release(&k->undefined);
	vec_release(&k->no_builtins);
	vec_release(&k->ends);
	free(k);
	return c.wrong;
}
