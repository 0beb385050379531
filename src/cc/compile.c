#include "cc/compile.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "object/attach.h"
#include "object/exe.h"
#include "object/spawn.h"
#include "cc/unit.h"
#include "cc/worker_client.h"

#include <string.h>
#include <sys/stat.h>

struct object {
	char *path;
	struct stat before; /* of the file before the compile; all zero = it did not exist */
};

/* The path of the object that the compiler makes from a source. */
static char *object_path(const struct cc_args *a, const char *source)
{
	const char *base = path_base(source), *dot = strrchr(base, '.');

	if (a->output)
		return xstrdup(a->output);
	return xasprintf("%.*s.o", (int)(dot ? dot - base : (ptrdiff_t)strlen(base)), base);
}

/* Whether this command has written the object. */
static bool is_new(const struct object *o)
{
	struct stat st;

	return !stat(o->path, &st) && S_ISREG(st.st_mode) &&
	       (st.st_ino != o->before.st_ino || st.st_size != o->before.st_size ||
		       st.st_mtim.tv_sec != o->before.st_mtim.tv_sec ||
		       st.st_mtim.tv_nsec != o->before.st_mtim.tv_nsec);
}

static void attach_bitcode(const struct object *o, const struct unit *u)
{
	struct attachment at = {.name = EXE_BITCODE};
	struct strbuf bitcode = {0};
	char *wrong;

	if (u->why) {
		at = (struct attachment){EXE_WHY, u->why, strlen(u->why)};
	} else {
		memory_read(u->clean, &bitcode);
		at.data = bitcode.s;
		at.n = bitcode.n;
	}
	wrong = attach_sections(o->path, &at, 1, true);
	if (wrong && u->lang == CC_L_C)
		warn_("'%s' stays native and is not analysed: '%s': %s", u->source, o->path, wrong);
	else if (u->why && u->lang == CC_L_C)
		warn_("'%s' stays native and is not analysed: %s", u->source, u->why);
	free(wrong);
	strbuf_release(&bitcode);
}

static void clean_up_units(struct units *us, struct worker *w)
{
	VEC(uint32_t) asked = {0};

	vec_each (&us->at, i) {
		struct unit *u = &us->at.at[i];

		if (u->why)
			continue;
		worker_unit(w, u->source, NULL, 0, 0, u->raw, u->clean);
		vec_push(&asked, i);
	}
	worker_finish(w);
	vec_each (&asked, j) {
		struct unit *u = &us->at.at[asked.at[j]];

		if (w->failure)
			u->why = xstrdup(w->failure);
		else if (w->units.at[j].why)
			u->why = xstrdup(w->units.at[j].why);
	}
	vec_release(&asked);
}

static void start_worker(const struct units *us, struct worker *w)
{
	VEC(int) keep = {0};

	vec_each (&us->at, i)
		if (us->at.at[i].raw >= 0) {
			vec_push(&keep, us->at.at[i].raw);
			vec_push(&keep, us->at.at[i].clean);
		}
	if (keep.n)
		worker_start(w, keep.at, keep.n);
	vec_release(&keep);
}

int cc_compile(const struct cc_args *a, const char *clang, char **argv, int input)
{
	struct spawn s = SPAWN_INIT;
	struct units us;
	struct worker w = {.order = -1, .report = -1};
	VEC(struct object) objects = {0};
	uint32_t nnew = 0;
	pid_t native;
	int status;

	units_init(&us, a, clang, input);
	vec_each (&us.at, i) {
		struct object *o = vec_add(&objects);

		o->path = object_path(a, us.at.at[i].source);
		if (stat(o->path, &o->before))
			o->before = (struct stat){0};
	}
	s.argv = (const char *const *)argv;
	s.in = input;
	native = spawn_start(&s);
	units_start(&us);
	start_worker(&us, &w);
	units_finish(&us);
	status = native < 0 ? 1 : spawn_wait(native);
	vec_each (&objects, i)
		nnew += is_new(&objects.at[i]);
	if (nnew && us.ntaken)
		clean_up_units(&us, &w);
	vec_each (&objects, i) {
		if (is_new(&objects.at[i]))
			attach_bitcode(&objects.at[i], &us.at.at[i]);
		free(objects.at[i].path);
	}
	worker_release(&w);
	units_release(&us);
	vec_release(&objects);
	return status;
}
