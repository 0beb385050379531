/*
 * check-name: atomic objects that need library calls: 3, 12, 16 and 24 bytes
 * check-flags: -latomic -Wno-atomic-alignment
 * check-seeds: 100
 * check-output:
 * rgb 60 120 180, triple 60 -60 120, wide 60:60, big consistent
 * lock free: 8 yes, 24 no
 * check-output-end
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rgb {
	uint8_t r, g, b;
};
struct triple {
	int x, y, z;
};
struct big {
	long a, b, c;
};

static struct rgb rgb; /* by the GNU builtins: _Atomic would pad these two */
static struct triple triple;
static _Atomic struct big big;
static _Atomic unsigned __int128 wide;
static atomic_int inconsistent;

static void *run(void *arg)
{
	for (int i = 0; i < 20; i++) {
		struct rgb c, nc;
		__atomic_load(&rgb, &c, __ATOMIC_SEQ_CST);
		do
			nc = (struct rgb){c.r + 1, c.g + 2, c.b + 3};
		while (!__atomic_compare_exchange(&rgb, &c, &nc, true, __ATOMIC_SEQ_CST,
			__ATOMIC_RELAXED));

		struct triple t, nt;
		__atomic_load(&triple, &t, __ATOMIC_ACQUIRE);
		do
			nt = (struct triple){t.x + 1, t.y - 1, t.z + 2};
		while (!__atomic_compare_exchange(&triple, &t, &nt, false, __ATOMIC_SEQ_CST,
			__ATOMIC_SEQ_CST));

		wide += ((unsigned __int128)1 << 64) + 1;

		struct big b = {i, 2 * i, 3 * i}, old = atomic_exchange(&big, b);
		if (old.b != 2 * old.a || old.c != 3 * old.a)
			inconsistent++;
		atomic_store(&big, b);
	}
	return arg;
}

int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	struct rgb c = rgb;
	struct triple v = triple;
	unsigned __int128 w = wide;
	printf("rgb %d %d %d, triple %d %d %d, ", c.r, c.g, c.b, v.x, v.y, v.z);
	printf("wide %lu:%lu, big %s\n", (unsigned long)(w >> 64), (unsigned long)w,
		inconsistent ? "inconsistent" : "consistent");
	printf("lock free: 8 %s, 24 %s\n", __atomic_is_lock_free(sizeof(long), NULL) ? "yes" : "no",
		__atomic_is_lock_free(sizeof(struct big), NULL) ? "yes" : "no");
	return 0;
}
