/* Time and memory of a prediction. */
#include "predict/predict_internal.h"

#include "base/base.h"
#include "base/clock.h"

/* A trace of up to so many events is asked as a whole, without windows. */
enum { WHOLE_TRACE = 3000 };
enum { DEFAULT_QUERY_SECONDS = 10 };

bool budget_left(struct prediction *p)
{
	uint64_t memory = p->memory;

	if ((p->deadline && clock_seconds() > p->deadline) || (p->opt->stop && *p->opt->stop))
		p->spent = "time";
	if (!p->spent && memory && asker_memory() > memory) {
		asker_drop(p->asker); /* its models are the largest part */
		if (asker_memory() > memory)
			p->spent = "memory";
	}
	return !p->spent;
}

/* A query has a limit of its own, and no more than the rest of the whole time. */
static double query_seconds(const struct prediction *p)
{
	double limit = p->opt->query_seconds > 0 ? p->opt->query_seconds : DEFAULT_QUERY_SECONDS;
	double left = p->deadline ? p->deadline - clock_seconds() : limit;

	return MAX(MIN(limit, left), 0.01);
}

struct asker *budgeted_asker(struct prediction *p)
{
	struct model_limits lim = {
		.memory = p->memory,
		.decide = PREDICT_DECIDED,
		.switches = p->opt->switches,
		.dump = p->opt->dump,
		.encoding = p->opt->encoding,
	};

	if (!p->asker)
		p->asker = asker_on(p->mhb, p->opt->model, &lim, WHOLE_TRACE);
	asker_seconds(p->asker, query_seconds(p));
	return p->asker;
}
