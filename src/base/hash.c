#include "base/hash.h"

#include <string.h>

uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* Hashes long inputs in four independent lanes, about as fast as memory delivers them. A change in
 * one word always changes its lane, and a change in one lane always changes the result. */
static uint64_t hash_lanes(const unsigned char **at, size_t *n, uint64_t h)
{
	uint64_t lane[4] = {h, h + 1, h + 2, h + 3}, w[4];

	for (; *n >= sizeof w; *n -= sizeof w, *at += sizeof w) {
		memcpy(w, *at, sizeof w);
		for (int i = 0; i < 4; i++) {
			lane[i] = (lane[i] ^ w[i]) * 0xd6e8feb86659fd93u;
			lane[i] ^= lane[i] >> 29;
		}
	}
	for (int i = 0; i < 4; i++)
		h = hash_u64(h ^ lane[i]);
	return h;
}

uint64_t hash_bytes(const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t h = 0xcbf29ce484222325u ^ n, w;

	if (n >= 256)
		h = hash_lanes(&s, &n, h);
	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&w, s, 8);
		h = hash_u64(h ^ w);
	}
	w = 0;
	if (n)
		memcpy(&w, s, n);
	return hash_u64(h ^ w);
}

uint64_t hash_mix(uint64_t h, uint64_t x)
{
	return hash_u64(h ^ hash_u64(x + 0x9e3779b97f4a7c15u));
}

uint64_t hash_mix_str(uint64_t h, const char *s)
{
	return hash_mix(h, s ? hash_bytes(s, strlen(s)) : 0);
}
