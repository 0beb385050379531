/*
 * The parser of the textual IR must survive any bytes; what it accepts must print, parse again to
 * the same text, and be fit for every analysis.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "ir/callgraph.h"
#include "ir/cdep.h"
#include "ir/loops.h"
#include "ir/text.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	(void)message;
}

static void analyse(const struct ir_func *f)
{
	struct vec_u32 list = {0};
	struct cfg c;
	struct dom d, pd;
	struct loops l;
	struct cdep cd;

	cfg_init(&c, f);
	dom_init(&d, &c);
	postdom_init(&pd, &c);
	loops_init(&l, &c);
	cdep_init(&cd, &c, &pd);
	vec_each (&l.at, i)
		loop_exits(&l, &c, i, &list);
	for (uint32_t b = 0; b < c.n; b++)
		cdep_get(&cd, b, &list);
	vec_release(&list);
	cdep_release(&cd);
	loops_release(&l);
	dom_release(&pd);
	dom_release(&d);
	cfg_release(&c);
}

static void use(const struct ir_program *p)
{
	struct strbuf b = {0};
	struct callgraph g;

	vec_each (&p->funcs, i) {
		ir_print_func(&b, p, i, true);
		strbuf_clear(&b);
		if (!(p->funcs.at[i].flags & IR_FN_EXTERN))
			analyse(&p->funcs.at[i]);
	}
	callgraph_init(&g, p, NULL, NULL);
	callgraph_release(&g);
	strbuf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct strbuf a = {0}, b = {0};
	struct ir_program *p, *q;

	diag_set_sink(ignore, NULL);
	p = ir_parse("fuzz", (const char *)data, n);
	if (p) {
		use(p);
		ir_print(&a, p);
		q = ir_parse("printed", a.s, a.n);
		if (!q)
			BUG("what was printed is refused");
		ir_print(&b, q);
		if (a.n != b.n || memcmp(a.s, b.s, a.n))
			BUG("print, parse, print gives another text");
		ir_program_free(q);
	}
	ir_program_free(p);
	strbuf_release(&a);
	strbuf_release(&b);
	return 0;
}
