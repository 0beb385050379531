/* random, rand and their kin: additive feedback generators with glibc's sequences. */
#include "model.h"
#include <stdlib.h>

enum { TYPES = 5 };
static const struct {
	unsigned bytes; /* least size of a state of this type */
	int degree, separation;
} types[TYPES] = {{8, 0, 0}, {32, 7, 3}, {64, 15, 1}, {128, 31, 3}, {256, 63, 1}};

int __random_r(struct random_data *d, int32_t *result);

int __srandom_r(unsigned seed, struct random_data *d)
{
	int32_t word;

	if (d->rand_type < 0 || d->rand_type >= TYPES)
		return m_fail(EINVAL);
	if (!seed)
		seed = 1;
	d->state[0] = word = (int32_t)seed;
	if (d->rand_type == 0)
		return 0;
	for (int i = 1; i < d->rand_deg; i++) {
		int32_t high = word / 127773, low = word % 127773;
		word = 16807 * low - 2836 * high;
		if (word < 0)
			word += 2147483647;
		d->state[i] = word;
	}
	d->fptr = &d->state[d->rand_sep];
	d->rptr = &d->state[0];
	for (int i = 0; i < d->rand_deg * 10; i++) {
		int32_t discard;
		__random_r(d, &discard);
	}
	return 0;
}
M_ALIAS(srandom_r, __srandom_r);

int __random_r(struct random_data *d, int32_t *result)
{
	if (d->rand_type == 0) {
		uint32_t v = ((uint32_t)d->state[0] * 1103515245u + 12345u) & 0x7fffffff;
		d->state[0] = *result = (int32_t)v;
		return 0;
	}
	uint32_t v = (uint32_t)*d->fptr + (uint32_t)*d->rptr;
	*d->fptr = (int32_t)v;
	*result = (int32_t)(v >> 1);
	if (++d->fptr >= d->end_ptr)
		d->fptr = d->state;
	if (++d->rptr >= d->end_ptr)
		d->rptr = d->state;
	return 0;
}
M_ALIAS(random_r, __random_r);

/* The word before a state holds its type and, for setstate, its position. */
static void note_place(struct random_data *d)
{
	d->state[-1] = d->rand_type
		? (int32_t)(TYPES * (d->rptr - d->state) + d->rand_type)
		: 0;
}

static void use(struct random_data *d, char *buf, int type)
{
	d->rand_type = type;
	d->rand_deg = types[type].degree;
	d->rand_sep = types[type].separation;
	d->state = (int32_t *)buf + 1;
	d->end_ptr = &d->state[d->rand_deg];
}

int __initstate_r(unsigned seed, char *restrict buf, size_t n, struct random_data *restrict d)
{
	int type = 0;

	if (n < types[0].bytes)
		return m_fail(EINVAL);
	if (d->state)
		note_place(d);
	while (type + 1 < TYPES && n >= types[type + 1].bytes)
		type++;
	use(d, buf, type);
	__srandom_r(seed, d);
	note_place(d);
	return 0;
}
M_ALIAS(initstate_r, __initstate_r);

int __setstate_r(char *restrict buf, struct random_data *restrict d)
{
	int32_t place;
	int type;

	note_place(d);
	place = *(int32_t *)buf;
	type = place % TYPES;
	if (type < 0)
		return m_fail(EINVAL);
	use(d, buf, type);
	if (type) {
		int rear = place / TYPES;
		d->rptr = &d->state[rear];
		d->fptr = &d->state[(rear + d->rand_sep) % d->rand_deg];
	}
	return 0;
}
M_ALIAS(setstate_r, __setstate_r);

/* The state that random and rand share, as if seeded with 1. */
static struct random_data *shared(void)
{
	static struct random_data data;
	static int32_t table[32];

	__heddle_order(&data, true);
	if (!data.state)
		__initstate_r(1, (char *)table, sizeof table, &data);
	return &data;
}

long random(void)
{
	int32_t result;

	__random_r(shared(), &result);
	return result;
}

void srandom(unsigned seed)
{
	__srandom_r(seed, shared());
}
M_ALIAS(srand, srandom);

int rand(void)
{
	int32_t result;

	__random_r(shared(), &result);
	return result;
}

char *initstate(unsigned seed, char *buf, size_t n)
{
	struct random_data *d = shared();
	char *old = (char *)(d->state - 1);

	return __initstate_r(seed, buf, n, d) ? NULL : old;
}

char *setstate(char *buf)
{
	struct random_data *d = shared();
	char *old = (char *)(d->state - 1);

	return __setstate_r(buf, d) ? NULL : old;
}

int rand_r(unsigned *seed)
{
	unsigned next = *seed, result = 0;

	for (int i = 0; i < 3; i++) {
		next = next * 1103515245 + 12345;
		result = i ? result << 10 ^ next / 65536 % 1024 : next / 65536 % 2048;
	}
	*seed = next;
	return (int)result;
}
