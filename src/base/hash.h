/*
 * Hashes of 64 bits, not cryptographic. Traces, findings and databases store them: a change of a value
 * is a change of those formats.
 */
#ifndef HEDDLE_BASE_HASH_H
#define HEDDLE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_u64(uint64_t x);
uint64_t hash_bytes(const void *p, size_t n);
/* The hash of a sequence with hash h after x is appended to it; the order of the parts counts. */
uint64_t hash_mix(uint64_t h, uint64_t x);
/* hash_mix() of a string; NULL differs from "". */
uint64_t hash_mix_str(uint64_t h, const char *s);

#endif
