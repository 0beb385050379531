#include "base/diag.h"

#include "base/strbuf.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

static diag_sink sink_fn;
static void *sink_ctx;
static const char *program = "heddle";

void diag_set_sink(diag_sink sink, void *ctx)
{
	sink_fn = sink;
	sink_ctx = ctx;
}

void diag_set_program(const char *name)
{
	program = name;
}

static void print_message(struct diag_pos pos, const char *severity, const char *fmt, va_list ap)
{
	struct strbuf b = {0}, clean = {0};

	strbuf_adds(&b, pos.file ? pos.file : program);
	if (pos.file && pos.line)
		strbuf_addf(&b, ":%u", pos.line);
	if (pos.file && pos.line && pos.col)
		strbuf_addf(&b, ":%u", pos.col);
	strbuf_addf(&b, ": %s: ", severity);
	strbuf_vaddf(&b, fmt, ap);
	utf8_add_clean(&clean, b.s, b.n);
	if (sink_fn)
		sink_fn(sink_ctx, clean.s);
	else
		fprintf(stderr, "%s\n", clean.s);
	strbuf_release(&clean);
	strbuf_release(&b);
}

#define EMIT(pos, severity)                                                                        \
	do {                                                                                       \
		va_list ap;                                                                        \
		va_start(ap, fmt);                                                                 \
		print_message(pos, severity, fmt, ap);                                             \
		va_end(ap);                                                                        \
	} while (0)

int error_at(struct diag_pos pos, const char *fmt, ...)
{
	EMIT(pos, "error");
	return -1;
}

int error_(const char *fmt, ...)
{
	EMIT((struct diag_pos){0}, "error");
	return -1;
}

void warn_(const char *fmt, ...)
{
	EMIT((struct diag_pos){0}, "warning");
}

void note_(const char *fmt, ...)
{
	EMIT((struct diag_pos){0}, "note");
}
