/*
 * The words of the textual form for flags and kinds: one table for each, used by the printer and by
 * the parser. Private to src/ir.
 */
#ifndef HEDDLE_IR_WORDS_H
#define HEDDLE_IR_WORDS_H

#include "base/base.h"
#include "ir/ir.h"

struct ir_word {
	const char *word;
	uint32_t bit;
};

/* bits of ir_insn.flags other than the two memory orders */
static const struct ir_word ir_insn_words[] = {
	{"volatile", IR_F_VOLATILE},
	{"weak", IR_F_WEAK},
	{"compiler", IR_F_COMPILER},
	{"noreturn", IR_F_NORETURN},
	{"tail", IR_F_TAIL},
	{"twice", IR_F_TWICE},
	{"side", IR_F_SIDE},
	{"nsw", IR_F_NSW},
	{"nuw", IR_F_NUW},
	{"inbounds", IR_F_INBOUNDS},
};

/* by enum ir_order; a failure order is printed as "fail." and the word */
static const char *const ir_order_words[] = {
	"", "unordered", "relaxed", "acquire", "release", "acqrel", "seqcst",
};

/* extern and vararg are not here: they have their own syntax */
static const struct ir_word ir_func_words[] = {
	{"local", IR_FN_LOCAL},
	{"weak", IR_FN_WEAK},
	{"noreturn", IR_FN_NORETURN},
	{"model", IR_FN_MODEL},
	{"twice", IR_FN_TWICE},
	{"hidden", IR_FN_HIDDEN},
	{"used", IR_FN_USED},
};

static const struct ir_word ir_global_words[] = {
	{"const", IR_G_CONST},
	{"tls", IR_G_TLS},
	{"local", IR_G_LOCAL},
	{"weak", IR_G_WEAK},
	{"model", IR_G_MODEL},
	{"hidden", IR_G_HIDDEN},
	{"used", IR_G_USED},
	{"inexact", IR_G_INEXACT},
};

/* by enum ir_dkind */
static const char *const ir_dkind_words[] = {
	"none", "base", "ptr", "struct", "union", "array", "enum", "typedef", "cv", "func",
};
_Static_assert(ARRAY_SIZE(ir_dkind_words) == IR_D_FUNC + 1, "a word for each kind");
_Static_assert(ARRAY_SIZE(ir_order_words) == IR_O_SEQCST + 1, "a word for each order");

#endif
