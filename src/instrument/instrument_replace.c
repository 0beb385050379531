#include "instrument/instrument_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * Library functions that the program does not define itself and that the runtime replaces. Every
 * use becomes a use of the function of the runtime, so that its address is the same for all traced
 * code.
 */

/* The runtime defines these functions under their own names. */
#define USER_PREFIX "__heddle_user_"

/* Whether f is a function of the program that is not traced. */
static bool is_untraced(struct instrumenter *it, LLVMValueRef f)
{
	uint64_t id = map_get_or(&it->by_value, map_ptr(f), 0);

	return !LLVMIsDeclaration(f) && id && !it->pl->funcs[id - 1].traced;
}

static void restore_operands(LLVMValueRef v, LLVMValueRef wrapper, LLVMValueRef real)
{
	int n = LLVMGetNumOperands(v);

	for (int i = 0; i < n; i++)
		if (LLVMGetOperand(v, (unsigned)i) == wrapper)
			LLVMSetOperand(v, (unsigned)i, real);
}

/* Functions that are not traced use the real function again. */
static void restore_uses(struct instrumenter *it, LLVMValueRef wrapper, LLVMValueRef real)
{
	LLVMUseRef u = LLVMGetFirstUse(wrapper), next;
	VEC(LLVMValueRef) users = {0};

	for (; u; u = next) {
		LLVMValueRef user = LLVMGetUser(u);

		next = LLVMGetNextUse(u);
		if (LLVMIsAInstruction(user) &&
			is_untraced(it, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
			vec_push(&users, user);
	}
	vec_each (&users, i)
		restore_operands(users.at[i], wrapper, real);
	vec_release(&users);
}

/* Declares PREFIX NAME and replaces all uses of NAME by it. NULL if the program does not use NAME
 * or defines it. */
static LLVMValueRef replace_function(struct instrumenter *it, const char *prefix, const char *name)
{
	LLVMValueRef real = LLVMGetNamedFunction(it->m, name), own;
	LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	unsigned noreturn = LLVMGetEnumAttributeKindForName("noreturn", 8);
	uint64_t id = real ? map_get_or(&it->by_value, map_ptr(real), 0) : 0;
	char *text;

	if (!id || !LLVMIsDeclaration(real))
		return NULL;
	text = xasprintf("%s%s", prefix, name);
	own = LLVMAddFunction(it->m, text, LLVMGlobalGetValueType(real));
	free(text);
	LLVMSetVisibility(own, LLVMHiddenVisibility);
	if (LLVMGetEnumAttributeAtIndex(real, whole, noreturn))
		LLVMAddAttributeAtIndex(own, whole, LLVMCreateEnumAttribute(it->c, noreturn, 0));
	LLVMReplaceAllUsesWith(real, own);
	it->funcs.at[id - 1].v = it->funcs.at[id - 1].entry = own;
	return own;
}

/* Functions that are not traced keep the library function. */
static void replace_sync_function(struct instrumenter *it, const char *name)
{
	LLVMValueRef real = LLVMGetNamedFunction(it->m, name), own;

	if (!strncmp(name, USER_PREFIX, strlen(USER_PREFIX)))
		return;
	own = replace_function(it, "__heddle_", name);
	if (own)
		restore_uses(it, own, real);
}

void replace_sync_functions(struct instrumenter *it)
{
#define SYNC(name, kind, object, ...) replace_sync_function(it, #name);
#include "log/sync.def"
}

void replace_enforced_functions(struct instrumenter *it)
{
#define INSTEAD(name) replace_function(it, "__heddle_instead_", #name);
#include "log/instead.def"
}
