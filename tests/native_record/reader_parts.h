/* Between collector.c and reader.c. */
#ifndef TESTS_NATIVE_RECORD_READER_PARTS_H
#define TESTS_NATIVE_RECORD_READER_PARTS_H

#include "reader.h"

/* Fills text, head, syncs; or bad. */
void stream_read(struct stream *s, uint32_t thread);

#endif
