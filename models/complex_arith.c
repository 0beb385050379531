/*
 * Product and quotient of complex numbers, which the compiler calls for: C17 annex G.5.1, with its
 * rules for infinities and NaNs. The quotient is Smith's (1962), as in libgcc, which programs are
 * linked with; it may differ from libgcc's in the last bits where parts are near the ends of the
 * range.
 */
#include <complex.h>

#define PARTS(type, re, im) __builtin_complex((type)(re), (type)(im))

#define COMPLEX_ARITH(type, mul, div, F)                                                           \
	static type F##_unit(type x)                                                               \
	{                                                                                          \
		return __builtin_copysign(__builtin_isinf(x) ? 1 : 0, x);                          \
	}                                                                                          \
	static type F##_zero(type x)                                                               \
	{                                                                                          \
		return __builtin_isnan(x) ? (type)__builtin_copysign(0, x) : x;                    \
	}                                                                                          \
	type _Complex mul(type a, type b, type c, type d)                                          \
	{                                                                                          \
		type ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;     \
		int again = 0;                                                                     \
                                                                                                   \
		if (!__builtin_isnan(x) || !__builtin_isnan(y))                                    \
			return PARTS(type, x, y);                                                  \
		if (__builtin_isinf(a) || __builtin_isinf(b)) {                                    \
			a = F##_unit(a), b = F##_unit(b), c = F##_zero(c), d = F##_zero(d);        \
			again = 1;                                                                 \
		}                                                                                  \
		if (__builtin_isinf(c) || __builtin_isinf(d)) {                                    \
			c = F##_unit(c), d = F##_unit(d), a = F##_zero(a), b = F##_zero(b);        \
			again = 1;                                                                 \
		}                                                                                  \
		if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) ||                       \
				      __builtin_isinf(ad) || __builtin_isinf(bc))) {               \
			a = F##_zero(a), b = F##_zero(b), c = F##_zero(c), d = F##_zero(d);        \
			again = 1;                                                                 \
		}                                                                                  \
		if (again) {                                                                       \
			x = (type)__builtin_inf() * (a * c - b * d);                               \
			y = (type)__builtin_inf() * (a * d + b * c);                               \
		}                                                                                  \
		return PARTS(type, x, y);                                                          \
	}                                                                                          \
	type _Complex div(type a, type b, type c, type d)                                          \
	{                                                                                          \
		type ratio, n, x, y;                                                               \
                                                                                                   \
		if (__builtin_fabsl(c) < __builtin_fabsl(d)) {                                     \
			ratio = c / d;                                                             \
			n = c * ratio + d;                                                         \
			x = (a * ratio + b) / n;                                                   \
			y = (b * ratio - a) / n;                                                   \
		} else {                                                                           \
			ratio = d / c;                                                             \
			n = d * ratio + c;                                                         \
			x = (b * ratio + a) / n;                                                   \
			y = (b - a * ratio) / n;                                                   \
		}                                                                                  \
		if (!__builtin_isnan(x) || !__builtin_isnan(y))                                    \
			return PARTS(type, x, y);                                                  \
		if (c == 0 && d == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) {                      \
			x = (type)__builtin_copysign(__builtin_inf(), c) * a;                      \
			y = (type)__builtin_copysign(__builtin_inf(), c) * b;                      \
		} else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) &&  \
			   __builtin_isfinite(d)) {                                                \
			a = F##_unit(a), b = F##_unit(b);                                          \
			x = (type)__builtin_inf() * (a * c + b * d);                               \
			y = (type)__builtin_inf() * (b * c - a * d);                               \
		} else if ((__builtin_isinf(c) || __builtin_isinf(d)) && __builtin_isfinite(a) &&  \
			   __builtin_isfinite(b)) {                                                \
			c = F##_unit(c), d = F##_unit(d);                                          \
			x = 0 * (a * c + b * d);                                                   \
			y = 0 * (b * c - a * d);                                                   \
		}                                                                                  \
		return PARTS(type, x, y);                                                          \
	}

COMPLEX_ARITH(float, __mulsc3, __divsc3, f32)
COMPLEX_ARITH(double, __muldc3, __divdc3, f64)
COMPLEX_ARITH(long double, __mulxc3, __divxc3, f80)
