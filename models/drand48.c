/* The 48-bit linear congruential generators of <stdlib.h>. */
#include "model.h"
#include <stdlib.h>

static struct drand48_data shared;

static uint64_t join(const unsigned short x[3])
{
	return (uint64_t)x[2] << 32 | (uint64_t)x[1] << 16 | x[0];
}

static void set_factors(struct drand48_data *d, uint64_t a, unsigned short c)
{
	d->__a = a;
	d->__c = c;
	d->__init = 1;
}

static uint64_t step(unsigned short x[3], struct drand48_data *d)
{
	uint64_t v;

	if (!d->__init)
		set_factors(d, 0x5deece66d, 0xb);
	v = join(x) * d->__a + d->__c;
	x[0] = (unsigned short)v;
	x[1] = (unsigned short)(v >> 16);
	x[2] = (unsigned short)(v >> 32);
	return v & 0xffffffffffff;
}

int __erand48_r(unsigned short x[3], struct drand48_data *d, double *result)
{
	*result = (double)step(x, d) / 0x1p48;
	return 0;
}
M_ALIAS(erand48_r, __erand48_r);

int __nrand48_r(unsigned short x[3], struct drand48_data *d, long *result)
{
	*result = (long)(step(x, d) >> 17);
	return 0;
}
M_ALIAS(nrand48_r, __nrand48_r);

int __jrand48_r(unsigned short x[3], struct drand48_data *d, long *result)
{
	*result = (int32_t)(step(x, d) >> 16);
	return 0;
}
M_ALIAS(jrand48_r, __jrand48_r);

int drand48_r(struct drand48_data *restrict d, double *restrict result)
{
	return __erand48_r(d->__x, d, result);
}

int lrand48_r(struct drand48_data *restrict d, long *restrict result)
{
	return __nrand48_r(d->__x, d, result);
}

int mrand48_r(struct drand48_data *restrict d, long *restrict result)
{
	return __jrand48_r(d->__x, d, result);
}

int __srand48_r(long seed, struct drand48_data *d)
{
	d->__x[2] = (unsigned short)(seed >> 16);
	d->__x[1] = (unsigned short)seed;
	d->__x[0] = 0x330e;
	set_factors(d, 0x5deece66d, 0xb);
	return 0;
}
M_ALIAS(srand48_r, __srand48_r);

int __seed48_r(unsigned short x[3], struct drand48_data *d)
{
	for (int i = 0; i < 3; i++) {
		d->__old_x[i] = d->__x[i];
		d->__x[i] = x[i];
	}
	set_factors(d, 0x5deece66d, 0xb);
	return 0;
}
M_ALIAS(seed48_r, __seed48_r);

int __lcong48_r(unsigned short p[7], struct drand48_data *d)
{
	for (int i = 0; i < 3; i++)
		d->__x[i] = p[i];
	set_factors(d, join(p + 3), p[6]);
	return 0;
}
M_ALIAS(lcong48_r, __lcong48_r);

double erand48(unsigned short x[3])
{
	__heddle_order(&shared, false);
	return (double)step(x, &shared) / 0x1p48;
}

double drand48(void)
{
	__heddle_order(&shared, true);
	return (double)step(shared.__x, &shared) / 0x1p48;
}

long nrand48(unsigned short x[3])
{
	__heddle_order(&shared, false);
	return (long)(step(x, &shared) >> 17);
}

long lrand48(void)
{
	__heddle_order(&shared, true);
	return (long)(step(shared.__x, &shared) >> 17);
}

long jrand48(unsigned short x[3])
{
	__heddle_order(&shared, false);
	return (int32_t)(step(x, &shared) >> 16);
}

long mrand48(void)
{
	__heddle_order(&shared, true);
	return (int32_t)(step(shared.__x, &shared) >> 16);
}

void srand48(long seed)
{
	__heddle_order(&shared, true);
	__srand48_r(seed, &shared);
}

unsigned short *seed48(unsigned short x[3])
{
	__heddle_order(&shared, true);
	__seed48_r(x, &shared);
	return shared.__old_x;
}

void lcong48(unsigned short p[7])
{
	__heddle_order(&shared, true);
	__lcong48_r(p, &shared);
}
