/* The scenarios that target.c runs by name; reader.c knows what each leaves in the log. */
#ifndef TESTS_NATIVE_RECORD_TARGET_H
#define TESTS_NATIVE_RECORD_TARGET_H

#define SCENARIO(name) void scenario_##name(void);
#include "target.def"
#undef SCENARIO

#endif
