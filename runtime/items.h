/*
 * Items: the memory that a native call read and wrote, appended to the stream of the calling thread
 * after the record with LOG_F_ITEMS (log/format.h). An item of a write has the bytes, of any
 * number, as they are at the time of the call. errno is preserved; no libc function is called.
 */
#ifndef HEDDLE_RUNTIME_ITEMS_H
#define HEDDLE_RUNTIME_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

/* n == 0 appends nothing. */
void item_read(const void *addr, uint64_t n);
void item_write(const void *addr, uint64_t n);
void item_end(void);

/* effects.c: appends the items of a call that has returned, as log/libc.def describes it;
 * arguments as in __heddle_effect(), which calls this between the record and item_end(). False if
 * the memory that the call wrote is unknown: then the thread is not recorded further. */
bool effect_log(uint32_t effect, uint64_t result, const uint64_t *args, uint32_t nargs);
/* The same of a call in a run that is not recorded: only enforce_range() gets the ranges. */
void effect_check(uint32_t effect, uint64_t result, const uint64_t *args, uint32_t nargs);

#endif
