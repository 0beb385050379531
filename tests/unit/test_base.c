#include "base/arena.h"
#include "base/base.h"
#include "base/bitset.h"
#include "base/debug.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/parray.h"
#include "base/search.h"
#include "base/sha256.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_arena(void **state)
{
	struct arena a;
	char *small, *big;

	(void)state;
	arena_init(&a);
	small = arena_strdup(&a, "shed");
	big = arena_alloc(&a, 10 << 20);
	for (size_t i = 0; i < 10 << 20; i += 4096)
		assert_int_equal(big[i], 0);
	for (int i = 0; i < 1000; i++) {
		char *p = arena_alloc(&a, (size_t)i);

		assert_int_equal((uintptr_t)p % 16, 0);
		memset(p, 0xff, (size_t)i);
	}
	assert_string_equal(small, "shed");
	assert_string_equal(arena_strndup(&a, "warp and weft", 4), "warp");
	arena_release(&a);
}

static void test_vec(void **state)
{
	VEC(uint32_t) v = {0};
	uint64_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		vec_push(&v, i);
	vec_each (&v, i)
		sum += v.at[i];
	assert_int_equal(sum, 999 * 1000 / 2);
	assert_int_equal(vec_pop(&v), 999);
	assert_int_equal(vec_last(&v), 998);
	vec_resize(&v, 1500);
	assert_int_equal(v.at[1499], 0);
	assert_int_equal(v.at[998], 998);
	*vec_add(&v) = 7;
	assert_int_equal(v.at[1500], 7);
	vec_release(&v);
	assert_null(v.at);
}

static void test_map(void **state)
{
	struct map m = {0};
	uint64_t seen = 0;

	(void)state;
	assert_null(map_get(&m, 0));
	for (uint64_t i = 0; i < 5000; i++)
		*map_put(&m, i * 64) = i;
	for (uint64_t i = 0; i < 5000; i += 2)
		assert_true(map_del(&m, i * 64));
	assert_false(map_del(&m, 0));
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(map_get_or(&m, i * 64, UINT64_MAX), i % 2 ? i : UINT64_MAX);
	map_each (&m, i)
		seen++;
	assert_int_equal(seen, 2500);
	assert_int_equal(m.n, 2500);
	map_clear(&m);
	assert_null(map_get(&m, 64));
	map_release(&m);
}

static void test_intern(void **state)
{
	struct intern in;
	uint32_t id, first;

	(void)state;
	intern_init(&in);
	assert_int_equal(intern_str(&in, ""), 0);
	first = intern_str(&in, "heddle");
	for (int i = 0; i < 3000; i++) {
		char *s = xasprintf("name%d", i);

		id = intern_str(&in, s);
		assert_string_equal(intern_get(&in, id), s);
		assert_int_equal(intern_str(&in, s), id);
		free(s);
	}
	assert_int_equal(intern_strn(&in, "heddle bar", 6), first);
	assert_true(intern_lookup(&in, "name17", &id));
	assert_string_equal(intern_get(&in, id), "name17");
	assert_false(intern_lookup(&in, "absent", &id));
	intern_release(&in);
}

static void test_bitset(void **state)
{
	struct bitset a = {0}, b = {0};
	uint32_t n = 0;

	(void)state;
	assert_true(bitset_add(&a, 3));
	assert_false(bitset_add(&a, 3));
	assert_true(bitset_add(&a, 1000));
	assert_false(bitset_has(&a, 100000));
	assert_true(bitset_or(&b, &a));
	assert_false(bitset_or(&b, &a));
	bitset_del(&b, 3);
	assert_int_equal(bitset_count(&b), 1);
	assert_true(bitset_intersects(&a, &b));
	bitset_del(&b, 1000);
	assert_false(bitset_intersects(&a, &b));
	bitset_each (&a, i)
		n += i;
	assert_int_equal(n, 1003);
	assert_int_equal(bitset_count(&a), 2);
	bitset_release(&a);
	bitset_release(&b);
}

static void test_strbuf(void **state)
{
	struct strbuf b = {0};
	char *s;

	(void)state;
	for (int i = 0; i < 100; i++)
		strbuf_addf(&b, "%d,", i);
	assert_int_equal(b.n, 290);
	assert_int_equal(strlen(b.s), b.n);
	s = strbuf_detach(&b);
	assert_memory_equal(s, "0,1,2,", 6);
	assert_int_equal(b.n, 0);
	free(s);
	s = strbuf_detach(&b);
	assert_string_equal(s, "");
	free(s);
	assert_int_equal(strbuf_read_file(&b, "/nonexistent/file"), -1);
	strbuf_adds(&b, "before");
	b.s[b.n] = 'x';
	assert_int_equal(strbuf_read_file(&b, "/"), -1); /* opens, but cannot be read */
	assert_string_equal(b.s, "before");
	strbuf_release(&b);
}

static void keep_element(void *element)
{
	(void)element;
}

static void add_difference(void *ctx, uint32_t i, void *in_a, void *in_b)
{
	strbuf_addf(ctx, "%u%s%s ", i, in_a ? "a" : "", in_b ? "b" : "");
}

/* Arrays whose trees have different depths, and no common index. */
static void test_parray_diff(void **state)
{
	static const struct parray_ops ops = {.ref = keep_element, .unref = keep_element};
	struct parray low = {0}, high = {0};
	struct strbuf b = {0};
	int x;

	(void)state;
	parray_set(&low, &ops, 5, &x);
	parray_set(&high, &ops, 1 << 20, &x);
	parray_diff(low, high, add_difference, &b);
	assert_string_equal(b.s, "1048576b 5a ");
	strbuf_clear(&b);
	parray_diff(high, low, add_difference, &b);
	assert_string_equal(b.s, "1048576a 5b ");
	parray_release(&low, &ops);
	parray_release(&high, &ops);
	strbuf_release(&b);
}

static void take_message(void *ctx, const char *message)
{
	strbuf_adds(ctx, message);
	strbuf_addc(ctx, '\n');
}

static void test_diag(void **state)
{
	struct strbuf b = {0};

	(void)state;
	diag_set_sink(take_message, &b);
	assert_int_equal(error_("no such file '%s'", "x"), -1);
	assert_int_equal(error_at((struct diag_pos){"a.c", 3, 7}, "bad '%c'", 'y'), -1);
	error_at((struct diag_pos){"a.c", 3, 0}, "odd");
	note_("well");
	diag_set_sink(NULL, NULL);
	assert_string_equal(b.s, "heddle: error: no such file 'x'\n"
				 "a.c:3:7: error: bad 'y'\n"
				 "a.c:3: error: odd\n"
				 "heddle: note: well\n");
	strbuf_release(&b);
}

/* Every bound over every sorted array of up to six elements of 0, 2 and 4, against a linear search. */
static void test_search(void **state)
{
	(void)state;
	for (uint32_t n = 0; n <= 6; n++)
		for (uint32_t twos = 0; twos <= n; twos++)
			for (uint32_t fours = 0; fours + twos <= n; fours++) {
				uint8_t at[6];

				for (uint32_t i = 0; i < n; i++)
					at[i] = i < n - twos - fours ? 0 : i < n - fours ? 2 : 4;
				for (uint32_t key = 0; key <= 5; key++) {
					uint32_t low = 0, high = 0, found;

					for (uint32_t i = 0; i < n; i++) {
						low += at[i] < key;
						high += at[i] <= key;
					}
					assert_int_equal(lower_bound(0, n, i, at[i], key), low);
					assert_int_equal(upper_bound(0, n, i, at[i], key), high);
					assert_int_equal(search_find(0, n, i, at[i], key, &found),
						low < high);
					assert_int_equal(found, low);
				}
			}
}

/* Files hold these values. */
static void test_hash(void **state)
{
	(void)state;
	assert_true(hash_u64(0) == 0);
	assert_true(hash_mix(1, 2) == hash_u64(1 ^ hash_u64(2 + 0x9e3779b97f4a7c15u)));
	assert_true(hash_mix(1, 2) != hash_mix(2, 1));
	assert_true(hash_mix_str(1, "warp") == hash_mix(1, hash_bytes("warp", 4)));
	assert_true(hash_mix_str(1, NULL) != hash_mix_str(1, ""));
}

static void test_debug_rooms(void **state)
{
	struct strbuf b = {0};

	(void)state;
	diag_set_sink(take_message, &b);
	debug_enable("model,,replay");
	assert_true(debug_rooms == (1ull << DEBUG_model | 1ull << DEBUG_replay));
	assert_int_equal(b.n, 0);
	debug_enable("mode");
	assert_true(debug_rooms == 0);
	assert_non_null(strstr(b.s, "unknown room 'mode' (rooms are base, "));
	debug_enable(NULL);
	assert_true(debug_rooms == 0);
	diag_set_sink(NULL, NULL);
	strbuf_release(&b);
}

/* FIPS 180-4 and its published examples; the parts may be of any size. */
static void test_sha256(void **state)
{
	static const struct {
		const char *text, *hex;
	} known[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	struct sha256 h;
	char hex[SHA256_HEX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		for (size_t step = 1; step < 70; step += 7) {
			size_t n = strlen(known[i].text);

			sha256_init(&h);
			for (size_t at = 0; at < n; at += step)
				sha256_add(&h, known[i].text + at, MIN(step, n - at));
			sha256_end(&h, hex);
			assert_string_equal(hex, known[i].hex);
		}
	sha256_init(&h);
	for (int i = 0; i < 1000000; i++)
		sha256_add(&h, "a", 1);
	sha256_end(&h, hex);
	assert_string_equal(
		hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_vec),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_intern),
		cmocka_unit_test(test_bitset),
		cmocka_unit_test(test_strbuf),
		cmocka_unit_test(test_parray_diff),
		cmocka_unit_test(test_diag),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_debug_rooms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
