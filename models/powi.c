/* Powers by an integer, which the compiler calls for __builtin_powi: by repeated squaring. */

#define POWI(type, name)                                                                           \
	type name(type x, int n)                                                                   \
	{                                                                                          \
		unsigned left = n < 0 ? -(unsigned)n : (unsigned)n;                                \
		type r = left & 1 ? x : 1;                                                         \
                                                                                                   \
		while (left >>= 1) {                                                               \
			x *= x;                                                                    \
			if (left & 1)                                                              \
				r *= x;                                                            \
		}                                                                                  \
		return n < 0 ? 1 / r : r;                                                          \
	}

POWI(float, __powisf2)
POWI(double, __powidf2)
POWI(long double, __powixf2)
