/*
 * Any JSON as the states that an exploration has left. The settings, the environment and the
 * checksum are made right, so that the states are read: the file is refused, or the exploration
 * goes on from what is in it.
 */
#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/models.h"
#include "explore/explore.h"
#include "explore/inputs.h"
#include "import/import.h"
#include "ir/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\n"
	"frontier_text: .incbin \"" FUZZ_DIR "/frontier_program.ir\"\n"
	"frontier_end: .previous");
extern const char frontier_text[], frontier_end[];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void ignore(void *ctx, const char *message)
{
	(void)ctx;
	BUG_ON(!message[0]);
}

/* Explores the program with three symbolic bytes; the frontier is in dir. */
static void explore_in(const char *dir, bool resume, uint64_t paths)
{
	static struct ir_program *p;
	static char *argv[] = {(char *)"program", (char *)"x", NULL}, *envp[] = {NULL};
	struct explore_options opt = {.max_paths = paths,
		.max_instructions = 100000,
		.solver_seconds = 1,
		.preemptions = UINT32_MAX,
		.program = "program",
		.out = dir,
		.tests = EXPLORE_TESTS_NONE,
		.resume = resume};
	struct inputs in;
	struct explore *ex;

	if (!p) {
		p = ir_parse("frontier_program.ir", frontier_text,
			(size_t)(frontier_end - frontier_text));
		BUG_ON(!p || import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				     IMPORT_MODEL | IMPORT_NEEDED));
	}
	inputs_init(&in);
	BUG_ON(inputs_add(&in, "argv[1]:3"));
	opt.inputs = &in;
	ex = explore_new(p, 2, argv, envp, &opt);
	BUG_ON(!ex);
	explore_run(ex);
	explore_free(ex);
	inputs_release(&in);
}

/* A frontier that the exploration wrote itself. */
static json_t *good_frontier(const char *dir, const char *path)
{
	static json_t *good;

	if (!good) {
		explore_in(dir, false, 3);
		good = json_load_file(path, 0, NULL);
		BUG_ON(!good);
	}
	return good;
}

static void make_right(json_t *o, json_t *good)
{
	static const char *const keys[] = {"heddle-frontier", "settings", "environment"};
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		json_object_set(o, keys[i], json_object_get(good, keys[i]));
	json_object_del(o, "check");
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
	if (text)
		json_object_set_new(
			o, "check", json_integer((json_int_t)hash_bytes(text, strlen(text))));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *dir, *path;
	json_t *o = json_loadb((const char *)data, n, JSON_REJECT_DUPLICATES, NULL), *good;

	diag_set_sink(ignore, NULL);
	dir = temporary_directory("fuzz-frontier");
	BUG_ON(!dir);
	path = xasprintf("%s/frontier.json", dir);
	good = good_frontier(dir, path);
	if (json_is_object(o)) {
		make_right(o, good);
		BUG_ON(json_dump_file(o, path, JSON_COMPACT));
		explore_in(dir, true, 20);
	}
	json_decref(o);
	remove_directory(dir);
	free(path);
	free(dir);
	return 0;
}
