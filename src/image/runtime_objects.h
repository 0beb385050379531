/*
 * The runtimes of images (runtime/): relocatable objects that are linked into them, carried by the
 * binary. Their hooks (runtime/hooks.h) are global and hidden. "record" is for programs that are
 * recorded, "enforce" for those that run under a schedule.
 */
#ifndef HEDDLE_IMAGE_RUNTIME_OBJECTS_H
#define HEDDLE_IMAGE_RUNTIME_OBJECTS_H

#include <stdint.h>

extern const unsigned char heddle_runtime_record[];
extern const uint64_t heddle_runtime_record_size;
extern const unsigned char heddle_runtime_enforce[];
extern const uint64_t heddle_runtime_enforce_size;

#endif
