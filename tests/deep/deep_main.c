/*
 * All schedules of a program, for tests: what src/deep says of it, as one JSON object.
 *
 *	deep_main [--json] [--dir DIR] [--resume] [--only-paths] [--seconds N] [--runs N] [--jobs N] [--events N]
 *		[--input FILE] [--confirm] EXE [args...]
 */
#include "base/strbuf.h"
#include "base/vec.h"
#include "deep/deep.h"
#include "finding/json.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct told {
	VEC(struct finding *) at;
	bool confirm;
};

static volatile int stop;

static void on_signal(int signo)
{
	(void)signo;
	stop = 1;
}

static void on_found(void *ctx, struct finding *f)
{
	struct told *t = ctx;

	if (t->confirm)
		replay_confirm(f, NULL);
	vec_push(&t->at, f);
}

static void print_json(const struct deep_stats *s, const struct told *t, int rc)
{
	struct strbuf b = {0};
	struct json j = {.out = &b};

	json_object(&j, NULL);
	json_i64(&j, "rc", rc);
	json_u64(&j, "runs", s->runs);
	json_u64(&j, "redundant", s->redundant);
	json_u64(&j, "paths", s->paths);
	json_u64(&j, "threads", s->threads);
	json_u64(&j, "asked", s->asked);
	json_u64(&j, "flips", s->flips);
	json_u64(&j, "impossible", s->impossible);
	json_u64(&j, "unknown", s->unknown);
	json_u64(&j, "open", s->open);
	json_u64(&j, "failed", s->failed);
	json_double(&j, "seconds", s->seconds);
	json_bool(&j, "complete", s->complete);
	json_bool(&j, "merged", s->merged);
	json_array(&j, "limits");
	vec_each (&s->limits, i)
		json_str(&j, NULL, s->limits.at[i]);
	json_end(&j);
	json_array(&j, "findings");
	vec_each (&t->at, i) {
		const struct finding *f = t->at.at[i];

		json_object(&j, NULL);
		json_str(&j, "kind", fault_words[f->kind].word);
		json_str(&j, "title", f->title);
		json_str(&j, "summary", f->summary);
		json_str(&j, "status", finding_status_words[f->status]);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	puts(b.s);
	strbuf_release(&b);
}

static void print_results(const struct deep_stats *s, const struct told *t)
{
	printf("runs %" PRIu64 " (%" PRIu64 " redundant, %" PRIu64 " failed), paths %" PRIu64
	       " of %" PRIu64 " threads, asked %" PRIu64 ": flips %" PRIu64 ", impossible %" PRIu64
	       ", unknown %" PRIu64 "; open %" PRIu64 ", %.2f s, %s%s\n",
		s->runs, s->redundant, s->failed, s->paths, s->threads, s->asked, s->flips,
		s->impossible, s->unknown, s->open, s->seconds,
		s->complete ? "complete" : "not complete", s->merged ? "" : ", not merged");
	vec_each (&s->limits, i)
		printf("limit: %s\n", s->limits.at[i]);
	vec_each (&t->at, i)
		printf("%s: %s, %s [%s]\n", fault_words[t->at.at[i]->kind].word,
			t->at.at[i]->title, t->at.at[i]->summary ? t->at.at[i]->summary : "",
			finding_status_words[t->at.at[i]->status]);
}

int main(int argc, char **argv)
{
	static const struct option opts[] = {{"json", 0, 0, 'j'}, {"dir", 1, 0, 'd'},
		{"resume", 0, 0, 'r'}, {"only-paths", 0, 0, 'p'}, {"seconds", 1, 0, 's'},
		{"runs", 1, 0, 'n'}, {"jobs", 1, 0, 'w'}, {"events", 1, 0, 'e'},
		{"input", 1, 0, 'i'}, {"confirm", 0, 0, 'c'}, {0}};
	struct told told = {0};
	struct deep_options o = {.predict = {.switches = -1,
					 .query_seconds = 10,
					 .seconds = 60,
					 .memory = 1u << 30,
					 .found = on_found,
					 .ctx = &told},
		.dir = "deep",
		.jobs = 1,
		.stop = &stop};
	struct deep_stats st;
	bool json = false;
	int c, rc;

	while ((c = getopt_long(argc, argv, "+", opts, NULL)) != -1)
		switch (c) {
		case 'j': json = true; break;
		case 'd': o.dir = optarg; break;
		case 'r': o.resume = true; break;
		case 'p': o.only_paths = true; break;
		case 's': o.seconds = atof(optarg); break;
		case 'n': o.runs = strtoull(optarg, NULL, 10); break;
		case 'w': o.jobs = o.predict.jobs = (uint32_t)atoi(optarg); break;
		case 'e': o.max_events = strtoull(optarg, NULL, 10); break;
		case 'i': o.run.input = optarg; break;
		case 'c': told.confirm = true; break;
		default: return 2;
		}
	if (optind == argc)
		return 2;
	o.run.exe = argv[optind];
	o.run.argv = argv + optind;
	signal(SIGINT, on_signal);
	rc = deep(&o, &st);
	if (json)
		print_json(&st, &told, rc);
	else
		print_results(&st, &told);
	vec_each (&told.at, i)
		finding_free(told.at.at[i]);
	vec_release(&told.at);
	deep_stats_release(&st);
	return rc ? 1 : 0;
}
