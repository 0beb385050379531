#include "cli/recording.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "object/exe.h"
#include "image/image.h"
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- opening ----------------------------------------------------------------------------- */

static void describe_program(struct recording *r, const char *exe, int argc, char **argv,
	const struct recording_options *opt)
{
	struct store_meta *m = &r->meta;

	m->version = LOG_VERSION;
	m->llvm = HEDDLE_LLVM_MAJOR;
	m->exe = realpath(exe, NULL);
	m->cwd = getcwd(NULL, 0);
	m->image = xstrdup(opt->limit || opt->window ? "record-window" : "record");
	m->started = (uint64_t)time(NULL);
	for (int i = 0; i < argc; i++)
		vec_push(&m->argv, xstrdup(argv[i]));
	vec_each (&opt->exclude, i)
		vec_push(&m->exclude, xstrdup(opt->exclude.at[i]));
}

static int build_image(struct recording *r, const char *exe, const struct recording_options *opt)
{
	VEC(const char *) exclude = {0};
	int rc = -1;

	vec_each (&opt->exclude, i)
		vec_push(&exclude, opt->exclude.at[i]);
	vec_push(&exclude, NULL);
	if (!image_find_open(exe, &r->meta.open))
		rc = image_cached(&r->image, exe,
			opt->limit || opt->window ? IMAGE_RECORD_WINDOW : IMAGE_RECORD, exclude.at);
	vec_release(&exclude);
	return rc;
}

static int put_program(struct recording *r, const struct exe_section *bc)
{
	r->meta.bitcode = hash_bytes(bc->data, bc->n);
	return store_put_program(r->w, bc->data, bc->n) || store_put_meta(r->w, &r->meta) ? -1 : 0;
}

static int open_trace(struct recording *r, const char *dir, const struct exe_section *bc,
	const struct recording_options *opt)
{
	r->w = store_create(dir, opt->limit);
	if (!r->w)
		return -1;
	if (opt->window)
		store_set_window(r->w, opt->window);
	if (!put_program(r, bc) && (r->c = collector_new(r->w)))
		return 0;
	return -1;
}

int recording_open(struct recording *r, const char *exe, int argc, char **argv, const char *dir,
	const struct recording_options *opt)
{
	struct exe *x = exe_open(exe);
	struct exe_section bc;
	int rc = -1;

	*r = (struct recording){0};
	if (!x)
		return -1;
	if (!exe_section(x, EXE_BITCODE, &bc)) {
		error_("'%s' carries no bitcode (build it with heddle-cc)", exe);
	} else if (access(exe, X_OK)) {
		error_("cannot run '%s': %s", exe, strerror(errno));
	} else {
		describe_program(r, exe, argc, argv, opt);
		rc = build_image(r, exe, opt) ? -1 : open_trace(r, dir, &bc, opt);
	}
	exe_close(x);
	if (rc)
		recording_abandon(r);
	return rc;
}

/* The descriptor has a high number, so that the program gets the same numbers as without heddle.
 * Without randomization, if the system permits that, addresses are the same in every run: code that
 * depends on addresses replays, and runs can be compared. */
void recording_exec(const struct recording *r, char **argv)
{
	int fd = fcntl(collector_fd(r->c), F_DUPFD, 500);
	char number[16];

	personality(ADDR_NO_RANDOMIZE);

	if (fd < 0)
		fd = dup(collector_fd(r->c));
	snprintf(number, sizeof number, "%d", fd);
	if (fd >= 0 && !setenv(LOG_ENV_FD, number, 1))
		image_exec(&r->image, argv);
	unsetenv(LOG_ENV_FD);
	if (fd >= 0)
		close(fd);
}

/* ---- collecting and finishing ------------------------------------------------------------ */

/* Writes the metadata at the start of the program, so that the trace can be read if heddle is
 * killed later. */
static void put_plan(void *ctx)
{
	struct recording *r = ctx;

	collector_describe(r->c, &r->meta);
	store_put_meta(r->w, &r->meta);
}

void recording_collect(struct recording *r, int pidfd)
{
	collector_on_start(r->c, put_plan, r);
	collector_run(r->c, pidfd);
}

int recording_finish(struct recording *r, const int *status)
{
	struct store_meta *m = &r->meta;
	bool met = collector_met_target(r->c);

	collector_describe(r->c, m);
	if (status) {
		m->status = *status;
		m->exited = WIFEXITED(*status);
	}
	m->complete = true;
	r->bytes = store_written(r->w);
	if (store_put_meta(r->w, m) || m->stop)
		return -1;
	if (!met)
		return error_("nothing was recorded: the program ended before its first "
			      "instruction, or it closed the file "
			      "descriptors that it inherited");
	return 0;
}

void recording_release(struct recording *r)
{
	if (r->c)
		collector_free(r->c);
	if (r->w)
		store_close(r->w);
	store_meta_release(&r->meta);
	image_file_release(&r->image);
	*r = (struct recording){0};
}

void recording_abandon(struct recording *r)
{
	if (r->w)
		store_abandon(r->w);
	r->w = NULL;
	recording_release(r);
}
