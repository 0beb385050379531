#include "cover/output.h"

#include "base/arena.h"
#include "base/base.h"
#include "base/vec.h"

#include <string.h>

static enum step give_any(struct scall *s)
{
	return scall_give(s, term_fresh(s->ts, OUTPUT_RESULT, 32));
}

/* Whether the operand is the stream that the global variable points to. */
static bool is_stream(struct machine *m, struct opnd o, const char *name)
{
	uint64_t v = 0, bad;

	if (o.t.id)
		return false;
	vec_each (&m->p->globals, g)
		if (!strcmp(ir_str(m->p, m->p->globals.at[g].name), name) && m->globals.addr[g] &&
			mem_read(&m->mem, m->globals.addr[g], &v, NULL, 8, &bad) == MEM_OK && v &&
			v == o.v.lo)
			return true;
	return false;
}

static enum step give_if_standard(struct scall *s, uint32_t stream)
{
	if (s->nargs <= stream || (!is_stream(s->m, s->args[stream], "stdout") &&
					  !is_stream(s->m, s->args[stream], "stderr")))
		return STEP_NEXT;
	return give_any(s);
}

static enum step stream_first(struct scall *s)
{
	return give_if_standard(s, 0);
}

static enum step stream_second(struct scall *s)
{
	return give_if_standard(s, 1);
}

static const struct {
	const char *name;
	summary_fn fn;
} outputs[] = {
	{"printf", give_any},
	{"vprintf", give_any},
	{"__printf_chk", give_any},
	{"puts", give_any},
	{"putchar", give_any},
	{"fprintf", stream_first},
	{"vfprintf", stream_first},
	{"__fprintf_chk", stream_first},
	{"fflush", stream_first},
	{"fputs", stream_second},
	{"fputc", stream_second},
	{"putc", stream_second},
};

void output_install(struct machine *m)
{
	uint32_t n = m->p->funcs.n;
	summary_fn *fns = arena_array(&m->arena, summary_fn, n);
	bool *has = arena_array(&m->arena, bool, n);

	memcpy(fns, m->sym->summaries, n * sizeof *fns);
	memcpy(has, m->summarized, n * sizeof *has);
	vec_each (&m->p->funcs, f) {
		if (!(m->p->funcs.at[f].flags & IR_FN_MODEL))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(outputs); i++)
			if (!strcmp(ir_func_name(m->p, f), outputs[i].name)) {
				fns[f] = outputs[i].fn;
				has[f] = true;
			}
	}
	m->sym->summaries = fns;
	m->summarized = has;
}
