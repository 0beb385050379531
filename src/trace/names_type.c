/* Names through types: paths inside an object, and values. */
#include "trace/names.h"

#include "base/base.h"
#include "base/vec.h"
#include "trace/names_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

uint32_t names_strip(const struct ir_program *p, uint32_t dtype)
{
	for (uint32_t i = 0; i < 32 && dtype; i++) {
		const struct ir_dtype *d = &p->dtypes.at[dtype];

		if (d->kind != IR_D_TYPEDEF && d->kind != IR_D_CV)
			break;
		dtype = d->elem;
	}
	return dtype;
}

uint32_t names_pointee(const struct ir_program *p, uint32_t dtype)
{
	dtype = names_strip(p, dtype);
	return dtype && p->dtypes.at[dtype].kind == IR_D_PTR ? p->dtypes.at[dtype].elem : 0;
}

uint64_t dtype_size(const struct ir_program *p, uint32_t dtype)
{
	for (uint32_t i = 0; i < 32 && dtype; i++) {
		const struct ir_dtype *d = &p->dtypes.at[dtype];

		if (d->size || (d->kind != IR_D_TYPEDEF && d->kind != IR_D_CV))
			return d->size;
		dtype = d->elem;
	}
	return 0;
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* Appends the index of elements of s bytes: the terms whose scale is a multiple of s, and the
 * constant. Leaves the remainder in w->offset. */
static void add_index(struct path *w, uint64_t s)
{
	int64_t index = w->offset / (int64_t)s, rest = w->offset % (int64_t)s;
	bool any = false;

	if (rest < 0) {
		rest += (int64_t)s;
		index--;
	}
	strbuf_addc(w->out, '[');
	for (uint32_t i = 0; i < w->nterms; i++) {
		int64_t times = w->terms[i].scale / (int64_t)s;

		if (w->terms[i].scale % (int64_t)s)
			continue;
		strbuf_addf(w->out, "%s%s", any ? " + " : "", w->terms[i].text);
		if (times != 1)
			strbuf_addf(w->out, " * %" PRId64, times);
		w->terms[i--] = w->terms[--w->nterms];
		any = true;
	}
	if (index && any)
		strbuf_addf(
			w->out, " %c %" PRId64, index < 0 ? '-' : '+', index < 0 ? -index : index);
	else if (!any)
		strbuf_addf(w->out, "%" PRId64, index);
	strbuf_addc(w->out, ']');
	w->offset = rest;
}

bool path_has_index(const struct path *w, uint64_t s)
{
	if (w->offset < 0 || w->offset >= (int64_t)s)
		return true;
	for (uint32_t i = 0; i < w->nterms; i++)
		if (w->terms[i].scale % (int64_t)s == 0)
			return true;
	return false;
}

void path_index(struct path *w, uint64_t s)
{
	add_index(w, s);
}

static bool field_covers(const struct ir_program *p, const struct ir_field *f, uint64_t bit)
{
	return f->bit_offset / 8 * 8 <= bit && bit < f->bit_offset + 8 * dtype_size(p, f->dtype);
}

/* The field of the struct or union at w->offset, NULL if there is none. *last: if several bit
 * fields begin in these bytes, the name of the last; else 0. */
static const struct ir_field *find_field(struct path *w, const struct ir_dtype *d, uint32_t *last)
{
	uint64_t bit = (uint64_t)w->offset * 8, end = bit + 8 * MAX(w->size, 1u);
	const struct ir_field *found = NULL;
	uint32_t starts = 0;

	*last = 0;
	vec_each (&d->fields, i) {
		const struct ir_field *f = &d->fields.at[i];

		if (!field_covers(w->p, f, bit))
			continue;
		if (d->kind == IR_D_UNION) {
			if (!found || (dtype_size(w->p, found->dtype) != w->size &&
					      dtype_size(w->p, f->dtype) == w->size))
				found = f;
			continue;
		}
		if (f->bit_offset >= bit && f->bit_offset < end) {
			*last = f->name;
			if (!starts++)
				found = f;
		} else if (!starts) {
			found = f;
		}
	}
	if (starts < 2)
		*last = 0;
	return found;
}

static bool step_field(struct path *w, const struct ir_dtype *d, const char *dot)
{
	uint32_t last;
	const struct ir_field *f = w->offset >= 0 ? find_field(w, d, &last) : NULL;

	if (!f)
		return false;
	if (f->name && *ir_str(w->p, f->name)) { /* an anonymous struct or union adds no word */
		strbuf_addf(w->out, "%s%s", dot, ir_str(w->p, f->name));
		if (last)
			strbuf_addf(w->out, "..%s", ir_str(w->p, last));
		w->begun = true;
	}
	w->offset -= (int64_t)(f->bit_offset / 8);
	w->dtype = f->dtype;
	return true;
}

/* Library types whose fields are not named: pthread_mutex_t, sem_t, … */
static bool is_opaque(const struct ir_program *p, uint32_t dtype)
{
	static const char *const words[] = {"pthread_", "sem_t", "mtx_t", "cnd_t", "once_flag"};

	for (uint32_t i = 0; i < 32 && dtype; i++) {
		const struct ir_dtype *d = &p->dtypes.at[dtype];

		for (uint32_t k = 0; d->kind == IR_D_TYPEDEF && k < ARRAY_SIZE(words); k++)
			if (!strncmp(ir_str(p, d->name), words[k], strlen(words[k])))
				return true;
		if (d->kind != IR_D_TYPEDEF && d->kind != IR_D_CV)
			break;
		dtype = d->elem;
	}
	return false;
}

void path_walk(struct path *w, const char *dot)
{
	for (uint32_t depth = 0; depth < 32 && !is_opaque(w->p, w->dtype); depth++) {
		uint32_t t = names_strip(w->p, w->dtype);
		const struct ir_dtype *d = &w->p->dtypes.at[t];
		bool here = !w->nterms && !w->offset && d->size == w->size;

		if (d->kind == IR_D_ARRAY && dtype_size(w->p, d->elem) && !(here && w->whole)) {
			path_index(w, dtype_size(w->p, d->elem));
			w->begun = true;
			w->dtype = d->elem;
		} else if ((d->kind == IR_D_STRUCT || d->kind == IR_D_UNION) &&
			   !(here && w->whole)) {
			if (!step_field(w, d, w->begun ? "." : dot))
				break;
		} else {
			break;
		}
	}
	if (w->nterms)
		strbuf_adds(w->out, "[…]");
	if (w->offset)
		strbuf_addf(w->out, "%+" PRId64, w->offset);
	if (w->nterms || w->offset)
		w->dtype = 0;
}

void names_path(struct strbuf *out, const struct ir_program *p, uint32_t dtype, uint64_t offset,
	uint64_t size)
{
	struct path w = {.p = p,
		.out = out,
		.dtype = dtype,
		.offset = (int64_t)offset,
		.size = size,
		.whole = size > 16};

	path_walk(&w, ".");
}

/* ---- values --------------------------------------------------------------------------------- */

static void add_float(struct strbuf *out, uint64_t size, struct val v)
{
	long double ld = 0;
	double d;
	float f;

	switch (size) {
	case 4:
		memcpy(&f, &v.lo, 4);
		strbuf_addf(out, "%.9g", (double)f);
		break;
	case 8:
		memcpy(&d, &v.lo, 8);
		strbuf_addf(out, "%.17g", d);
		break;
	default:
		memcpy(&ld, &v, 10);
		strbuf_addf(out, "%.21Lg", ld);
		break;
	}
}

static void add_signed(struct strbuf *out, uint64_t size, struct val v)
{
	if (size > 8 && v.hi != (uint64_t)((int64_t)v.lo >> 63))
		strbuf_addf(out, "0x%" PRIx64 "%016" PRIx64, v.hi, v.lo);
	else
		strbuf_addf(out, "%" PRId64,
			(int64_t)bits_signed(v.lo & bits_mask(8 * MIN((uint32_t)size, 8u)),
				8 * MIN((uint32_t)size, 8u)));
}

static void add_unsigned(struct strbuf *out, uint64_t size, struct val v)
{
	if (size > 8 && v.hi)
		strbuf_addf(out, "0x%" PRIx64 "%016" PRIx64, v.hi, v.lo);
	else
		strbuf_addf(out, "%" PRIu64, v.lo);
}

static void add_char(struct strbuf *out, const char *name, struct val v)
{
	unsigned char c = (unsigned char)v.lo;

	strbuf_addf(out, "%d", !strncmp(name, "unsigned", 8) ? c : (signed char)c);
	if (c >= ' ' && c < 127)
		strbuf_addf(out, " '%s%c'", c == '\'' || c == '\\' ? "\\" : "", c);
}

static void add_pointer(struct strbuf *out, struct val v)
{
	if (v.lo)
		strbuf_addf(out, "0x%" PRIx64, v.lo);
	else
		strbuf_adds(out, "NULL");
}

static bool add_typed(
	struct strbuf *out, const struct ir_program *p, uint32_t dtype, uint64_t size, struct val v)
{
	const struct ir_dtype *d = &p->dtypes.at[names_strip(p, dtype)];
	const char *name = ir_str(p, d->name);

	if (d->size != size)
		return false;
	switch (d->kind) {
	case IR_D_PTR: add_pointer(out, v); return true;
	case IR_D_ENUM: add_signed(out, size, v); return true;
	case IR_D_BASE: break;
	default: return false;
	}
	if (!strcmp(name, "_Bool") || !strcmp(name, "bool"))
		strbuf_adds(out, v.lo == 0   ? "false"
				 : v.lo == 1 ? "true"
					     : "neither true nor false");
	else if (strstr(name, "char") && size == 1)
		add_char(out, name, v);
	else if (strstr(name, "float") || strstr(name, "double"))
		add_float(out, size == 16 ? 10 : size, v);
	else if (!strncmp(name, "unsigned", 8))
		add_unsigned(out, size, v);
	else
		add_signed(out, size, v);
	return true;
}

void names_value(struct strbuf *out, const struct ir_program *p, uint32_t dtype, ir_type type,
	uint64_t size, struct val v)
{
	if (dtype && add_typed(out, p, dtype, size, v))
		return;
	if (type == IR_PTR)
		add_pointer(out, v);
	else if (type == IR_F32 || type == IR_F64 || type == IR_F80)
		add_float(out, ir_type_bytes(type), v);
	else if (size > 16)
		strbuf_addf(out, "%" PRIu64 " bytes", size);
	else
		add_signed(out, size, v);
}
