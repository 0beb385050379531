/* Option parsing: the input is a command line, one word a line. */
#include "base/base.h"
#include "base/diag.h"
#include "base/opt.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct args {
	bool flag, other;
	uint64_t number, size;
	const char *text;
	struct opt_list list;
	int choice;
};

static const struct opt opts[] = {
	OPT_FLAG('f', "flag", struct args, flag, ""),
	OPT_FLAG(0, "other", struct args, other, ""),
	OPT_NUMBER('n', "number", struct args, number, "N", 1, 1000, ""),
	OPT_SIZE('s', "size", struct args, size, 0, UINT64_MAX, ""),
	OPT_STRING('t', "text", struct args, text, "TEXT", ""),
	OPT_LIST('l', "list", struct args, list, "WORD", ""),
	OPT_CHOICE('c', "choice", struct args, choice, "one|two|three", ""),
	OPT_END,
};

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

static void parse(const uint8_t *data, size_t n, unsigned flags)
{
	struct args a = {0};
	char *text = xstrndup((const char *)data, n), *argv[64] = {"cmd"};
	int argc = 1, first;

	for (char *w = strtok(text, "\n"); w && argc < 63; w = strtok(NULL, "\n"))
		argv[argc++] = w;
	first = opt_parse(opts, &a, argc, argv, flags);
	BUG_ON(first > argc || first < OPT_HELP || first == 0);
	BUG_ON(first > 0 && a.number > 1000);
	BUG_ON(a.choice < 0 || a.choice > 2);
	vec_release(&a.list);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	diag_set_sink(ignore, NULL);
	parse(data, n, 0);
	parse(data, n, OPT_PERMUTE);
	return 0;
}
