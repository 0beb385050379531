#include "replay/gdb.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/vec.h"
#include "replay/words.h"
#include "finding/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- data of the script ---------------------------------------------------------------------- */

static void put_thread(struct json *j, const struct finding *f, uint32_t thread)
{
	struct strbuf b = {0};

	words_thread(&b, f, thread);
	json_str(j, NULL, b.s);
	strbuf_release(&b);
}

/* One segment: its thread, and in words the place at which the thread stops. */
static void put_move(struct json *j, const struct finding *f, const struct finding_move *m)
{
	const struct finding_step *s = step_near(f, m->thread, m->until);
	struct strbuf b = {0};

	json_object(j, NULL);
	json_u64(j, "thread", m->thread);
	if (s && words_place(&b, &s->place)) {
		if (s->source)
			strbuf_addf(&b, ": %s", s->source);
	} else {
		strbuf_addf(&b, "its point %llu", (unsigned long long)m->until);
	}
	json_str(j, "until", b.s);
	json_bool(j, "after", s && s->point < m->until);
	json_end(j);
	strbuf_release(&b);
}

static void put_finding(struct strbuf *out, const struct finding *f)
{
	struct json j = {.out = out};

	json_object(&j, NULL);
	json_str(&j, "name", f->name);
	json_str(&j, "title", f->title);
	json_array(&j, "threads");
	vec_each (&f->threads, i)
		put_thread(&j, f, i);
	json_end(&j);
	json_array(&j, "moves");
	vec_each (&f->moves, i)
		put_move(&j, f, &f->moves.at[i]);
	json_end(&j);
	json_end(&j);
}

/* ---- the script ------------------------------------------------------------------------------ */

/* The breakpoint is at the first instruction of __heddle_switch_point(), where the arguments are
 * still in registers: the runtime has no debug information to find them later. */
static const char script[] =
	"class Switches(gdb.Breakpoint):\n"
	"    \"The switch points: from, to, segments that are done.\"\n"
	"    def __init__(self):\n"
	"        super().__init__('*__heddle_switch_point', internal=True)\n"
	"        self.silent = True\n"
	"        self.reached = False\n"
	"        self.done = 0\n"
	"        self.current = None\n"
	"        self.threads = {}\n"
	"\n"
	"    def stop(self):\n"
	"        self.reached = True\n"
	"        number = lambda name: int(gdb.parse_and_eval('(unsigned)$' + name))\n"
	"        self.current, self.done = number('rsi'), number('rdx')\n"
	"        self.threads[self.current] = gdb.selected_thread().num\n"
	"        return True\n"
	"\n"
	"switches = Switches()\n"
	"\n"
	"def thread_name(n):\n"
	"    return finding['threads'][n] if n < len(finding['threads']) else 'thread %d' % n\n"
	"\n"
	"def step_text(k):\n"
	"    moves = finding['moves']\n"
	"    if k >= len(moves):\n"
	"        return 'all %d segments of the schedule are done' % len(moves)\n"
	"    m = moves[k]\n"
	"    return 'segment %d of %d: %s runs %s %s' % (k + 1, len(moves), "
	"thread_name(m['thread']),\n"
	"        'past' if m['after'] else 'up to', m['until'])\n"
	"\n"
	"def own_frame():\n"
	"    \"The innermost frame of the program itself.\"\n"
	"    frame = gdb.newest_frame()\n"
	"    while frame:\n"
	"        name = frame.name() or ''\n"
	"        sal = frame.find_sal()\n"
	"        library = gdb.solib_name(frame.pc())\n"
	"        if not name.startswith('__heddle') and sal.line and not library:\n"
	"            return frame\n"
	"        frame = frame.older()\n"
	"    return None\n"
	"\n"
	"def place():\n"
	"    frame = own_frame()\n"
	"    if not frame:\n"
	"        return 'its start'\n"
	"    sal = frame.find_sal()\n"
	"    where = '%s:%d' % (sal.symtab.filename.rsplit('/', 1)[-1], sal.line)\n"
	"    name = (frame.name() or '?').replace('.heddle', '')\n"
	"    text = linecache.getline(sal.symtab.fullname(), sal.line).strip()\n"
	"    return where + (\" in '%s'\" % name) + (': ' + text if text else '')\n"
	"\n"
	"def alive():\n"
	"    return bool(gdb.selected_inferior().pid)\n"
	"\n"
	"def select_own():\n"
	"    frame = own_frame()\n"
	"    if frame:\n"
	"        frame.select()\n"
	"\n"
	"def tell():\n"
	"    if not alive():\n"
	"        print('heddle: the program has ended')\n"
	"    elif switches.reached:\n"
	"        select_own()\n"
	"        print('heddle: %s' % step_text(switches.done))\n"
	"        print('heddle: %s continues at %s' % (thread_name(switches.current), place()))\n"
	"    else:\n"
	"        print('heddle: stopped outside of the schedule')\n"
	"\n"
	"class Next(gdb.Command):\n"
	"    \"\"\"Continue to the next context switch of the schedule.\n"
	"heddle-next [N]: N context switches.\"\"\"\n"
	"    def __init__(self):\n"
	"        super().__init__('heddle-next', gdb.COMMAND_RUNNING)\n"
	"\n"
	"    def invoke(self, argument, from_tty):\n"
	"        for i in range(int(argument or 1)):\n"
	"            if not alive():\n"
	"                break\n"
	"            switches.reached = False\n"
	"            gdb.execute('continue')\n"
	"            if not switches.reached:\n"
	"                break\n"
	"        tell()\n"
	"\n"
	"class Where(gdb.Command):\n"
	"    \"Show the segment of the schedule and the place of every thread.\"\n"
	"    def __init__(self):\n"
	"        super().__init__('heddle-where', gdb.COMMAND_STACK)\n"
	"\n"
	"    def invoke(self, argument, from_tty):\n"
	"        if not alive():\n"
	"            print('heddle: the program is not running')\n"
	"            return\n"
	"        print('heddle: %s: %s' % (finding['name'], finding['title']))\n"
	"        print('heddle: %s' % step_text(switches.done))\n"
	"        selected = gdb.selected_thread()\n"
	"        frame = gdb.selected_frame()\n"
	"        by_number = {t.num: t for t in gdb.selected_inferior().threads()}\n"
	"        for n in sorted(switches.threads):\n"
	"            thread = by_number.get(switches.threads[n])\n"
	"            if not thread:\n"
	"                print('    %s has ended' % thread_name(n))\n"
	"                continue\n"
	"            thread.switch()\n"
	"            print('  %s %s (gdb thread %d) at %s' % ('*' if n == switches.current else ' "
	"',\n"
	"                thread_name(n), thread.num, place()))\n"
	"        selected.switch()\n"
	"        frame.select()\n"
	"\n"
	"Next()\n"
	"Where()\n"
	"gdb.execute('run')\n"
	"tell()\n"
	"if alive():\n"
	"    print(\"heddle: 'heddle-next' continues to the next context switch, 'heddle-where' "
	"shows the place of every thread\")\n";

void gdb_script(const struct finding *f, const char *starter, struct strbuf *out)
{
	struct strbuf data = {0};
	struct json j = {.out = out};

	put_finding(&data, f);
	strbuf_adds(out, "set pagination off\nset print thread-events off\nset exec-wrapper ");
	strbuf_add_word(out, starter);
	strbuf_adds(out, "\npython\nimport gdb, json, linecache\nfinding = json.loads(");
	json_str(&j, NULL, data.s);
	strbuf_addf(out, ")\n%send\n", script);
	strbuf_release(&data);
}

/* ---- the starter ----------------------------------------------------------------------------- */

/* A shell script that gdb calls with the path of the image, and that executes the image with the
 * arguments, the environment and the input of the finding. Here they are words of the shell,
 * whatever bytes they have; in a script of gdb a newline would end the command. gdb itself does not
 * get the environment, which could change what gdb executes. */
void gdb_starter(const struct finding *f, const struct replay_options *opt, struct strbuf *out)
{
	struct environment own = {0};

	strbuf_adds(out, "#!/bin/sh\n");
	if (f->test)
		environment_add(&own, f->test);
	vec_each (&own, i) {
		const char *value = strchr(own.at[i], '=') + 1;

		strbuf_addf(out, "export %.*s", (int)(value - own.at[i]), own.at[i]);
		strbuf_add_word(out, value);
		strbuf_addc(out, '\n');
	}
	environment_release(&own);
	/* gdb counts the programs that are executed before the image: this script alone */
	strbuf_adds(out, "exec \"$@\"");
	for (char **a = opt->argv; *a; a++)
		if (a != opt->argv) {
			strbuf_addc(out, ' ');
			strbuf_add_word(out, *a);
		}
	strbuf_adds(out, " <");
	strbuf_add_word(out, opt->input ? opt->input : "/dev/null");
	strbuf_addc(out, '\n');
}

static int write_text(const char *path, struct strbuf *text, bool executable)
{
	int rc = file_write(path, text->s, text->n, executable);

	if (rc)
		error_("cannot write '%s': %s", path, strerror(errno));
	strbuf_release(text);
	return rc;
}

static int write_files(const struct finding *f, const struct replay_options *opt, const char *script_path,
	const char *starter)
{
	struct strbuf text = {0}, start = {0};

	gdb_script(f, starter, &text);
	gdb_starter(f, opt, &start);
	return write_text(script_path, &text, false) | write_text(starter, &start, true);
}

/* ---- running gdb ----------------------------------------------------------------------------- */

/* dir: a directory for the two scripts. */
static int run_gdb(const struct finding *f, const char *dir, char **words)
{
	char *file = xasprintf("%s/script", dir), *starter = xasprintf("%s/start", dir);
	struct replay_options opt = {.stop_at_switch = true};
	VEC(const char *) line = {0};
	struct replay_result res = {0};
	struct replay_setup s;
	int rc;

	vec_push(&line, "gdb");
	vec_push(&line, "-q");
	vec_push(&line, "-iex");
	vec_push(&line,
		"set auto-load off"); /* neither the image nor its directory has scripts for gdb */
	vec_push(&line, "-x");
	vec_push(&line, file);
	for (; words && *words; words++)
		vec_push(&line, *words);
	vec_push(&line, NULL);
	opt.debugger = line.at;
	rc = replay_setup(&s, f, &opt);
	if (!rc)
		rc = write_files(f, &s.opt, file, starter);
	if (!rc)
		rc = replay_run(&s.opt, f, &res);
	if (!rc)
		rc = WIFEXITED(res.status) ? WEXITSTATUS(res.status) : 128;
	replay_result_release(&res);
	replay_setup_release(&s);
	vec_release(&line);
	free(file);
	free(starter);
	return rc;
}

int gdb_replay(const struct finding *f, char **words)
{
	char *dir = temporary_directory("gdb");
	int rc = dir ? run_gdb(f, dir, words) : -1;

	if (dir)
		remove_directory(dir);
	free(dir);
	return rc;
}
