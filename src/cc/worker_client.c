#include "cc/worker_client.h"

#include "base/base.h"
#include "base/strbuf.h"
#include "object/fields.h"
#include "object/spawn.h"
#include "object/tools.h"
#include "cc/worker_main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void worker_start(struct worker *w, const int *keep, uint32_t nkeep)
{
	char *tool = tool_worker();
	const char *argv[] = {tool, WORKER_COMMAND, NULL};
	struct spawn s = SPAWN_INIT;
	int ends[2], quiet;

	*w = (struct worker){.order = -1, .report = -1, .blamed = UINT32_MAX};
	if (!tool) {
		w->failure = xstrdup("'heddle' is not in the directory of heddle-cc");
		return;
	}
	quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
	socket_pair(ends);
	w->order = ends[0];
	w->report = memory_file("report");
	s.argv = argv;
	s.in = ends[1];
	s.err = quiet;
	s.report = w->report;
	s.keep = keep;
	s.nkeep = nkeep;
	w->pid = spawn_start(&s);
	if (w->pid < 0) {
		w->failure = xasprintf("cannot run '%s': %s", tool, strerror(errno));
		w->pid = 0;
	}
	close(quiet);
	close(ends[1]);
	free(tool);
}

static void send_order(struct worker *w, struct strbuf *line)
{
	ssize_t k;

	for (size_t at = 0; w->pid && at < line->n; at += (size_t)k) {
		/* if the worker has died, worker_finish() finds that answers are missing */
		k = send(w->order, line->s + at, line->n - at, MSG_NOSIGNAL);
		if (k < 0)
			break;
	}
	strbuf_release(line);
}

void worker_wrap(struct worker *w, const char *symbol, bool own)
{
	struct strbuf line = {0};

	fields_add(&line, "wrap", symbol, own ? "1" : "0");
	send_order(w, &line);
}

void worker_unit(struct worker *w, const char *name, const char *path, uint64_t offset, uint64_t n,
	int fd, int out)
{
	struct strbuf line = {0};
	char from[32], at[24], size[24], to[16] = "-";

	snprintf(from, sizeof from, "fd:%d", fd);
	snprintf(at, sizeof at, "%llu", (unsigned long long)offset);
	snprintf(size, sizeof size, "%llu", (unsigned long long)n);
	if (out >= 0)
		snprintf(to, sizeof to, "%d", out);
	fields_add(&line, "unit", name, fd >= 0 ? from : path, at, size, fd >= 0 ? "1" : "0", to);
	send_order(w, &line);
	w->nunits++;
}

void worker_merge(struct worker *w, int out)
{
	struct strbuf line = {0};
	char to[16];

	snprintf(to, sizeof to, "%d", out);
	fields_add(&line, "merge", to);
	send_order(w, &line);
}

static void read_answers(struct worker *w, bool *done)
{
	struct strbuf text = {0};
	struct fields_reader in;
	struct fields r;

	memory_read(w->report, &text);
	in = (struct fields_reader){text.s, text.s + text.n};
	while (fields_next(&in, &r)) {
		uint32_t i = (uint32_t)strtoul(r.field[1], NULL, 10);

		if (!strcmp(r.field[0], "done"))
			*done = true;
		else if (!strcmp(r.field[0], "extern"))
			vec_push(&w->externs, xstrdup(r.field[1]));
		else if (i >= w->nunits)
			continue;
		else if (!strcmp(r.field[0], "begin"))
			w->blamed = i;
		else if (!strcmp(r.field[0], "taken"))
			w->units.at[i].source = xstrdup(r.field[2]);
		else if (!strcmp(r.field[0], "left"))
			w->units.at[i].why = xstrdup(r.field[2]);
	}
	strbuf_release(&text);
}

void worker_finish(struct worker *w)
{
	const char *level = getenv("HEDDLE_CC_CLEANUP");
	struct strbuf line = {0};
	bool done = false;
	int status;

	vec_resize(&w->units, w->nunits);
	if (!w->pid)
		return;
	if (level && *level)
		fields_add(&line, "level", level);
	fields_add(&line, "go");
	send_order(w, &line);
	close(w->order);
	w->order = -1;
	status = spawn_wait(w->pid);
	w->pid = 0;
	read_answers(w, &done);
	if (done)
		w->blamed = UINT32_MAX;
	else if (status > 128)
		w->failure = xasprintf("the worker was killed by signal %d", status - 128);
	else
		w->failure = xasprintf("the worker ended with status %d", status);
}

void worker_release(struct worker *w)
{
	spawn_kill(w->pid);
	if (w->order >= 0)
		close(w->order);
	if (w->report >= 0)
		close(w->report);
	vec_each (&w->units, i) {
		free(w->units.at[i].why);
		free(w->units.at[i].source);
	}
	vec_each (&w->externs, i)
		free(w->externs.at[i]);
	vec_release(&w->units);
	vec_release(&w->externs);
	free(w->failure);
	*w = (struct worker){.order = -1, .report = -1};
}
