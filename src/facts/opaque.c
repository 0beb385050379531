#include "facts/opaque.h"

#include "base/base.h"

#include <string.h>
#include <strings.h>

/* Instructions that access memory without an operand that says so, or that go elsewhere: string
 * instructions, the stack, calls. Each may have a suffix of one letter for its size. */
static const char *const implicit[] = {"movs", "stos", "lods", "cmps", "scas", "ins", "outs", "push",
	"pop", "pushf", "popf", "call", "ret", "lret", "iret", "enter", "leave", "int", "int3", "into",
	"xlat", "monitor", "umonitor", "clzero", "hlt", "ud2"};

/* The same for all mnemonics with these prefixes: system calls, jumps, transactions, … */
static const char *const implicit_prefixes[] = {"sys", "maskmov", "vmaskmov", "j", "loop", "rep",
	"lock", "xbegin", "xend", "xabort", "wrfsbase", "wrgsbase", "wrmsr", "vm", "enc"};

static bool is_implicit(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(implicit); i++) {
		size_t k = strlen(implicit[i]);

		if (k <= n && !strncasecmp(s, implicit[i], k) &&
			(n == k || (n == k + 1 && strchr("bwldqBWLDQ", s[k]))))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(implicit_prefixes); i++) {
		size_t k = strlen(implicit_prefixes[i]);

		if (k <= n && !strncasecmp(s, implicit_prefixes[i], k))
			return true;
	}
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* Operands that are not in memory are registers, operands of the template ($0, ${0:q}), and immediate
 * values ($$1). */
static bool operands_access_memory(const char *s, size_t n)
{
	bool begins = true;

	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (c == '$' && i + 1 < n && s[i + 1] == '{')
			while (i < n && s[i] != '}')
				i++;
		else if (c == '(' || c == ':' || c == '*')
			return true;
		if (begins && !is_space(c) && c != '%' && c != '$')
			return true;
		begins = c == ',' || (begins && is_space(c));
	}
	return false;
}

static bool statement_accesses_memory(const char *s, size_t n)
{
	size_t k = 0;

	while (n && is_space(*s))
		s++, n--;
	if (!n || *s == '#')
		return false;
	while (k < n && !is_space(s[k]))
		k++;
	if (memchr(s, ':', k) || *s == '.') /* a label, a directive */
		return true;
	return is_implicit(s, k) || operands_access_memory(s + k, n - k);
}

static bool template_accesses_memory(const char *s)
{
	while (*s) {
		size_t n = strcspn(s, ";\n");

		if (statement_accesses_memory(s, n))
			return true;
		s += n + (s[n] != 0);
	}
	return false;
}

bool opaque_is_intrinsic(const struct ir_program *p, const struct ir_insn *in)
{
	return !strncmp(ir_str(p, in->arg[0]), "llvm.", 5);
}

bool opaque_accesses_memory(
	const struct ir_program *p, const struct ir_func *f, const struct ir_insn *in)
{
	const char *text = ir_str(p, in->arg[0]);

	if (!*text)
		return false;
	for (uint32_t i = 0; i < in->arg[2]; i++)
		if (ir_ref_type(f, f->extra.at[in->arg[1] + i]) == IR_PTR)
			return true;
	return !opaque_is_intrinsic(p, in) && template_accesses_memory(text);
}
