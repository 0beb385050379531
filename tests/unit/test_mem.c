/* The program's memory against a naive twin: a map from address to (value, unknown bits). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "exec/mem.h"

#include <stdlib.h>

enum { SPAN = 3 * MEM_PAGE, BASE = 0x5000 };

struct twin {
	bool valid[SPAN];
	uint8_t byte[SPAN], undef[SPAN];
};

static uint64_t rnd(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return *s >> 33;
}

static bool twin_valid(const struct twin *w, uint64_t off, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (off + i >= SPAN || !w->valid[off + i])
			return false;
	return true;
}

static void check_read(struct mem *m, const struct twin *w, uint64_t off, unsigned n)
{
	uint8_t got[16], mask[16], fast[8];
	uint64_t bad;
	bool known = true, ok = twin_valid(w, off, n);
	enum mem_status st = mem_read(m, BASE + off, got, mask, n, &bad);

	if (!ok) {
		assert_int_equal(st, MEM_INVALID);
		assert_true(bad - BASE >= off && bad - BASE < off + n);
		assert_false(twin_valid(w, bad - BASE, 1));
		assert_true(twin_valid(w, off, bad - BASE - off));
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		known &= !w->undef[off + i];
		assert_int_equal(mask[i], w->undef[off + i]);
		assert_int_equal(got[i] & ~mask[i], w->byte[off + i] & ~w->undef[off + i]);
	}
	assert_int_equal(st, known ? MEM_OK : MEM_UNDEF);
	if (n <= 8 && mem_load_fast(m, BASE + off, fast, n)) {
		assert_true(known);
		assert_memory_equal(fast, got, n);
	}
}

static void write_both(struct mem *m, struct twin *w, uint64_t off, unsigned n, uint64_t *s)
{
	uint8_t v[16], mask[16];
	bool masked = rnd(s) % 4 == 0, ok = twin_valid(w, off, n), done = false;
	uint64_t bad;

	for (unsigned i = 0; i < n; i++) {
		v[i] = (uint8_t)rnd(s);
		mask[i] = masked ? (uint8_t)(rnd(s) % 3 ? 0 : rnd(s) % 2 ? 0xff : rnd(s)) : 0;
	}
	if (!masked && n <= 8)
		done = mem_store_fast(m, BASE + off, v, n);
	if (done)
		assert_true(ok);
	else
		assert_int_equal(mem_write(m, BASE + off, v, masked ? mask : NULL, n, &bad),
			ok ? MEM_OK : MEM_INVALID);
	for (unsigned i = 0; ok && i < n; i++) {
		w->byte[off + i] = v[i];
		w->undef[off + i] = mask[i];
	}
}

static void move_both(struct mem *m, struct twin *w, uint64_t *s)
{
	static uint8_t bytes[SPAN], undef[SPAN];
	uint64_t n = rnd(s) % (rnd(s) % 8 ? 64 : 2 * MEM_PAGE), bad;
	uint64_t to = rnd(s) % (SPAN - n), from = rnd(s) % (SPAN - n);
	bool ok_from = twin_valid(w, from, n), ok = ok_from && twin_valid(w, to, n), wr;
	enum mem_status st = mem_move(m, BASE + to, BASE + from, n, &bad, &wr);

	assert_int_equal(st, ok ? MEM_OK : MEM_INVALID);
	if (!ok) {
		assert_int_equal(wr, ok_from);
		return;
	}
	memcpy(bytes, w->byte + from, n);
	memcpy(undef, w->undef + from, n);
	memcpy(w->byte + to, bytes, n);
	memcpy(w->undef + to, undef, n);
}

/* objects come and go on a grid, so that neither side is asked to map twice */
static void toggle(struct mem *m, struct twin *w, uint64_t *s)
{
	uint64_t size = 48, off = rnd(s) % (SPAN / size) * size;
	bool zero = rnd(s) % 2;

	if (w->valid[off]) {
		if (rnd(s) % 2) {
			mem_unmap(m, BASE + off, size);
			memset(w->valid + off, 0, size);
		} else {
			mem_forget(m, BASE + off, size);
			memset(w->undef + off, 0xff, size);
		}
		return;
	}
	mem_map(m, BASE + off, size, zero);
	memset(w->valid + off, 1, size);
	memset(w->byte + off, 0, size);
	memset(w->undef + off, zero ? 0 : 0xff, size);
}

static void random_walk(void **state)
{
	struct twin *w = calloc(1, sizeof *w);
	struct mem *m = malloc(sizeof *m);
	uint64_t s = 7, bad;

	(void)state;
	mem_init(m);
	for (int i = 0; i < 200000; i++) {
		unsigned n = 1 + (unsigned)(rnd(&s) % 16);
		uint64_t off = rnd(&s) % (SPAN - 16);

		switch (rnd(&s) % 8) {
		case 0: toggle(m, w, &s); break;
		case 1: move_both(m, w, &s); break;
		case 2:
		case 3:
		case 4: write_both(m, w, off, n, &s); break;
		case 5:
			if (mem_set(m, BASE + off, (uint8_t)i, n, &bad) == MEM_OK) {
				assert_true(twin_valid(w, off, n));
				memset(w->byte + off, (uint8_t)i, n);
				memset(w->undef + off, 0, n);
			} else {
				assert_false(twin_valid(w, off, n));
			}
			break;
		default: check_read(m, w, off, n); break;
		}
	}
	mem_release(m);
	free(m);
	free(w);
}

static void readonly_pages(void **state)
{
	struct mem *m = malloc(sizeof *m);
	uint64_t bad, v = 7;

	(void)state;
	mem_init(m);
	mem_map(m, BASE, 64, true);
	assert_true(mem_store_fast(m, BASE, &v, 8));
	mem_protect(m, BASE, 64);
	assert_false(mem_store_fast(m, BASE, &v, 8));
	assert_int_equal(mem_write(m, BASE + 8, &v, NULL, 8, &bad), MEM_READONLY);
	assert_int_equal(mem_set(m, BASE, 1, 8, &bad), MEM_READONLY);
	assert_int_equal(mem_read(m, BASE, &v, NULL, 8, &bad), MEM_OK);
	assert_int_equal(v, 7);
	mem_release(m);
	free(m);
}

static void lengths_that_wrap(void **state)
{
	struct mem *m = malloc(sizeof *m);
	uint64_t bad;
	bool w;

	(void)state;
	mem_init(m);
	mem_map(m, BASE, 64, true);
	assert_int_equal(mem_set(m, BASE, 0, UINT64_MAX, &bad), MEM_INVALID);
	assert_int_equal(mem_move(m, BASE, BASE, UINT64_MAX - BASE + 2, &bad, &w), MEM_INVALID);
	mem_release(m);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_walk),
		cmocka_unit_test(readonly_pages),
		cmocka_unit_test(lengths_that_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
