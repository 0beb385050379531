/*
 * A long run in chunks, for tests and bench: what prediction finds in each of them, as one JSON object.
 *
 *	partition_main [--kind cut|distributed|window] [--chunk N] [--max N] [--seconds N] [--jobs N]
 *		[--only KINDS] [--confirm] [--print] TRACE
 */
#include "base/base.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "extract/partition.h"
#include "predict/predict.h"
#include "replay/replay.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct told {
	struct map seen; /* fingerprints */
	bool confirm;
	uint32_t chunk, n, confirmed;
};

static void on_found(void *ctx, struct finding *f)
{
	struct told *t = ctx;
	uint64_t *seen = map_put(&t->seen, f->fingerprint);

	if (!*seen) {
		*seen = 1;
		t->n++;
		if (t->confirm)
			replay_confirm(f, NULL);
		t->confirmed += f->status == FINDING_CONFIRMED;
		fprintf(stderr, "chunk %u: %s: %s (%u moves)%s%s\n", t->chunk, f->title,
			finding_status_words[f->status], f->moves.n, f->divergence ? ": " : "",
			f->divergence ? f->divergence : "");
	}
	finding_free(f);
}

static enum partition_kind kind_of(const char *s)
{
	return !strcmp(s, "cut") ? PARTITION_CUT
	       : !strcmp(s, "window") ? PARTITION_WINDOW
				      : PARTITION_DISTRIBUTED;
}

static uint32_t kinds_of(const char *s)
{
	uint32_t kinds = 0;

	for (uint32_t k = 0; k < NPREDICTED; k++)
		if (strstr(s, fault_words[k].word))
			kinds |= 1u << k;
	return kinds;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"kind", 1, 0, 'k'}, {"chunk", 1, 0, 'c'},
		{"max", 1, 0, 'm'}, {"seconds", 1, 0, 's'}, {"jobs", 1, 0, 'j'},
		{"only", 1, 0, 'o'}, {"confirm", 0, 0, 'r'}, {"print", 0, 0, 'p'}, {0}};
	struct partition_options po = {.kind = PARTITION_DISTRIBUTED, .jobs = 2};
	struct predict_options opt = {.switches = -1, .jobs = 1, .query_seconds = 2, .found = on_found};
	struct told told = {0};
	double begun = clock_seconds(), made, seconds = 60;
	struct partition *p;
	struct trace *t;
	const struct ctp *c;
	bool print = false;
	int o;

	while ((o = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (o) {
		case 'k': po.kind = kind_of(optarg); break;
		case 'c': po.chunk = (uint32_t)atoi(optarg); break;
		case 'm': po.max_chunks = (uint32_t)atoi(optarg); break;
		case 's': seconds = atof(optarg); break;
		case 'j': po.jobs = (uint32_t)atoi(optarg); break;
		case 'o': opt.kinds = kinds_of(optarg); break;
		case 'r': told.confirm = true; break;
		case 'p': print = true; break;
		default: return 2;
		}
	}
	opt.ctx = &told;
	if (optind + 1 != argc || !(t = trace_open(argv[optind])) || !(p = partition_new(t, &po)))
		return 2;
	made = clock_seconds();
	while ((c = partition_next(p))) {
		struct predict_stats st = {0};
		const char *wrong = ctp_wrong(c);

		if (wrong)
			return error_("chunk %u: %s", told.chunk, wrong), 2;
		if (print) {
			struct strbuf b = {0};

			ctp_print(c, &b);
			printf("chunk %u, %u moves before\n%s", told.chunk, c->before.n, b.s ? b.s : "");
			strbuf_release(&b);
		}
		opt.seconds = MAX(1, seconds - (clock_seconds() - begun));
		if (predict(c, &opt, &st))
			return 2;
		predict_stats_release(&st);
		told.chunk++;
		ctp_free(c);
		if (clock_seconds() - begun > seconds)
			break;
	}
	printf("{\"chunks\": %u, \"found\": %u, \"confirmed\": %u, \"making\": %.3f, \"predicting\": %.3f, "
	       "\"events\": %" PRIu64 ", \"instructions\": %" PRIu64 "}\n",
		told.chunk, told.n, told.confirmed, made - begun, clock_seconds() - made,
		partition_stats(p)->events, partition_stats(p)->instructions);
	partition_free(p);
	trace_close(t);
	map_release(&told.seen);
	return 0;
}
