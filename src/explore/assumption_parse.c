/* The expressions of --assume, from text to nodes. */
#include "explore/assumption.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/opt.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = UINT32_MAX, MOST_NESTED = 64 };

struct parser {
	const struct ir_program *p;
	const struct inputs *in;
	struct assumption *as;
	const char *s;
	uint32_t nested;
};

static const struct {
	const char *text;
	uint8_t level; /* operators of a higher level bind tighter */
} binary[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"<=", 7},
	{">=", 7}, {"<", 7}, {">", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9}, {"*", 10},
	{"/", 10}, {"%", 10}};
_Static_assert(ARRAY_SIZE(binary) == ASSUMPTION_N_BINARY, "one entry for each operator");

static uint32_t parse_level(struct parser *ps, uint8_t level);

static uint32_t add_node(struct parser *ps, struct assumption_node n)
{
	vec_push(&ps->as->nodes, n);
	return ps->as->nodes.n - 1;
}

static uint32_t refuse(const struct parser *ps, const char *what)
{
	error_("--assume '%s': %s", ps->as->text, what);
	return FAILED;
}

static void skip_space(struct parser *ps)
{
	ps->s += strspn(ps->s, " \t\n");
}

static bool accept(struct parser *ps, const char *text)
{
	skip_space(ps);
	if (strncmp(ps->s, text, strlen(text)))
		return false;
	ps->s += strlen(text);
	return true;
}

/* Reads an unsigned number of C; false if there is none, or it is too large. */
static bool read_number(struct parser *ps, uint64_t *out)
{
	char *end;

	skip_space(ps);
	if (!isdigit((unsigned char)*ps->s))
		return false;
	errno = 0;
	*out = strtoull(ps->s, &end, 0);
	if (errno)
		return false;
	end += strspn(end, "uUlL");
	ps->s = end;
	return !isalnum((unsigned char)*end) && *end != '_';
}

/* "[N]" */
static bool read_index(struct parser *ps, uint64_t *out)
{
	return accept(ps, "[") && read_number(ps, out) && accept(ps, "]");
}

static uint32_t parse_char(struct parser *ps)
{
	static const char names[] = "ntr0\\'\"", values[] = "\n\t\r\0\\'\"";
	struct assumption_node n = {.kind = ASSUMPTION_NUMBER};
	const char *at;

	if (*ps->s == '\\' && ps->s[1] && (at = strchr(names, ps->s[1]))) {
		n.number = (uint64_t)values[at - names];
		ps->s += 2;
	} else if (*ps->s && *ps->s != '\'' && *ps->s != '\\') {
		n.number = (unsigned char)*ps->s++;
	} else {
		return refuse(ps, "no character between the quotes");
	}
	if (*ps->s++ != '\'')
		return refuse(ps, "a character has no second quote");
	return add_node(ps, n);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The input that the text begins with, moving past its name; FAILED if none has that name. */
static uint32_t read_input(struct parser *ps)
{
	vec_each (&ps->in->specs, i) {
		const struct input_spec *spec = &ps->in->specs.at[i];
		struct strbuf full = {0}, brief = {0};
		size_t n = 0;

		input_print_name(spec, &full);
		if (spec->kind == INPUT_ARGV)
			strbuf_addf(&brief, "argv[%u]", spec->index);
		if (full.n && !strncmp(ps->s, full.s, full.n))
			n = full.n;
		else if (brief.n && !strncmp(ps->s, brief.s, brief.n))
			n = brief.n;
		strbuf_release(&full);
		strbuf_release(&brief);
		if (n && !isalnum((unsigned char)ps->s[n]) && ps->s[n] != '_') {
			ps->s += n;
			return i;
		}
	}
	return FAILED;
}

static uint32_t parse_text(struct parser *ps, uint32_t input, bool equal)
{
	const char *end = strchr(ps->s, '"');
	uint32_t n;

	if (!end)
		return refuse(ps, "a string has no second quote");
	if (memchr(ps->s, '\\', (size_t)(end - ps->s)))
		return refuse(ps, "strings cannot have escapes (compare the bytes instead)");
	n = add_node(ps, (struct assumption_node){.kind = ASSUMPTION_TEXT,
				 .id = input,
				 .text = xstrndup(ps->s, (size_t)(end - ps->s))});
	ps->s = end + 1;
	if (equal)
		return n;
	return add_node(ps,
		(struct assumption_node){.kind = ASSUMPTION_UNARY, .op = ASSUMPTION_NOT, .a = n});
}

static uint32_t parse_input(struct parser *ps, uint32_t input)
{
	const struct input_spec *spec = &ps->in->specs.at[input];
	struct assumption_node n = {.kind = ASSUMPTION_BYTE, .id = input};
	bool is_string = spec->kind == INPUT_ARGV || spec->kind == INPUT_ENV;

	if (accept(ps, ".size")) {
		if (is_string || spec->min == spec->max)
			return refuse(ps, "only a standard input or file with a range of lengths "
					  "has a '.size'");
		n.kind = ASSUMPTION_SIZE;
		return add_node(ps, n);
	}
	skip_space(ps);
	if (*ps->s == '[') {
		if (!read_index(ps, &n.number))
			return refuse(ps, "an index must be a number");
		if (n.number >= spec->max)
			return refuse(
				ps, "the index is not less than the size of the input (--sym)");
		return add_node(ps, n);
	}
	if (is_string && accept(ps, "==") && accept(ps, "\""))
		return parse_text(ps, input, true);
	if (is_string && accept(ps, "!=") && accept(ps, "\""))
		return parse_text(ps, input, false);
	return refuse(
		ps, is_string ? "give a byte of the input, argv[1][0], or compare it with a string"
			      : "give a byte of the input, such as stdin[0]");
}

static bool names_input(const char *s)
{
	return !strncmp(s, "argv", 4) || !strncmp(s, "stdin", 5) || !strncmp(s, "env:", 4) ||
	       !strncmp(s, "file:", 5);
}

/* ---- global variables ------------------------------------------------------------------------ */

static bool is_variable(const struct ir_global *g)
{
	return !(g->flags & (IR_G_EXTERN | IR_G_MODEL)) && g->size;
}

static uint32_t find_global(const struct parser *ps, const char *name, size_t n)
{
	vec_each (&ps->p->globals, g) {
		const char *known = ir_str(ps->p, ps->p->globals.at[g].name);

		if (is_variable(&ps->p->globals.at[g]) && !strncmp(known, name, n) && !known[n])
			return g;
	}
	return FAILED;
}

/* The global variable that the text begins with, moving past its name. A variable of a function is
 * FUNCTION.NAME. */
static uint32_t read_global(struct parser *ps)
{
	size_t n = 0, longest = 0;
	uint32_t found = FAILED;

	for (;;) {
		uint32_t g;

		while (isalnum((unsigned char)ps->s[n]) || ps->s[n] == '_')
			n++;
		g = find_global(ps, ps->s, n);
		if (g != FAILED) {
			found = g;
			longest = n;
		}
		if (ps->s[n] != '.')
			break;
		n++;
	}
	ps->s += longest;
	return found;
}

static uint32_t report_unknown(struct parser *ps)
{
	size_t n = strspn(ps->s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	char *name = xstrndup(ps->s, n);
	struct opt_nearest ne;

	opt_nearest_init(&ne, name);
	vec_each (&ps->p->globals, g)
		if (is_variable(&ps->p->globals.at[g]))
			opt_nearest_offer(&ne, ir_str(ps->p, ps->p->globals.at[g].name));
	if (!n)
		error_("--assume '%s': a name or a number is expected at '%s'", ps->as->text,
			ps->s);
	else if (names_input(ps->s))
		error_("--assume '%s': '%s' is not a symbolic input (--sym)", ps->as->text, name);
	else if (ne.best)
		error_("--assume '%s': no global variable '%s' (did you mean '%s'?)", ps->as->text,
			name, ne.best);
	else
		error_("--assume '%s': the program has no global variable '%s'", ps->as->text,
			name);
	free(name);
	return FAILED;
}

static const struct ir_dtype *strip_type(const struct parser *ps, uint32_t dtype)
{
	for (int i = 0; i < 32; i++) {
		const struct ir_dtype *d = &ps->p->dtypes.at[dtype];

		if (d->kind != IR_D_TYPEDEF && d->kind != IR_D_CV)
			return d;
		dtype = d->elem;
	}
	return &ps->p->dtypes.at[0];
}

/* ".NAME": moves to the field. Fields that share bytes of a structure are bit-fields. */
static const struct ir_dtype *read_field(
	struct parser *ps, const struct ir_dtype *d, struct assumption_node *n)
{
	size_t len = 0;

	while (isalnum((unsigned char)ps->s[len]) || ps->s[len] == '_')
		len++;
	vec_each (&d->fields, i) {
		const struct ir_field *f = &d->fields.at[i];
		const char *name = ir_str(ps->p, f->name);
		const struct ir_dtype *type = strip_type(ps, f->dtype);
		bool packed = f->bit_offset % 8;

		if (strncmp(name, ps->s, len) || name[len])
			continue;
		vec_each (&d->fields, k)
			packed |= d->kind == IR_D_STRUCT &&
				  d->fields.at[k].bit_offset > f->bit_offset &&
				  d->fields.at[k].bit_offset < f->bit_offset + 8 * type->size;
		if (packed) {
			refuse(ps, "bit-fields are not supported");
			return NULL;
		}
		ps->s += len;
		n->number += f->bit_offset / 8;
		return type;
	}
	error_("--assume '%s': no field '%.*s'", ps->as->text, (int)len, ps->s);
	return NULL;
}

static const struct ir_dtype *read_element(
	struct parser *ps, const struct ir_dtype *d, struct assumption_node *n)
{
	const struct ir_dtype *elem = strip_type(ps, d->elem);
	uint64_t index;

	if (!read_index(ps, &index)) {
		refuse(ps, "an index must be a number");
		return NULL;
	}
	if (index >= d->count || !elem->size) {
		refuse(ps, "the index is out of the bounds of its array");
		return NULL;
	}
	n->number += index * elem->size;
	return elem;
}

/* The type and sign of a scalar; false after error_(). */
static bool take_scalar(struct parser *ps, const struct ir_dtype *d, struct assumption_node *n)
{
	const char *name = d->name ? ir_str(ps->p, d->name) : "";

	n->bytes = (uint32_t)(d->kind == IR_D_PTR ? 8 : d->size);
	if (d->kind == IR_D_NONE || n->bytes == 0 || n->bytes > 8) {
		refuse(ps, "the type of a variable is not known, or has more than 8 bytes (compile "
			   "with -g)");
		return false;
	}
	if (strstr(name, "float") || strstr(name, "double")) {
		refuse(ps, "floating-point variables are not supported");
		return false;
	}
	if (d->kind == IR_D_ENUM && d->elem)
		name = ir_str(ps->p, strip_type(ps, d->elem)->name);
	n->is_signed = d->kind != IR_D_PTR && !strstr(name, "unsigned") && !strstr(name, "ool");
	return true;
}

static uint32_t parse_global(struct parser *ps, uint32_t g)
{
	const struct ir_global *gl = &ps->p->globals.at[g];
	struct assumption_node n = {.kind = ASSUMPTION_GLOBAL, .id = g};
	const struct ir_dtype *d = strip_type(ps, gl->dtype);

	if (gl->flags & IR_G_TLS)
		return refuse(ps, "a thread-local variable has a value for each thread");
	for (;;) {
		skip_space(ps);
		if (*ps->s == '.' && (d->kind == IR_D_STRUCT || d->kind == IR_D_UNION)) {
			ps->s++;
			d = read_field(ps, d, &n);
		} else if (*ps->s == '[' && d->kind == IR_D_ARRAY) {
			d = read_element(ps, d, &n);
		} else if (*ps->s == '.' || *ps->s == '[' || !strncmp(ps->s, "->", 2)) {
			return refuse(ps,
				"only fields and elements of variables themselves can be given, "
				"not what a pointer points to");
		} else {
			break;
		}
		if (!d)
			return FAILED;
	}
	if (d->kind == IR_D_STRUCT || d->kind == IR_D_UNION || d->kind == IR_D_ARRAY)
		return refuse(ps, "give a field or an element of a variable that has several");
	if (!take_scalar(ps, d, &n) || n.number + n.bytes > gl->size)
		return FAILED;
	ps->as->has_global = true;
	return add_node(ps, n);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static uint32_t parse_unary(struct parser *ps, enum assumption_op op);

static uint32_t parse_operand(struct parser *ps)
{
	struct assumption_node n = {.kind = ASSUMPTION_NUMBER};
	uint32_t at;

	if (accept(ps, "(")) {
		at = parse_level(ps, 1);
		if (at != FAILED && !accept(ps, ")"))
			return refuse(ps, "a ')' is missing");
		return at;
	}
	if (accept(ps, "!"))
		return parse_unary(ps, ASSUMPTION_NOT);
	if (accept(ps, "-"))
		return parse_unary(ps, ASSUMPTION_NEG);
	if (accept(ps, "~"))
		return parse_unary(ps, ASSUMPTION_INVERT);
	if (accept(ps, "'"))
		return parse_char(ps);
	if (isdigit((unsigned char)*ps->s))
		return read_number(ps, &n.number) ? add_node(ps, n)
						  : refuse(ps, "a number is not understood");
	at = read_input(ps);
	if (at != FAILED)
		return parse_input(ps, at);
	at = read_global(ps);
	return at != FAILED ? parse_global(ps, at) : report_unknown(ps);
}

static uint32_t parse_unary(struct parser *ps, enum assumption_op op)
{
	struct assumption_node n = {.kind = ASSUMPTION_UNARY, .op = op};

	if (++ps->nested > MOST_NESTED)
		return refuse(ps, "the expression is nested too deeply");
	n.a = parse_operand(ps);
	ps->nested--;
	return n.a == FAILED ? FAILED : add_node(ps, n);
}

/* The operator at the text, if it is of that level. "<" is not the begin of "<<", "&" not of "&&". */
static bool read_operator(struct parser *ps, uint8_t level, enum assumption_op *op)
{
	skip_space(ps);
	for (uint32_t i = 0; i < ARRAY_SIZE(binary); i++) {
		size_t n = strlen(binary[i].text);

		if (binary[i].level != level || strncmp(ps->s, binary[i].text, n))
			continue;
		if (n == 1 && strchr("<>|&", *ps->s) && ps->s[1] == *ps->s)
			continue;
		ps->s += n;
		*op = (enum assumption_op)i;
		return true;
	}
	return false;
}

static uint32_t parse_level(struct parser *ps, uint8_t level)
{
	struct assumption_node n = {.kind = ASSUMPTION_BINARY};
	uint32_t at;

	if (level > 10)
		return parse_operand(ps);
	if (++ps->nested > 12 * MOST_NESTED)
		return refuse(ps, "the expression is nested too deeply");
	at = parse_level(ps, level + 1);
	while (at != FAILED && read_operator(ps, level, &n.op)) {
		n.a = at;
		n.b = parse_level(ps, level + 1);
		at = n.b == FAILED ? FAILED : add_node(ps, n);
	}
	ps->nested--;
	return at;
}

static void release_assumption(struct assumption *as)
{
	vec_each (&as->nodes, i)
		free(as->nodes.at[i].text);
	vec_release(&as->nodes);
	free(as->text);
}

int assumptions_add(struct assumptions *as, const struct ir_program *p, const struct inputs *in,
	const char *text)
{
	struct assumption one = {.text = xstrdup(text)};
	struct parser ps = {.p = p, .in = in, .as = &one, .s = one.text};
	uint32_t at = parse_level(&ps, 1);

	skip_space(&ps);
	if (at != FAILED && *ps.s) {
		error_("--assume '%s': not understood from '%s' on", text, ps.s);
		at = FAILED;
	}
	if (at == FAILED) {
		release_assumption(&one);
		return -1;
	}
	vec_push(&as->at, one);
	return 0;
}

void assumptions_release(struct assumptions *as)
{
	vec_each (&as->at, i)
		release_assumption(&as->at.at[i]);
	vec_release(&as->at);
}
