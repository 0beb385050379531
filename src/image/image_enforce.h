/*
 * Images of kind "enforce": they run under a schedule (log/schedule.h). Instrumented as those that
 * record, by the same plan and with the same log, and with a call before each point; linked with
 * the enforcing runtime.
 */
#ifndef HEDDLE_IMAGE_IMAGE_ENFORCE_H
#define HEDDLE_IMAGE_IMAGE_ENFORCE_H

#include "base/base.h"

struct recipe;

/* From the cache: its path (free it), or NULL after error_(). exclude and open: as image_record().
 */
char *image_enforce(const char *exe_path, const char *const *exclude, bool *open);

/* image_record.c: what both kinds need to know */
/* Native objects are linked with the program: they may call and change what they like. */
bool image_has_native(const struct recipe *r);
/* The same of an executable; -1 after error_(). */
int image_find_open(const char *exe_path, bool *open);
/* Of this binary: whatever it does to the module may be different in the next one. */
uint64_t image_own_hash(void);

#endif
