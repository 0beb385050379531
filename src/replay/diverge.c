/*
 * Describes the divergence of a replay: the segment, its place in the source, and a likely cause.
 * The prediction assumes the recorded results of native calls; if a call returns another result in
 * the replay, the program can take another path. The undefined symbols of the executable show which
 * of these calls the program uses.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "object/elf.h"
#include "replay/replay.h"
#include "replay/words.h"

#include <inttypes.h>
#include <string.h>

/* ---- sources of nondeterminism --------------------------------------------------------------- */

enum cause { CAUSE_RANDOM, CAUSE_TIME, CAUSE_PROCESS, CAUSE_INPUT, NCAUSES };
static const char *const cause_words[NCAUSES] = {
	[CAUSE_RANDOM] = "random numbers",
	[CAUSE_TIME] = "the time",
	[CAUSE_PROCESS] = "values that differ between processes",
	[CAUSE_INPUT] = "input",
};

static const struct {
	const char *name;
	enum cause cause;
} askers[] = {
	{"getrandom", CAUSE_RANDOM},
	{"getentropy", CAUSE_RANDOM},
	{"arc4random", CAUSE_RANDOM},
	{"rand", CAUSE_RANDOM},
	{"rand_r", CAUSE_RANDOM},
	{"random", CAUSE_RANDOM},
	{"drand48", CAUSE_RANDOM},
	{"lrand48", CAUSE_RANDOM},
	{"time", CAUSE_TIME},
	{"clock_gettime", CAUSE_TIME},
	{"gettimeofday", CAUSE_TIME},
	{"clock", CAUSE_TIME},
	{"timespec_get", CAUSE_TIME},
	{"ftime", CAUSE_TIME},
	{"getpid", CAUSE_PROCESS},
	{"gettid", CAUSE_PROCESS},
	{"sched_getcpu", CAUSE_PROCESS},
	{"mkstemp", CAUSE_PROCESS},
	{"getrusage", CAUSE_PROCESS},
	{"read", CAUSE_INPUT},
	{"fread", CAUSE_INPUT},
	{"fgets", CAUSE_INPUT},
	{"getline", CAUSE_INPUT},
	{"getc", CAUSE_INPUT},
	{"fgetc", CAUSE_INPUT},
	{"getchar", CAUSE_INPUT},
	{"scanf", CAUSE_INPUT},
	{"__isoc99_scanf", CAUSE_INPUT},
	{"fscanf", CAUSE_INPUT},
	{"__isoc99_fscanf", CAUSE_INPUT},
	{"recv", CAUSE_INPUT},
	{"recvfrom", CAUSE_INPUT},
	{"recvmsg", CAUSE_INPUT},
	{"accept", CAUSE_INPUT},
	{"poll", CAUSE_INPUT},
	{"select", CAUSE_INPUT},
	{"epoll_wait", CAUSE_INPUT},
	{"stat", CAUSE_INPUT},
	{"readdir", CAUSE_INPUT},
	{"getenv", CAUSE_INPUT},
};

struct asked { /* by cause: the first function of that cause that the program imports; NULL: none */
	const char *by[NCAUSES];
};

static void find_asked(struct asked *a, const char *exe)
{
	struct elf_symbols syms;
	struct file_map file;
	struct elf e;

	*a = (struct asked){0};
	if (!exe || file_map(&file, exe))
		return;
	if (!elf_init(&e, file.data, file.n)) {
		elf_symbols(&e, SHT_DYNSYM, &syms);
		for (uint32_t i = 0; i < syms.n; i++) {
			Elf64_Sym sym;
			const char *name = elf_symbol(&syms, i, &sym);

			for (size_t k = 0; k < ARRAY_SIZE(askers); k++)
				if (!sym.st_shndx && !a->by[askers[k].cause] &&
					!strcmp(name, askers[k].name))
					a->by[askers[k].cause] = askers[k].name;
		}
	}
	file_unmap(&file);
}

/* "random numbers ('getrandom') or the time ('time')"; false if the program imports none of them */
static bool add_asked(const struct asked *a, struct strbuf *out)
{
	const char *sep = "";

	for (uint32_t c = 0; c < NCAUSES; c++)
		if (a->by[c]) {
			strbuf_addf(out, "%s%s ('%s')", sep, cause_words[c], a->by[c]);
			sep = " or ";
		}
	return *sep;
}

static void add_cause(const struct finding *f, const struct replay_result *r,
	const struct replay_result *again, const char *exe, struct strbuf *out)
{
	uint64_t now;
	struct asked a;

	if (exe && f->bitcode && !replay_bitcode(exe, &now) && now != f->bitcode) {
		strbuf_addf(out,
			"; likely cause: the program was built again ('heddle verify"
			"%s%s' adapts the schedule)",
			*f->name ? " " : "", f->name);
		return;
	}
	find_asked(&a, exe);
	if (again && again->out.hash != r->out.hash)
		strbuf_adds(out, "; not deterministic: another replay executed different events");
	else if (again)
		strbuf_adds(out, "; another replay executed the same events");
	strbuf_adds(out, "; likely cause: ");
	if (r->out.flags & SCHED_F_NATIVE)
		strbuf_adds(out, "native code that blocks, or ");
	if (!add_asked(&a, out))
		strbuf_adds(out, "native calls with other results than recorded");
}

/* ---- the place ------------------------------------------------------------------------------- */

/* The reason: the last part of the runtime's text, after counts of segments and points. */
static const char *last_words(const char *text)
{
	for (const char *at; (at = strstr(text, ": "));)
		text = at + 2;
	return text;
}

void replay_divergence(const struct finding *f, const struct replay_result *r,
	const struct replay_result *again, const char *exe, struct strbuf *out)
{
	uint32_t k = r->out.done;
	const struct finding_step *s = NULL;

	strbuf_addf(out, "diverged at segment %u of %u of the schedule", k + 1, f->moves.n);
	if (k < f->moves.n) {
		const struct finding_move *m = &f->moves.at[k];

		s = step_near(f, m->thread, m->until);
		strbuf_adds(out, ": ");
		words_thread(out, f, m->thread);
		if (s && (s->place.file || s->place.function)) {
			strbuf_adds(out, " did not reach ");
			words_place(out, &s->place);
		} else {
			strbuf_addf(out, " did not reach its scheduling point %" PRIu64, m->until);
		}
	}
	if (*r->out.text)
		strbuf_addf(out, ": %s", last_words(r->out.text));
	add_cause(f, r, again, exe, out);
}
