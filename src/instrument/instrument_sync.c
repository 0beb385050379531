#include "instrument/instrument_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * The functions of log/sync.def that the program does not define itself: every use of one becomes a
 * use of its wrapper, so that the address is the same for all traced code. Functions that are not
 * traced keep the real ones.
 */

#define USER_PREFIX "__heddle_user_" /* the runtime has these under their own names */

static bool is_plain(struct instrumenter *it, LLVMValueRef f)
{
	uint64_t id = map_get_or(&it->by_value, map_ptr(f), 0);

	return !LLVMIsDeclaration(f) && id && !it->pl->funcs[id - 1].traced;
}

static void put_back_in(LLVMValueRef v, LLVMValueRef wrapper, LLVMValueRef real)
{
	int n = LLVMGetNumOperands(v);

	for (int i = 0; i < n; i++)
		if (LLVMGetOperand(v, (unsigned)i) == wrapper)
			LLVMSetOperand(v, (unsigned)i, real);
}

static void put_back(struct instrumenter *it, LLVMValueRef wrapper, LLVMValueRef real)
{
	LLVMUseRef u = LLVMGetFirstUse(wrapper), next;
	VEC(LLVMValueRef) users = {0};

	for (; u; u = next) {
		LLVMValueRef user = LLVMGetUser(u);

		next = LLVMGetNextUse(u);
		if (LLVMIsAInstruction(user) &&
			is_plain(it, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
			vec_push(&users, user);
	}
	vec_each (&users, i)
		put_back_in(users.at[i], wrapper, real);
	vec_release(&users);
}

static void replace(struct instrumenter *it, const char *name)
{
	LLVMValueRef real = LLVMGetNamedFunction(it->m, name), wrapper;
	LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	unsigned noreturn = LLVMGetEnumAttributeKindForName("noreturn", 8);
	uint64_t id = real ? map_get_or(&it->by_value, map_ptr(real), 0) : 0;
	char *text;

	if (!id || !LLVMIsDeclaration(real) || !strncmp(name, USER_PREFIX, strlen(USER_PREFIX)))
		return;
	text = xasprintf("__heddle_%s", name);
	wrapper = LLVMAddFunction(it->m, text, LLVMGlobalGetValueType(real));
	free(text);
	LLVMSetVisibility(wrapper, LLVMHiddenVisibility);
	if (LLVMGetEnumAttributeAtIndex(real, whole, noreturn))
		LLVMAddAttributeAtIndex(
			wrapper, whole, LLVMCreateEnumAttribute(it->c, noreturn, 0));
	LLVMReplaceAllUsesWith(real, wrapper);
	put_back(it, wrapper, real);
	it->funcs.at[id - 1].v = it->funcs.at[id - 1].entry = wrapper;
}

void sync_replace(struct instrumenter *it)
{
#define SYNC(name, kind, object) replace(it, #name);
#include "log/sync.def"
#undef SYNC
#undef KIND
}
