#include "explore/inputs.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SIZE = 1 << 20, MAX_ARGS = 1024 };

void inputs_init(struct inputs *in)
{
	*in = (struct inputs){0};
	arena_init(&in->arena);
}

void inputs_release(struct inputs *in)
{
	vec_release(&in->specs);
	vec_release(&in->fail);
	arena_release(&in->arena);
}

/* ---- options --------------------------------------------------------------------------------- */

static int report_misunderstood(const char *text)
{
	return error_("--sym '%s' is not understood (give argv[K]:SIZE, stdin:SIZE, file:PATH:SIZE, "
		      "env:NAME:SIZE, syscall or syscall:NAME; SIZE is a number of bytes or a range "
		      "like 0-64)", text);
}

/* Reads a number and moves *s behind it; -1 if there is none, or it is larger than MAX_SIZE. */
static int64_t parse_number(const char **s)
{
	int64_t n = 0;

	if (**s < '0' || **s > '9')
		return -1;
	for (; **s >= '0' && **s <= '9'; ++*s) {
		n = 10 * n + (**s - '0');
		if (n > MAX_SIZE)
			return -1;
	}
	return n;
}

/* "N" or "A-B" up to the end of the text */
static int parse_size(const char *text, const char *s, bool is_string, struct input_spec *spec)
{
	int64_t a = parse_number(&s), b = a;

	if (a >= 0 && *s == '-') {
		s++;
		b = parse_number(&s);
	} else if (is_string) {
		a = MIN(a, 0);
	}
	if (a < 0 || b < 0 || *s)
		return error_("'%s' has no valid size at its end (a number of bytes up to %d, or "
			      "a range like 0-64)",
			text, MAX_SIZE);
	if (a > b)
		return error_("'%s': the first size is larger than the second", text);
	spec->min = (uint64_t)a;
	spec->max = (uint64_t)b;
	return 0;
}

/* "argv[K]:SIZE"; s is after the bracket. */
static int parse_argv(const char *text, const char *s, struct input_spec *spec)
{
	int64_t k = parse_number(&s);

	if (k < 0 || k > MAX_ARGS || strncmp(s, "]:", 2))
		return report_misunderstood(text);
	if (!k)
		return error_("'%s': argv[0] is the program's name; its arguments start at argv[1]", text);
	spec->kind = INPUT_ARGV;
	spec->index = (uint32_t)k;
	return parse_size(text, s + 2, true, spec);
}

/* "NAME:SIZE"; a name may have colons itself */
static int parse_named(struct inputs *in, const char *text, const char *s, struct input_spec *spec)
{
	const char *colon = strrchr(s, ':');

	if (!colon || colon == s)
		return report_misunderstood(text);
	spec->name = arena_strndup(&in->arena, s, (size_t)(colon - s));
	if (spec->kind == INPUT_ENV && strchr(spec->name, '='))
		return error_("'%s': the name of a variable has no '='", text);
	return parse_size(text, colon + 1, spec->kind == INPUT_ENV, spec);
}

/* "syscall:NAME" */
static int parse_call(struct inputs *in, const char *text, const char *name, struct input_spec *spec)
{
	spec->kind = INPUT_SYSCALL;
	spec->call = world_call_number(name);
	if (spec->call < 0)
		return error_("--sym '%s': heddle has no model of a system call '%s' (--sym syscall "
			      "gives any result to those without one)", text, name);
	vec_push(&in->fail, spec->call);
	return 0;
}

static bool same_input(const struct input_spec *a, const struct input_spec *b)
{
	return a->kind == b->kind && a->index == b->index && a->call == b->call &&
	       (!a->name || !strcmp(a->name, b->name));
}

int inputs_add(struct inputs *in, const char *text)
{
	struct input_spec spec = {0};
	int r;

	if (!strcmp(text, "syscall")) {
		spec.kind = INPUT_SYSCALL;
		spec.call = -1;
		r = 0;
	} else if (!strncmp(text, "syscall:", 8)) {
		r = parse_call(in, text, text + 8, &spec);
	} else if (!strncmp(text, "argv[", 5)) {
		r = parse_argv(text, text + 5, &spec);
	} else if (!strncmp(text, "stdin:", 6)) {
		spec.kind = INPUT_STDIN;
		r = parse_size(text, text + 6, false, &spec);
	} else if (!strncmp(text, "file:", 5)) {
		spec.kind = INPUT_FILE;
		r = parse_named(in, text, text + 5, &spec);
	} else if (!strncmp(text, "env:", 4)) {
		spec.kind = INPUT_ENV;
		r = parse_named(in, text, text + 4, &spec);
	} else {
		r = report_misunderstood(text);
	}
	if (r)
		return -1;
	vec_each (&in->specs, i)
		if (same_input(&in->specs.at[i], &spec))
			return error_("--sym '%s': the input is given twice", text);
	vec_push(&in->specs, spec);
	return 0;
}

/* The options for the world of a new machine. */
static struct world_options inputs_world(const struct inputs *in)
{
	struct world_options o = {.host_files = true, .fail = in->fail.at, .nfail = in->fail.n};

	vec_each (&in->specs, i)
		o.sym_results |= in->specs.at[i].kind == INPUT_SYSCALL && in->specs.at[i].call < 0;
	return o;
}

/* ---- arguments and environment --------------------------------------------------------------- */

/* `before` and n bytes, which symbols replace later. */
static char *reserve_text(struct inputs *in, const char *before, uint64_t n)
{
	size_t k = strlen(before);
	char *s = arena_alloc(&in->arena, k + n + 1);

	memcpy(s, before, k);
	memset(s + k, '?', n);
	return s;
}

static const struct input_spec *spec_of_argument(const struct inputs *in, uint32_t k)
{
	vec_each (&in->specs, i)
		if (in->specs.at[i].kind == INPUT_ARGV && in->specs.at[i].index == k)
			return &in->specs.at[i];
	return NULL;
}

static int make_argv(struct inputs *in, int argc, char *const *argv)
{
	uint32_t n = (uint32_t)argc;

	while (spec_of_argument(in, n))
		n++;
	vec_each (&in->specs, i)
		if (in->specs.at[i].kind == INPUT_ARGV && in->specs.at[i].index >= n)
			return error_("--sym argv[%u]: the program has no argument before it (its next "
				      "one would be argv[%u])", in->specs.at[i].index, n);
	in->argv = arena_array(&in->arena, char *, n + 1);
	in->argc = (int)n;
	for (uint32_t k = 0; k < n; k++) {
		const struct input_spec *spec = spec_of_argument(in, k);

		in->argv[k] =
			spec ? reserve_text(in, "", spec->max) : arena_strdup(&in->arena, argv[k]);
	}
	return 0;
}

/* "NAME=" of a variable, in the arena */
static char *make_assignment(struct inputs *in, const char *name)
{
	size_t n = strlen(name);
	char *s = arena_alloc(&in->arena, n + 2);

	memcpy(s, name, n);
	s[n] = '=';
	return s;
}

static char **make_envp(struct inputs *in, char *const *envp)
{
	uint32_t n = 0, k = 0;
	char **env;

	while (envp && envp[n])
		n++;
	env = arena_array(&in->arena, char *, n + in->specs.n + 1);
	for (uint32_t i = 0; i < n; i++)
		env[k++] = arena_strdup(&in->arena, envp[i]);
	vec_each (&in->specs, i) {
		const struct input_spec *spec = &in->specs.at[i];
		uint32_t at = 0;
		char *set;

		if (spec->kind != INPUT_ENV)
			continue;
		set = make_assignment(in, spec->name);
		while (at < k && strncmp(env[at], set, strlen(set)))
			at++;
		env[at] = reserve_text(in, set, spec->max);
		k += at == k;
	}
	return env;
}

int inputs_arguments(struct inputs *in, int argc, char *const *argv, char *const *envp,
	int *new_argc, char ***new_argv, char ***new_envp)
{
	if (make_argv(in, argc, argv))
		return -1;
	*new_argc = in->argc;
	*new_argv = in->argv;
	*new_envp = make_envp(in, envp);
	return 0;
}

/* ---- symbols --------------------------------------------------------------------------------- */

void input_print_name(const struct input_spec *spec, struct strbuf *out)
{
	switch (spec->kind) {
	case INPUT_ARGV: strbuf_addf(out, "argv%u", spec->index); break;
	case INPUT_FILE: strbuf_addf(out, "file:%s", spec->name); break;
	case INPUT_ENV: strbuf_addf(out, "env:%s", spec->name); break;
	case INPUT_STDIN: strbuf_adds(out, "stdin"); break;
	case INPUT_SYSCALL: break;
	}
}

term_t input_byte(struct terms *ts, const struct input_spec *spec, uint64_t i)
{
	struct strbuf name = {0};
	term_t t;

	input_print_name(spec, &name);
	strbuf_addf(&name, "[%llu]", (unsigned long long)i);
	t = term_sym(ts, name.s, 8);
	strbuf_release(&name);
	return t;
}

term_t input_size(struct terms *ts, const struct input_spec *spec)
{
	struct strbuf name = {0};
	term_t t;

	input_print_name(spec, &name);
	strbuf_adds(&name, ".size");
	t = term_sym(ts, name.s, 32);
	strbuf_release(&name);
	return t;
}

/* Puts the symbols of a string into the program's memory. */
static void install_string(struct machine *m, const struct input_spec *spec, uint64_t addr)
{
	struct terms *ts = m->ts;
	uint64_t bad;

	for (uint64_t i = 0; i < spec->max; i++) {
		struct mem_sym cell = {.term = input_byte(ts, spec, i).id};

		if (mem_put_sym(&m->mem, addr + i, &cell, 1, &bad) != MEM_OK)
			BUG("no room for a symbolic argument");
		if (i < spec->min)
			sym_assume(m, term_ne(ts, (term_t){cell.term}, term_const(ts, 8, 0)));
	}
}

static uint64_t guest_pointer(struct machine *m, uint64_t at)
{
	uint64_t bad, p = 0;

	mem_out(&m->mem, at, &p, sizeof p, &bad);
	return p;
}

/* The address of the value of an environment variable; 0: none. */
static uint64_t guest_variable(struct machine *m, const char *name)
{
	size_t n = strlen(name);
	char *text = xmalloc(n + 1);
	uint64_t p, bad, found = 0;

	for (uint64_t i = 0; !found && (p = guest_pointer(m, m->env + 8 * i)); i++)
		if (mem_out(&m->mem, p, text, n + 1, &bad) == MEM_OK && !memcmp(text, name, n) &&
			text[n] == '=')
			found = p + n + 1;
	free(text);
	return found;
}

static void install_contents(struct machine *m, const struct input_spec *spec)
{
	struct terms *ts = m->ts;
	uint32_t *bytes = xcalloc(spec->max + 1, sizeof *bytes);

	for (uint64_t i = 0; i < spec->max; i++)
		bytes[i] = input_byte(ts, spec, i).id;
	if (spec->kind == INPUT_STDIN)
		world_stdin(m->world, NULL, bytes, spec->max);
	else
		world_file(m->world, spec->name, NULL, bytes, spec->max);
	if (spec->min < spec->max) {
		term_t size = input_size(ts, spec);

		sym_assume(m, term_ule(ts, term_const(ts, 32, spec->min), size));
		sym_assume(m, term_ule(ts, size, term_const(ts, 32, spec->max)));
		world_size(m->world, spec->kind == INPUT_STDIN ? NULL : spec->name, size);
	}
	free(bytes);
}

/* Copies the host's standard input, if it is a file; does not change its position. */
static void install_host_stdin(struct machine *m)
{
	struct stat st;
	off_t at = lseek(0, 0, SEEK_CUR);
	uint8_t *b;
	ssize_t n;

	if (fstat(0, &st) || !S_ISREG(st.st_mode) || at < 0 || at >= st.st_size)
		return;
	b = xmalloc((size_t)(st.st_size - at));
	n = pread(0, b, (size_t)(st.st_size - at), at);
	if (n > 0)
		world_stdin(m->world, b, NULL, (uint64_t)n);
	free(b);
}

void inputs_install(const struct inputs *in, struct machine *m)
{
	bool has_stdin = false;

	vec_each (&in->specs, i) {
		const struct input_spec *spec = &in->specs.at[i];

		switch (spec->kind) {
		case INPUT_ARGV:
			install_string(m, spec, guest_pointer(m, m->args + 8ull * spec->index));
			break;
		case INPUT_ENV: install_string(m, spec, guest_variable(m, spec->name)); break;
		case INPUT_STDIN: has_stdin = true; /* fall through */
		case INPUT_FILE: install_contents(m, spec); break;
		case INPUT_SYSCALL: break;
		}
	}
	if (!has_stdin)
		install_host_stdin(m);
}

/* ---- from a model to inputs ------------------------------------------------------------------ */

static uint8_t *bytes_of(struct terms *ts, struct term_assign *as, const struct input_spec *spec,
	uint64_t *n)
{
	bool is_string = spec->kind == INPUT_ARGV || spec->kind == INPUT_ENV;
	uint8_t *b;

	*n = spec->max;
	if (!is_string && spec->min < spec->max)
		*n = (uint64_t)term_value(as, input_size(ts, spec));
	b = xcalloc(1, *n + 1);
	for (uint64_t i = 0; i < *n; i++)
		b[i] = (uint8_t)term_value(as, input_byte(ts, spec, i));
	if (is_string)
		*n = strlen((char *)b);
	return b;
}

static void add_input(struct testcase *tc, const char *name, uint8_t *bytes, uint64_t n)
{
	vec_push(&tc->inputs, (struct testcase_input){xstrdup(name), bytes, n});
}

static void take_objects(struct machine *m, struct term_assign *as, struct testcase *tc)
{
	uint32_t n;
	const struct world_object *o = world_objects(m->world, &n);

	for (uint32_t k = 0; k < n; k++) {
		uint8_t *b = xcalloc(1, o[k].size + 1);
		char name[256];

		for (uint64_t i = 0; i < o[k].size; i++)
			b[i] = (uint8_t)term_value(as, world_object_byte(m->ts, &o[k], i));
		snprintf(name, sizeof name, "object:%.200s#%u", o[k].name, o[k].number);
		add_input(tc, name, b, o[k].size);
	}
}

/* Adds the results of system calls without a model. */
static void take_results(struct machine *m, struct term_assign *as, struct testcase *tc)
{
	const struct world_result *r;
	uint32_t n;

	r = world_results(m->world, &n);
	for (uint32_t k = 0; k < n; k++) {
		term_t t = world_result_term(m->ts, &r[k]);
		uint64_t v = (uint64_t)term_value(as, t);

		add_input(tc, term_name(m->ts, t), memcpy(xmalloc(sizeof v), &v, sizeof v),
			sizeof v);
	}
}

static void take_argv(const struct inputs *in, struct machine *m, struct term_assign *as,
	struct testcase *tc)
{
	for (int k = 0; k < in->argc; k++) {
		const struct input_spec *spec = spec_of_argument(in, (uint32_t)k);
		uint64_t n;

		vec_push(&tc->argv, spec ? (char *)bytes_of(m->ts, as, spec, &n)
					 : xstrdup(in->argv[k]));
	}
}

void inputs_take(const struct inputs *in, struct machine *m, struct term_assign *as,
	struct testcase *tc)
{
	const uint32_t *terms;
	const uint8_t *known;
	bool has_stdin = false;
	uint64_t n;

	take_argv(in, m, as, tc);
	vec_each (&in->specs, i) {
		const struct input_spec *spec = &in->specs.at[i];
		struct strbuf name = {0};
		uint8_t *b;

		if (spec->kind == INPUT_ARGV || spec->kind == INPUT_SYSCALL)
			continue;
		has_stdin |= spec->kind == INPUT_STDIN;
		input_print_name(spec, &name);
		b = bytes_of(m->ts, as, spec, &n);
		add_input(tc, name.s, b, n);
		strbuf_release(&name);
	}
	if (!has_stdin) {
		uint8_t *b;

		n = world_stream(m, 0, &known, &terms);
		b = xcalloc(1, n + 1);
		if (n)
			memcpy(b, known, n);
		add_input(tc, "stdin", b, n);
	}
	take_objects(m, as, tc);
	take_results(m, as, tc);
}

bool inputs_have_clock(const struct ir_program *p, const struct machine *m)
{
	static const char *const names[] = {"clock_gettime", "gettimeofday", "time", "clock",
		"times", "timespec_get", "getrusage"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint32_t f = ir_find_func(p, names[i]);

		if (f != IR_NONE && (!m || m->codes[f])) /* made by the first call */
			return true;
	}
	return ir_reads_cycles(p);
}

struct machine *inputs_machine(struct inputs *in, const struct ir_program *p, int argc,
	char *const *argv, char *const *envp, struct exec_options *eo, struct exec_result *res,
	struct sym *sym, struct terms *ts)
{
	struct world_options world;
	struct machine *m;
	char **a, **e;
	int n;

	if (inputs_arguments(in, argc, argv, envp, &n, &a, &e))
		return NULL;
	eo->envp = e;
	m = machine_new(p, n, a, eo, res);
	if (!m)
		return NULL;
	sym_attach(m, sym, ts);
	world = inputs_world(in);
	world_attach(m, world_new(&world));
	inputs_install(in, m);
	return m;
}
