/* The program's memory against a naive twin: a map from address to (value, unknown bits, piece of a
 * term), of which an image is a copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "memory/mem.h"

#include <stdlib.h>

enum { SPAN = 3 * MEM_PAGE, BASE = 0x5000 };

struct twin {
	bool valid[SPAN];
	uint8_t byte[SPAN], undef[SPAN];
	struct mem_sym sym[SPAN];
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

static void twin_forget(struct twin *w, uint64_t off, uint64_t n, uint8_t undef)
{
	memset(w->undef + off, undef, n);
	memset(w->sym + off, 0, n * sizeof *w->sym);
}

static void check_sym(struct mem *m, const struct twin *w, uint64_t off, unsigned n)
{
	struct mem_sym sym[16];
	uint8_t got[16], mask[16];
	uint64_t bad;

	assert_int_equal(mem_get_sym(m, BASE + off, sym, got, mask, n, &bad), MEM_OK);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(sym[i].term, w->sym[off + i].term);
		if (sym[i].term) {
			assert_int_equal(sym[i].byte, w->sym[off + i].byte);
			continue;
		}
		assert_int_equal(mask[i], w->undef[off + i]);
		assert_int_equal(got[i] & ~mask[i], w->byte[off + i] & ~w->undef[off + i]);
	}
}

static void check_read(struct mem *m, const struct twin *w, uint64_t off, unsigned n)
{
	uint8_t got[16], mask[16], fast[8];
	uint64_t bad;
	bool known = true, ok = twin_valid(w, off, n);
	unsigned first = 0;
	enum mem_status st = mem_read(m, BASE + off, got, mask, n, &bad);

	if (!ok) {
		assert_int_equal(st, MEM_INVALID);
		assert_true(bad - BASE >= off && bad - BASE < off + n);
		assert_false(twin_valid(w, bad - BASE, 1));
		assert_true(twin_valid(w, off, bad - BASE - off));
		return;
	}
	check_sym(m, w, off, n);
	while (first < n && !w->sym[off + first].term)
		first++;
	if (first < n) {
		assert_int_equal(st, MEM_SYM);
		assert_int_equal(bad, BASE + off + first);
		assert_int_equal(mem_out(m, BASE + off, got, n, &bad), MEM_SYM);
		assert_int_equal(bad, BASE + off + first);
		assert_false(n <= 8 && mem_load_fast(m, BASE + off, fast, n));
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
		w->sym[off + i] = (struct mem_sym){0};
	}
}

static void put_sym_both(struct mem *m, struct twin *w, uint64_t off, unsigned n, uint64_t *s)
{
	struct mem_sym sym[16];
	bool ok = twin_valid(w, off, n);
	uint64_t bad;

	for (unsigned i = 0; i < n; i++)
		sym[i] = (struct mem_sym){.term = rnd(s) % 4 ? 1 + (uint32_t)(rnd(s) % 9) : 0,
			.byte = (uint8_t)(rnd(s) % 4)};
	assert_int_equal(mem_put_sym(m, BASE + off, sym, n, &bad), ok ? MEM_OK : MEM_INVALID);
	for (unsigned i = 0; ok && i < n; i++)
		if (sym[i].term) {
			w->sym[off + i] = sym[i];
			w->undef[off + i] = 0xff;
		}
}

static void move_both(struct mem *m, struct twin *w, uint64_t *s)
{
	static uint8_t bytes[SPAN], undef[SPAN];
	static struct mem_sym sym[SPAN];
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
	memcpy(sym, w->sym + from, n * sizeof *sym);
	memcpy(w->sym + to, sym, n * sizeof *sym);
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
			twin_forget(w, off, size, 0xff);
		}
		return;
	}
	mem_map(m, BASE + off, size, zero);
	memset(w->valid + off, 1, size);
	memset(w->byte + off, 0, size);
	twin_forget(w, off, size, zero ? 0 : 0xff);
}

/* ---- images ---------------------------------------------------------------------------------- */

enum { KEPT = 40 };

struct kept {
	struct mem_image *image;
	struct twin twin;
};

static void check_all(struct mem *m, const struct twin *w)
{
	for (uint64_t off = 0; off < SPAN; off++)
		check_read(m, w, off, 1);
}

/* saves, goes back, and lets go, in any order */
static void travel(struct mem *m, struct twin *w, struct kept *kept, uint64_t *s)
{
	struct kept *k = &kept[rnd(s) % KEPT];

	if (!k->image) {
		k->image = mem_save(m);
		k->twin = *w;
		return;
	}
	switch (rnd(s) % 3) {
	case 0:
		mem_image_free(k->image);
		k->image = NULL;
		break;
	case 1:
		mem_restore(m, k->image);
		*w = k->twin;
		break;
	default:
		mem_restore(m, k->image);
		*w = k->twin;
		check_all(m, w);
		break;
	}
}

static void random_walk(void **state)
{
	struct twin *w = calloc(1, sizeof *w);
	struct mem *m = malloc(sizeof *m);
	struct kept *kept = calloc(KEPT, sizeof *kept);
	uint64_t s = 7, bad;

	(void)state;
	mem_init(m);
	for (int i = 0; i < 200000; i++) {
		unsigned n = 1 + (unsigned)(rnd(&s) % 16);
		uint64_t off = rnd(&s) % (SPAN - 16);

		if (i % 100 == 0 && i >= 20000) /* the first stretch is a memory without images */
			travel(m, w, kept, &s);
		switch (rnd(&s) % 9) {
		case 8:
			if (i % 50000 > 5000)
				put_sym_both(m, w, off, n, &s);
			break;
		case 0: toggle(m, w, &s); break;
		case 1: move_both(m, w, &s); break;
		case 2:
		case 3:
		case 4: write_both(m, w, off, n, &s); break;
		case 5:
			if (mem_set(m, BASE + off, (uint8_t)i, n, &bad) == MEM_OK) {
				assert_true(twin_valid(w, off, n));
				memset(w->byte + off, (uint8_t)i, n);
				twin_forget(w, off, n, 0);
			} else {
				assert_false(twin_valid(w, off, n));
			}
			break;
		default: check_read(m, w, off, n); break;
		}
	}
	check_all(m, w);
	for (int i = 0; i < KEPT / 2; i++)
		if (kept[i].image)
			mem_image_free(kept[i].image);
	mem_release(m);
	for (int i = KEPT / 2; i < KEPT; i++) /* an image may outlive its memory */
		if (kept[i].image)
			mem_image_free(kept[i].image);
	free(kept);
	free(m);
	free(w);
}

/* The fast store makes a byte known above a cell; what it forgets later must not come back. */
static void stale_cells(void **state)
{
	struct mem *m = malloc(sizeof *m);
	struct mem_sym sym[4] = {{7, 0}, {7, 1}, {7, 2}, {7, 3}};
	uint32_t v = 0x01020304, got;
	uint64_t bad;

	(void)state;
	mem_init(m);
	mem_map(m, BASE, 64, true);
	assert_int_equal(mem_put_sym(m, BASE + 8, sym, 4, &bad), MEM_OK);
	assert_int_equal(mem_read(m, BASE + 8, &got, NULL, 4, &bad), MEM_SYM);
	assert_true(mem_store_fast(m, BASE + 8, &v, 4));
	assert_true(mem_load_fast(m, BASE + 8, &got, 4));
	assert_int_equal(got, v);
	mem_forget(m, BASE + 8, 4);
	assert_int_equal(mem_read(m, BASE + 8, &got, NULL, 4, &bad), MEM_UNDEF);
	assert_int_equal(mem_put_sym(m, BASE + 8, sym, 4, &bad), MEM_OK);
	assert_int_equal(mem_strlen(m, BASE + 8, &bad), -2);
	assert_int_equal(bad, BASE + 8);
	mem_unmap(m, BASE, 64);
	mem_map(m, BASE, 64, false);
	assert_int_equal(mem_read(m, BASE + 8, &got, NULL, 4, &bad), MEM_UNDEF);
	mem_release(m);
	free(m);
}

static void small_images(void **state)
{
	struct mem *m = malloc(sizeof *m);
	struct mem_image *a, *b, *c;
	uint64_t v = 1, bad;

	(void)state;
	mem_init(m);
	for (uint64_t i = 0; i < 300; i++) {
		mem_map(m, i * MEM_PAGE, MEM_PAGE, true);
		mem_set(m, i * MEM_PAGE, (uint8_t)i, MEM_PAGE, &bad);
	}
	a = mem_save(m);
	assert_ptr_equal(mem_save(m), a); /* nothing was written: the same */
	mem_image_free(a);
	assert_false(mem_store_fast(m, BASE, &v, 8));
	assert_int_equal(mem_write(m, BASE, &v, NULL, 8, &bad), MEM_OK);
	assert_true(mem_store_fast(m, BASE + 8, &v, 8));
	b = mem_save(m);
	v = 2;
	assert_int_equal(mem_write(m, BASE, &v, NULL, 8, &bad), MEM_OK);
	c = mem_save(m);
	assert_true(mem_image_bytes(b) > 0 && mem_image_bytes(b) < 1000);
	mem_restore(m, b);
	mem_read(m, BASE, &v, NULL, 8, &bad);
	assert_int_equal(v, 1);
	mem_restore(m, a);
	assert_true(mem_image_bytes(b) > 0 && mem_image_bytes(c) < 1000);
	mem_image_free(a);
	mem_image_free(b);
	mem_restore(m, c);
	mem_read(m, BASE, &v, NULL, 8, &bad);
	assert_int_equal(v, 2);
	mem_image_free(c);
	mem_release(m);
	free(m);
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
		cmocka_unit_test(stale_cells),
		cmocka_unit_test(small_images),
		cmocka_unit_test(readonly_pages),
		cmocka_unit_test(lengths_that_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
