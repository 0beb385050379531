/* Stands in for sym_mem.c and mem_sym.c until they are here. */
#include "exec/sym.h"

enum step sym_load(struct machine *m, struct thread *t, struct opnd addr, ir_type type,
	struct opnd *out)
{
	(void)addr, (void)type, (void)out;
	return stop_unknown(m, t, "unsupported instruction", "load of symbolic memory");
}

enum step sym_store(struct machine *m, struct thread *t, struct opnd addr, ir_type type,
	struct opnd value)
{
	(void)addr, (void)type, (void)value;
	return stop_unknown(m, t, "unsupported instruction", "store to symbolic memory");
}

enum step sym_bulk(struct machine *m, struct thread *t, const struct ir_insn *in, struct opnd to,
	struct opnd from, struct opnd n)
{
	(void)in, (void)to, (void)from, (void)n;
	return stop_unknown(m, t, "unsupported instruction", "block operation");
}

enum mem_status mem_put_sym(struct mem *m, uint64_t a, const struct mem_sym *cells, unsigned n,
	uint64_t *bad)
{
	(void)m, (void)cells, (void)n;
	*bad = a;
	return MEM_INVALID;
}
