/*
 * Items: what a native call read and wrote, appended to the calling thread's stream behind the
 * record that says LOG_F_ITEMS (log/format.h). The bytes of a write are taken at the time of the
 * call and may be any number; errno is preserved; no libc function is called.
 */
#ifndef HEDDLE_RUNTIME_ITEMS_H
#define HEDDLE_RUNTIME_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

/* n == 0 appends nothing. */
void item_read(const void *addr, uint64_t n);
void item_write(const void *addr, uint64_t n);
void item_end(void);

/* The items of a call that came back, as log/effects.def has it; arguments as in __heddle_effect().
 * Written by effects.c, called by __heddle_effect() between the record and item_end(), which it
 * does not call itself. False: what the call wrote cannot be told; the thread is stopped then. */
bool effect_log(uint32_t effect, uint64_t result, const uint64_t *args, uint32_t nargs);

#endif
