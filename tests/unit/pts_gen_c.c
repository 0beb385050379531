#include "pts_gen_c.h"

#include "rng.h"

#include <stdio.h>

enum { FUNCS = 6, VARS = 4 };

/* Every struct s * is valid, and so are all the pointers inside what it points to. */
static const char prologue[] =
	"#include <pthread.h>\n"
	"#include <stdarg.h>\n"
	"#include <stdatomic.h>\n"
	"#include <stddef.h>\n"
	"#include <stdint.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"\n"
	"struct s;\n"
	"typedef struct s *fn(struct s *, struct s *, int);\n"
	"struct s {\n"
	"	struct s *next;\n"
	"	long count;\n"
	"	void *any;\n"
	"	union { struct s *p; uintptr_t u; unsigned char c[8]; uint32_t h[2]; double d; } u;\n"
	"	struct link { struct link *to; } link;\n"
	"	struct s *many[3];\n"
	"	fn *f;\n"
	"	_Atomic(struct s *) at;\n"
	"	char buf[24];\n"
	"};\n"
	"#define OF_LINK(l) ((struct s *)((char *)(l) - offsetof(struct s, link)))\n"
	"fn f0, f1, f2, f3, f4, f5;\n"
	"static struct s g[3], *gp[4];\n"
	"static _Thread_local struct s tl;\n"
	"static void *bag[4];\n"
	"static fn *const table[] = {f0, f1, f2, f3, f4, f5};\n"
	"static uintptr_t key = 0x5a5a5a5a5a5aul;\n"
	"static int fuel = 400;\n"
	"\n"
	"static struct s *fill(struct s *p, struct s *q, fn *f)\n"
	"{\n"
	"	p->next = p->any = p->u.p = q;\n"
	"	p->link.to = &q->link;\n"
	"	p->many[0] = p->many[1] = p->many[2] = q;\n"
	"	p->f = f;\n"
	"	p->at = q;\n"
	"	p->count = 0;\n"
	"	memset(p->buf, 0, sizeof p->buf);\n"
	"	return p;\n"
	"}\n"
	"\n"
	"static void *xmalloc(size_t n)\n"
	"{\n"
	"	void *p = malloc(n);\n"
	"\n"
	"	if (!p)\n"
	"		abort();\n"
	"	return p;\n"
	"}\n"
	"\n"
	"static struct s *s_new(struct s *q)\n"
	"{\n"
	"	struct s *p = xmalloc(sizeof *p);\n"
	"\n"
	"	fill(p, q, table[q->count & 3]);\n"
	"	p->count = q->count + 1;\n"
	"	return p;\n"
	"}\n"
	"\n"
	"static struct s *pick(int n, ...)\n"
	"{\n"
	"	struct s *p = 0;\n"
	"	va_list ap;\n"
	"\n"
	"	va_start(ap, n);\n"
	"	do\n"
	"		p = va_arg(ap, struct s *);\n"
	"	while (n--);\n"
	"	va_end(ap);\n"
	"	return p;\n"
	"}\n"
	"\n"
	"static struct s *by_value(struct s s, int k)\n"
	"{\n"
	"	return s.many[k % 3];\n"
	"}\n"
	"\n"
	"static struct s twice(struct s *p)\n"
	"{\n"
	"	struct s r = *p;\n"
	"\n"
	"	r.next = p;\n"
	"	return r;\n"
	"}\n"
	"\n"
	"static int compare(const void *a, const void *b)\n"
	"{\n"
	"	struct s *const *x = a, *const *y = b;\n"
	"\n"
	"	return (*x)->count < (*y)->count ? -1 : (*x)->count > (*y)->count;\n"
	"}\n"
	"\n"
	"static void *thread(void *arg)\n"
	"{\n"
	"	struct s *p = arg;\n"
	"\n"
	"	fill(&tl, p, f0);\n"
	"	p->count++;\n"
	"	return p->next;\n"
	"}\n";

/* statements over a, b (variables) and k (a small number), as printf formats; %1$s a, %2$s b,
 * %3$u k, %4$u another */
static const char *const statements[] = {
	"%1$s = %2$s;",
	"%1$s = %2$s->next;",
	"%1$s->next = %2$s;",
	"%1$s = %2$s->any;",
	"%1$s->any = %2$s;",
	"%1$s = s_new(%2$s);",
	"%1$s = fill(malloc(sizeof(struct s)), %2$s, f%3$u);",
	"%1$s = fill(calloc(1, sizeof(struct s)), %2$s, %2$s->f);",
	"%1$s = &g[%3$u %% 3];",
	"%1$s = &g[%2$s->count & 1];",
	"gp[%3$u %% 4] = %2$s;",
	"%1$s = gp[%2$s->count & 3];",
	"%1$s = gp[%3$u %% 4];",
	"bag[%3$u %% 4] = &%2$s->link;",
	"%1$s = bag[%3$u %% 4] ? OF_LINK(bag[%3$u %% 4]) : %2$s;",
	"%1$s->u.p = %2$s;",
	"%1$s = %2$s->u.p;",
	"%1$s->u.u = (uintptr_t)%2$s;",
	"%1$s = (struct s *)(%2$s->u.u);",
	"%1$s = (struct s *)(((uintptr_t)%2$s ^ key) ^ key);",
	"{ uintptr_t t = (uintptr_t)%2$s | 1; %1$s = (struct s *)(t & ~(uintptr_t)7); }",
	"{ uintptr_t t = (uintptr_t)%2$s + 24; %1$s = (struct s *)(t - 24); }",
	"for (int i = 0; i < 8; i++) %1$s->u.c[i] = %2$s->u.c[i];",
	"%1$s->u.h[0] = %2$s->u.h[0]; %1$s->u.h[1] = %2$s->u.h[1];",
	"%1$s->u.d = %2$s->u.d;",
	"{ __int128 t = (__int128)(uintptr_t)%2$s << 64; %1$s = (struct s *)(uintptr_t)(t >> 64); }",
	"memcpy(&%1$s->many[%3$u %% 3], &%2$s->many[%4$u %% 3], 8);",
	"memmove(%1$s->many, %1$s->many + 1, 16);",
	"if (%1$s != %2$s) memcpy(%1$s, %2$s, sizeof *%1$s);",
	"*%1$s = *%2$s;",
	"{ char t[sizeof(struct s) + 3]; memcpy(t + 3, %2$s, sizeof(struct s)); "
	"memcpy(%1$s, t + 3, sizeof(struct s)); }",
	"{ struct s *t; memcpy(&t, (char *)%2$s + offsetof(struct s, next), 4); "
	"memcpy((char *)&t + 4, (char *)%2$s + offsetof(struct s, next) + 4, 4); %1$s = t; }",
	"%1$s->many[%3$u %% 3] = %2$s;",
	"%1$s->many[%2$s->count & 1] = %2$s;",
	"%1$s = %2$s->many[%2$s->count & 1];",
	"{ struct s **t = %2$s->many; for (int i = 0; i < 2; i++) t++; %1$s = *t; }",
	"%1$s->link.to = &%2$s->link;",
	"%1$s = OF_LINK(%2$s->link.to);",
	"%1$s->f = f%3$u;",
	"%1$s->f = table[%2$s->count & 3];",
	"%1$s = %1$s->f(%1$s, %2$s, d - 1);",
	"%1$s = table[%2$s->count & 3](%2$s, %1$s, d - 1);",
	"%1$s = f%3$u(%2$s, %1$s, d - 1);",
	"%1$s = pick(%3$u %% 2, %1$s, %2$s);",
	"%1$s = by_value(*%2$s, %3$u);",
	"{ struct s t = twice(%2$s); %1$s = t.next; }",
	"{ struct s *t[3] = {%1$s, %2$s, &g[%3$u %% 3]}; qsort(t, 3, sizeof *t, compare); %1$s = t[0]; }",
	"{ pthread_t t; void *r; pthread_create(&t, NULL, thread, %2$s); pthread_join(t, &r); "
	"%1$s = r; }",
	"%1$s = atomic_exchange(&%2$s->at, %1$s);",
	"{ struct s *t = %2$s; atomic_compare_exchange_strong(&%1$s->at, &t, %2$s); %1$s = t; }",
	"%1$s = %2$s->at;",
	"{ struct s **t = malloc(2 * sizeof *t); t[0] = %1$s; t[1] = %2$s; "
	"t = realloc(t, 4 * sizeof *t); %1$s = t[%3$u %% 2]; free(t); }",
	"{ struct s local; fill(&local, %2$s, f%3$u); %1$s = local.next->next; "
	"%1$s = local.f == f1 ? local.u.p : %1$s; }",
	"%1$s = %2$s->count & 1 ? %1$s : %2$s;",
	"%1$s->count++;",
	"for (struct s *t = %2$s; t->count++ < 3; t = t->next) %1$s = t;",
	"fill(&tl, %2$s, f%3$u); %1$s = tl.many[%4$u %% 3];",
	"*(struct s **)(%1$s->buf + 8) = %2$s; %1$s = *(struct s **)(%1$s->buf + 8);",
};

static void statement(struct strbuf *out, struct rng *r)
{
	static const char *const vars[VARS] = {"a", "b", "x", "y"};
	const char *to = vars[rng_below(r, VARS)], *from = vars[rng_below(r, VARS)];
	const char *format = statements[rng_below(r, ARRAY_SIZE(statements))];
	char text[400];

	/* all four are passed, some are used */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, format, to, from, rng_below(r, FUNCS), rng_below(r, FUNCS));
#pragma GCC diagnostic pop
	strbuf_addf(out, "	%s\n", text);
}

void pts_gen_c(struct strbuf *out, uint64_t seed)
{
	struct rng r = rng_seed(seed);

	strbuf_adds(out, prologue);
	for (int f = 0; f < FUNCS; f++) {
		strbuf_addf(out,
			"\nstruct s *f%d(struct s *a, struct s *b, int d)\n{\n"
			"	struct s *x = a, *y = b;\n\n"
			"	if (d <= 0 || fuel-- <= 0)\n		return %s;\n",
			f, rng_chance(&r, 50) ? "a" : "b");
		for (uint32_t i = 4 + rng_below(&r, 9); i--;)
			statement(out, &r);
		strbuf_addf(out, "	return %s;\n}\n", rng_chance(&r, 50) ? "x" : "y");
	}
	strbuf_adds(out, "\nint main(void)\n{\n	struct s local, *a = &local, *b = g;\n\n"
			 "	for (int i = 0; i < 3; i++)\n		fill(&g[i], &g[(i + 1) % 3], "
			 "table[i]);\n"
			 "	for (int i = 0; i < 4; i++)\n		gp[i] = &g[i % 3];\n"
			 "	fill(&local, g, f1);\n	local.count = 0;\n");
	for (int i = 0; i < 4; i++)
		strbuf_addf(out, "	a = f%u(a, b, 4);\n	b = f%u(b, a, 4);\n",
			rng_below(&r, FUNCS), rng_below(&r, FUNCS));
	strbuf_adds(out, "	return a->count + b->count < 0;\n}\n");
}
