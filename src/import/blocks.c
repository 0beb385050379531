#include "import/import_internal.h"

/* Blocks and their numbers. Unwind edges are dropped: C code does not throw. */

unsigned term_nsuccs(LLVMValueRef term)
{
	switch (LLVMGetInstructionOpcode(term)) {
	case LLVMBr:
	case LLVMIndirectBr: return LLVMGetNumSuccessors(term);
	case LLVMSwitch:
		return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(term, 0))) <= 128
			       ? LLVMGetNumSuccessors(term)
			       : 0;
	case LLVMInvoke: return 1;
	default: return 0;
	}
}

static LLVMBasicBlockRef term_succ(LLVMValueRef term, unsigned i)
{
	return LLVMGetInstructionOpcode(term) == LLVMInvoke ? LLVMGetNormalDest(term)
							    : LLVMGetSuccessor(term, i);
}

struct visit {
	LLVMBasicBlockRef bb;
	LLVMValueRef term;
	unsigned left; /* number of successors not visited yet; the last one is next */
};

static struct visit visit_new(LLVMBasicBlockRef bb)
{
	LLVMValueRef term = LLVMGetBasicBlockTerminator(bb);

	return (struct visit){bb, term, term_nsuccs(term)};
}

void blocks_build(struct blocks *b, LLVMValueRef func)
{
	VEC(struct visit) stack = {0};
	LLVMBasicBlockRef next;
	uint32_t n;

	*b = (struct blocks){0};
	next = LLVMGetEntryBasicBlock(func);
	*map_put(&b->index, map_ptr(next)) = 0;
	vec_push(&stack, visit_new(next));
	while (stack.n) {
		struct visit *top = &vec_last(&stack);

		if (!top->left) {
			vec_push(&b->order, top->bb);
			(void)vec_pop(&stack);
			continue;
		}
		next = term_succ(top->term, --top->left);
		if (map_get(&b->index, map_ptr(next)))
			continue;
		*map_put(&b->index, map_ptr(next)) = 0;
		vec_push(&stack, visit_new(next));
	}
	vec_release(&stack);
	n = b->order.n;
	for (uint32_t i = 0; i < n / 2; i++) {
		next = b->order.at[i];
		b->order.at[i] = b->order.at[n - 1 - i];
		b->order.at[n - 1 - i] = next;
	}
	vec_each (&b->order, i)
		*map_put(&b->index, map_ptr(b->order.at[i])) = i;
}

void blocks_release(struct blocks *b)
{
	vec_release(&b->order);
	map_release(&b->index);
}

bool blocks_number(struct importer *im, LLVMValueRef func, LLVMBasicBlockRef bb, uint32_t *n)
{
	uint64_t *slot = map_put(&im->blocks, map_ptr(func)), *at;
	struct blocks *b = (struct blocks *)(uintptr_t)*slot;

	if (!b) {
		b = arena_new(&im->arena, struct blocks);
		*slot = map_ptr(b);
		blocks_build(b, func);
	}
	at = map_get(&b->index, map_ptr(bb));
	if (!at)
		return false;
	*n = (uint32_t)*at;
	return true;
}
