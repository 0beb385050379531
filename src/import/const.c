#include "import/import_internal.h"

#include <string.h>

typedef unsigned __int128 u128;

static u128 mask_of(unsigned bits)
{
	return bits >= 128 ? ~(u128)0 : ((u128)1 << bits) - 1;
}

static struct ir_const k_of(ir_type t, u128 v)
{
	v &= mask_of(ir_type_bits(t));
	return (struct ir_const){
		.kind = IR_C_BITS, .type = t, .lo = (uint64_t)v, .hi = (uint64_t)(v >> 64)};
}

static u128 k_get(const struct ir_const *c)
{
	return (u128)c->hi << 64 | c->lo;
}

/* ---- bits -------------------------------------------------------------------------------- */

/* out = out * 10 + digit, little-endian */
static void push_digit(uint8_t *out, size_t n, unsigned digit)
{
	for (size_t i = 0; i < n; i++) {
		digit += out[i] * 10u;
		out[i] = (uint8_t)digit;
		digit >>= 8;
	}
}

static void negate_bytes(uint8_t *out, size_t n)
{
	unsigned carry = 1;

	for (size_t i = 0; i < n; i++) {
		carry += (uint8_t)~out[i];
		out[i] = (uint8_t)carry;
		carry >>= 8;
	}
}

/* The C API has no accessor for integers over 64 bits: parse the text, such as "i128 -5". */
static void wide_bytes(LLVMValueRef v, unsigned bits, uint8_t *out, size_t n)
{
	char *text = LLVMPrintValueToString(v);
	const char *s = strchr(text, ' ');
	bool negative;

	memset(out, 0, n);
	s = s ? s + 1 : "0";
	negative = *s == '-';
	for (s += negative; *s >= '0' && *s <= '9'; s++)
		push_digit(out, n, (unsigned)(*s - '0'));
	LLVMDisposeMessage(text);
	if (!negative)
		return;
	negate_bytes(out, n);
	for (size_t i = 0; i < n; i++)
		if (i * 8 >= bits)
			out[i] = 0;
		else if (bits - i * 8 < 8)
			out[i] &= (uint8_t)((1u << (bits - i * 8)) - 1);
}

/* the bits of a float as a ConstantInt: LLVM folds the cast */
static LLVMValueRef float_as_int(struct importer *im, LLVMValueRef v)
{
	static const unsigned bits[] = {[LLVMHalfTypeKind] = 16,
		[LLVMBFloatTypeKind] = 16,
		[LLVMFloatTypeKind] = 32,
		[LLVMDoubleTypeKind] = 64,
		[LLVMX86_FP80TypeKind] = 80,
		[LLVMFP128TypeKind] = 128};
	LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(v));
	LLVMValueRef i;

	if (k >= ARRAY_SIZE(bits) || !bits[k])
		return NULL;
	i = LLVMConstBitCast(v, LLVMIntTypeInContext(im->ctx, bits[k]));
	return LLVMGetValueKind(i) == LLVMConstantIntValueKind ? i : NULL;
}

void const_bytes(struct importer *im, LLVMValueRef v, uint8_t *out, size_t n)
{
	unsigned bits;
	uint64_t w;

	memset(out, 0, n);
	if (LLVMGetValueKind(v) == LLVMConstantFPValueKind)
		v = float_as_int(im, v);
	if (!v)
		return;
	bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
	if (bits > 64) {
		wide_bytes(v, bits, out, n);
		return;
	}
	w = LLVMConstIntGetZExtValue(v);
	memcpy(out, &w, MIN(n, sizeof w));
}

static u128 wide_value(struct importer *im, LLVMValueRef v, unsigned bits)
{
	uint64_t *slot = map_get(&im->wide, map_ptr(v));
	uint64_t *w;

	if (!slot) {
		w = arena_array(&im->arena, uint64_t, 2);
		wide_bytes(v, bits, (uint8_t *)w, 16);
		*map_put(&im->wide, map_ptr(v)) = map_ptr(w);
	} else {
		w = (uint64_t *)(uintptr_t)*slot;
	}
	return (u128)w[1] << 64 | w[0];
}

static bool eval_int(struct importer *im, LLVMValueRef v, ir_type t, struct ir_const *c)
{
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));

	*c = k_of(t, bits <= 64 ? LLVMConstIntGetZExtValue(v) : wide_value(im, v, bits));
	return true;
}

/* ---- constant expressions ---------------------------------------------------------------- */

static bool index_value(LLVMValueRef ix, int64_t *k)
{
	if (LLVMGetValueKind(ix) != LLVMConstantIntValueKind ||
		LLVMGetIntTypeWidth(LLVMTypeOf(ix)) > 64)
		return false;
	*k = LLVMConstIntGetSExtValue(ix);
	return true;
}

/* the byte offset of a GEP; false if an index is not constant */
static bool const_gep_offset(struct importer *im, LLVMValueRef gep, int64_t *offset)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
	int n = LLVMGetNumOperands(gep);
	uint64_t sum = 0;
	int64_t k;

	for (int i = 1; i < n; i++) {
		if (!index_value(LLVMGetOperand(gep, (unsigned)i), &k))
			return false;
		if (i > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			sum += LLVMOffsetOfElement(im->td, t, (unsigned)k);
			t = LLVMStructGetTypeAtIndex(t, (unsigned)k);
			continue;
		}
		if (i > 1)
			t = LLVMGetElementType(t);
		sum += (uint64_t)k * type_size(im, t);
	}
	*offset = (int64_t)sum;
	return true;
}

static bool is_address(const struct ir_const *c)
{
	return c->kind == IR_C_GLOBAL || c->kind == IR_C_FUNC || c->kind == IR_C_BLOCK;
}

static bool add_offset(struct ir_const *c, int64_t k)
{
	switch (c->kind) {
	case IR_C_BITS: *c = k_of(c->type, k_get(c) + (u128)(__int128)k); return true;
	case IR_C_GLOBAL: c->lo += (uint64_t)k; return true;
	case IR_C_UNDEF: return true;
	default: return k == 0;
	}
}

static bool eval_gep(struct importer *im, LLVMValueRef v, struct ir_const *c)
{
	int64_t k;

	return const_gep_offset(im, v, &k) && const_eval(im, LLVMGetOperand(v, 0), c) &&
	       add_offset(c, k);
}

static bool eval_cast(
	struct importer *im, LLVMValueRef v, ir_type t, LLVMOpcode op, struct ir_const *c)
{
	if (!const_eval(im, LLVMGetOperand(v, 0), c))
		return false;
	/* an address can be represented only at its full width */
	if (is_address(c) && ir_type_bits(t) != 64)
		return false;
	if (c->kind == IR_C_BITS && op == LLVMSExt)
		return false;
	if (c->kind == IR_C_BITS)
		*c = k_of(t, k_get(c));
	c->type = t;
	return true;
}

static bool same_object(const struct ir_const *a, const struct ir_const *b)
{
	return is_address(a) && a->kind == b->kind && a->id == b->id &&
	       (a->kind != IR_C_BLOCK || a->lo == b->lo);
}

static bool eval_arith(
	struct importer *im, LLVMValueRef v, ir_type t, LLVMOpcode op, struct ir_const *c)
{
	struct ir_const a, b;

	if (!const_eval(im, LLVMGetOperand(v, 0), &a) || !const_eval(im, LLVMGetOperand(v, 1), &b))
		return false;
	if (a.kind == IR_C_BITS && b.kind == IR_C_BITS) {
		u128 x = k_get(&a), y = k_get(&b);

		switch (op) {
		case LLVMAdd: *c = k_of(t, x + y); return true;
		case LLVMSub: *c = k_of(t, x - y); return true;
		case LLVMMul: *c = k_of(t, x * y); return true;
		case LLVMXor: *c = k_of(t, x ^ y); return true;
		default: return false;
		}
	}
	if (op == LLVMSub && same_object(&a, &b)) {
		*c = k_of(t, a.kind == IR_C_GLOBAL ? (u128)a.lo - b.lo : 0);
		return true;
	}
	if (op == LLVMAdd && a.kind == IR_C_BITS && is_address(&b)) {
		*c = b;
		return add_offset(c, (int64_t)a.lo);
	}
	if ((op != LLVMAdd && op != LLVMSub) || !is_address(&a) || b.kind != IR_C_BITS)
		return false;
	*c = a;
	return add_offset(c, op == LLVMAdd ? (int64_t)b.lo : -(int64_t)b.lo);
}

static bool eval_expr(struct importer *im, LLVMValueRef v, ir_type t, struct ir_const *c)
{
	LLVMOpcode op = LLVMGetConstOpcode(v);

	switch (op) {
	case LLVMGetElementPtr: return eval_gep(im, v, c);
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMTrunc: return eval_cast(im, v, t, op, c);
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMXor: return eval_arith(im, v, t, op, c);
	default: return false;
	}
}

static bool eval_symbol(struct importer *im, LLVMValueRef v, struct ir_const *c)
{
	const struct sym *s = sym_of(im, v);

	if (!s)
		return false;
	*c = (struct ir_const){.kind = s->kind,
		.type = IR_PTR,
		.id = s->id,
		.lo = s->kind == IR_C_GLOBAL ? (uint64_t)s->addend : 0};
	return true;
}

static bool eval_block(struct importer *im, LLVMValueRef v, struct ir_const *c)
{
	LLVMValueRef func = LLVMGetBlockAddressFunction(v);
	const struct sym *s = sym_of(im, func);
	uint32_t n;

	if (!s || !s->here)
		return false;
	/* no jump reaches an unreachable block: any address but null is correct */
	if (!blocks_number(im, func, LLVMGetBlockAddressBasicBlock(v), &n))
		*c = k_of(IR_PTR, 1);
	else
		*c = (struct ir_const){.kind = IR_C_BLOCK, .type = IR_PTR, .id = s->id, .lo = n};
	return true;
}

bool const_eval(struct importer *im, LLVMValueRef v, struct ir_const *c)
{
	const struct layout *l;
	ir_type t;

	switch (LLVMGetTypeKind(LLVMTypeOf(v))) {
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind:
	case LLVMVectorTypeKind: return false;
	default: break;
	}
	l = layout_of_value(im, v);
	if (!l->ok || l->n != 1)
		return false;
	t = l->leaf[0].type;
	switch (LLVMGetValueKind(v)) {
	case LLVMConstantIntValueKind: return eval_int(im, v, t, c);
	case LLVMConstantFPValueKind: v = float_as_int(im, v); return v && eval_int(im, v, t, c);
	case LLVMConstantPointerNullValueKind:
	case LLVMConstantAggregateZeroValueKind: *c = k_of(t, 0); return true;
	case LLVMUndefValueValueKind:
	case LLVMPoisonValueValueKind:
		*c = (struct ir_const){.kind = IR_C_UNDEF, .type = t};
		return true;
	case LLVMFunctionValueKind:
	case LLVMGlobalVariableValueKind:
	case LLVMGlobalAliasValueKind:
	case LLVMGlobalIFuncValueKind: return eval_symbol(im, v, c);
	case LLVMBlockAddressValueKind: return eval_block(im, v, c);
	case LLVMConstantExprValueKind: return eval_expr(im, v, t, c);
	default: return false;
	}
}
