/*
 * The runtime of recorded programs (runtime/), one relocatable object that is linked into each image
 * and carried by the binary. Its hooks (runtime/hooks.h) are global and hidden.
 */
#ifndef HEDDLE_BUILD_RUNTIME_IMAGE_H
#define HEDDLE_BUILD_RUNTIME_IMAGE_H

#include <stdint.h>

extern const unsigned char heddle_runtime_record[];
extern const uint64_t heddle_runtime_record_size;

#endif
