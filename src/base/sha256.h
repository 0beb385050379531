/*
 * SHA-256 (FIPS 180-4), for keys that a file from elsewhere must not be able to imitate:
 * base/hash.h is faster and can be inverted. Values are compared, never kept secret, so the time
 * may depend on the data.
 */
#ifndef HEDDLE_BASE_SHA256_H
#define HEDDLE_BASE_SHA256_H

#include "base/base.h"

enum { SHA256_SIZE = 32, SHA256_HEX = 2 * SHA256_SIZE + 1 };

struct sha256 {
	uint32_t state[8];
	uint8_t block[64]; /* bytes that do not fill a block yet */
	uint64_t n;        /* bytes so far */
};

void sha256_init(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *data, size_t n);
/* Adds the length, then the bytes: so the parts of a sequence cannot be divided in another way. */
void sha256_add_part(struct sha256 *h, const void *data, size_t n);
/* Ends the hash, and writes it as hexadecimal digits with a NUL at the end. */
void sha256_end(struct sha256 *h, char hex[SHA256_HEX]);

#endif
