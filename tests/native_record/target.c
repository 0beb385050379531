/*
 * A program whose code looks as if it had been instrumented: its first argument is the name of a
 * scenario. Values of its own that are not right end it with status 99.
 */
#include <stdio.h>
#include <string.h>
#include "target.h"
#include "traced.h"

static uint64_t global_one = 0x1111;
static char global_text[5] = "text";
static __thread int tls_one, tls_two;

static void addresses_of_tls(uint64_t *out)
{
	out[0] = (uint64_t)&tls_one;
	out[1] = (uint64_t)&tls_two;
}

int main(int argc, char **argv);
static const void *const globals[] = {&global_one, NULL, global_text};
static const uint64_t sizes[] = {sizeof(global_one), 0, sizeof(global_text)};
static const void *const funcs[] = {(void *)main, NULL};
const struct heddle_image __heddle_image = {.plan = 0x1234,
	.nglobals = 3,
	.nfuncs = 2,
	.ntls = 2,
	.flags = IMAGE_FLAGS,
	.globals = globals,
	.funcs = funcs,
	.tls = addresses_of_tls,
	.global_sizes = sizes};

__attribute__((constructor)) static void constructor(void)
{
	__heddle_callback(90, NULL, 0);
	value(90);
	__heddle_callback_end();
}

__attribute__((destructor)) static void destructor(void)
{
	__heddle_callback(91, NULL, 0);
	value(91);
	__heddle_callback_end();
}

THUNK0(92, at_exit_handler)
{
	value(92);
	global_one = 0x2222;
}

int main(int argc, char **argv)
{
	__heddle_callback(1, (uint64_t[2]){(uint64_t)argc, (uint64_t)argv}, 2);
	NATIVE(atexit(at_exit_handler));
	bool found = false;
#define SCENARIO(name)                                                                             \
	if (argc > 1 && !strcmp(argv[1], #name)) {                                                 \
		found = true;                                                                      \
		scenario_##name();                                                                 \
	}
#include "target.def"
#undef SCENARIO
	__heddle_callback_end();
	return found ? 0 : 98;
}
