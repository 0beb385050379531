/*
 * Writes changed copies of a trace, whose checksums are right:
 *
 *	forge_trace TRACE DIR SEED N
 *
 * makes DIR/0 to DIR/(N-1). Each copy has one to three changes in the bytes of the log, the numbers
 * of `meta`, the number of the chunk or the thread that a chunk belongs to, or the bitcode. The
 *trace's own writer makes the checksums.
 *
 *	forge_trace --threads TRACE DIR N
 *
 * makes a copy in DIR with N threads more, which repeat the last one. They are created by a thread
 * whose log is cut off, so that its record of their creation may be missing.
 *
 *	forge_trace --number TRACE DIR OLD NEW
 *
 * makes a copy in DIR in whose log the number OLD, of 8 bytes, is NEW.
 *
 *	forge_trace --pack TRACE FILE
 *
 * writes the streams of the trace as one input of tests/fuzz/fuzz_trace.c.
 */
#include "base/base.h"
#include "base/hash.h"
#include "base/vec.h"
#include "log/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece { /* a chunk */
	uint32_t thread, seq, flags, n;
	uint8_t *data;
};

struct forge {
	struct store *from;
	VEC(struct piece) pieces;
	uint64_t rng;
};

static uint64_t draw(struct forge *f, uint64_t below)
{
	f->rng = hash_u64(f->rng + 0x9e3779b97f4a7c15u);
	return f->rng % below;
}

static void read_pieces(struct forge *f)
{
	uint8_t *buf = xmalloc(LOG_CHUNK_DATA);

	for (uint32_t i = 0; i < store_nthreads(f->from); i++) {
		const struct store_stream *s = store_stream(f->from, i);

		for (uint32_t k = 0; k < s->nchunks; k++) {
			int64_t n = store_read(f->from, i, k, buf);
			struct piece p = {.thread = s->thread, .seq = k, .n = (uint32_t)n};

			BUG_ON(n < 0);
			p.flags = s->ends && k + 1 == s->nchunks ? LOG_CHUNK_LAST : 0;
			p.data = xmalloc(LOG_CHUNK_DATA);
			memcpy(p.data, buf, (size_t)n);
			vec_push(&f->pieces, p);
		}
	}
	free(buf);
}

static void change_bytes(struct forge *f, uint8_t *data, size_t n)
{
	static const uint64_t numbers[] = {0, 1, 2, 3, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff,
		UINT64_MAX, 1ull << 47, 1ull << 40, 1000000000};
	size_t at = draw(f, n), size = (size_t)1 << draw(f, 4);
	uint64_t v = draw(f, 2) ? numbers[draw(f, ARRAY_SIZE(numbers))] : draw(f, UINT64_MAX);

	if (draw(f, 2)) { /* a small change of what is there */
		data[at] = (uint8_t)(data[at] + (draw(f, 2) ? 1 : -1));
		return;
	}
	memcpy(data + at, &v, MIN(size, n - at));
}

static void change_length(struct forge *f, struct piece *p)
{
	uint32_t at = (uint32_t)draw(f, p->n), k = (uint32_t)draw(f, 24) + 1;

	k = MIN(k, MIN(p->n - at, (uint32_t)LOG_CHUNK_DATA - p->n));
	if (draw(f, 3)) {
		memmove(p->data + at, p->data + at + k, p->n - at - k);
		p->n -= k;
	} else {
		memmove(p->data + at + k, p->data + at, p->n - at);
		p->n += k;
	}
}

static void change_piece(struct forge *f, struct piece *p)
{
	switch (draw(f, 16)) {
	case 0: p->thread = (uint32_t)draw(f, 8); break;
	case 1: p->seq = (uint32_t)draw(f, 3); break;
	case 2: p->flags = (uint32_t)draw(f, UINT32_MAX) & ~(STORE_KEEP | STORE_PARTIAL); break;
	case 3:
	case 4:
	case 5:
		if (p->n)
			change_length(f, p);
		break;
	default:
		if (p->n)
			change_bytes(f, p->data, p->n);
	}
}

static void change_meta(struct forge *f, struct store_meta *m)
{
	uint64_t v = draw(f, 2) ? draw(f, 4) : draw(f, UINT64_MAX);

	switch (draw(f, 9)) {
	case 0: m->nthreads = (uint32_t)v; break;
	case 1: m->status = (int32_t)v; break;
	case 2: m->tsc_end = v; break;
	case 3: m->ns_end = v; break;
	case 4: m->stop = (uint32_t)v; break;
	case 5: m->open = !m->open; break;
	case 6: m->image = (char *)"record-window"; break;
	case 7:
		m->turns = (char *)(v & 1 ? "0.0 0.1;0:5 2:3 1:4" : "0.0 0.1 1.0;0:4294967295");
		break;
	default: m->plan = v;
	}
}

static void write_copy(struct forge *f, const char *dir, struct store_meta *m, bool change)
{
	struct store_writer *w = store_create(dir, 0);
	size_t n;
	const void *bitcode = store_program(f->from, &n);
	uint8_t *copy = xmalloc(n);

	BUG_ON(!w || !bitcode);
	memcpy(copy, bitcode, n);
	if (change && !draw(f, 20)) {
		change_bytes(f, copy, n);
		m->bitcode = hash_bytes(copy, n);
	}
	store_put_program(w, copy, n);
	vec_each (&f->pieces, i) {
		const struct piece *p = &f->pieces.at[i];

		store_put_chunk(w, p->thread, p->seq, p->flags, p->data, p->n);
	}
	store_put_meta(w, m);
	store_close(w);
	free(copy);
}

static void forge_one(const char *from, const char *dir, uint64_t seed)
{
	struct forge f = {.from = store_open(from), .rng = seed};
	struct store_meta m;

	if (!f.from)
		exit(1);
	m = *store_meta(f.from);
	read_pieces(&f);
	for (uint64_t k = draw(&f, 3) + 1; k--;) {
		if (draw(&f, 12))
			change_piece(&f, &f.pieces.at[draw(&f, f.pieces.n)]);
		else
			change_meta(&f, &m);
	}
	write_copy(&f, dir, &m, true);
	vec_each (&f.pieces, i)
		free(f.pieces.at[i].data);
	vec_release(&f.pieces);
	store_free(f.from);
}

/* Adds copies of the last stream, as threads that the main thread created; cuts off the main
 * thread's end. */
static void add_threads(struct forge *f, uint32_t n)
{
	struct piece last = vec_last(&f->pieces), *first = &f->pieces.at[0];
	struct log_thread head;

	first->n -= sizeof(struct log_end);
	for (uint32_t i = 1; i <= n; i++) {
		struct piece p = last;

		p.thread += i;
		p.data = xmalloc(last.n);
		memcpy(p.data, last.data, last.n);
		memcpy(&head, p.data, sizeof head);
		head.parent = 0;
		memcpy(p.data, &head, sizeof head);
		vec_push(&f->pieces, p);
	}
}

static int forge_threads(const char *from, const char *dir, uint32_t n)
{
	struct forge f = {.from = store_open(from)};
	struct store_meta m;

	if (!f.from)
		return 1;
	m = *store_meta(f.from);
	m.nthreads += n;
	read_pieces(&f);
	add_threads(&f, n);
	write_copy(&f, dir, &m, false);
	vec_each (&f.pieces, i)
		free(f.pieces.at[i].data);
	vec_release(&f.pieces);
	store_free(f.from);
	return 0;
}

static int forge_number(const char *from, const char *dir, uint64_t old, uint64_t new)
{
	struct forge f = {.from = store_open(from)};
	struct store_meta m;
	bool found = false;

	if (!f.from)
		return 1;
	m = *store_meta(f.from);
	read_pieces(&f);
	vec_each (&f.pieces, i) {
		uint8_t *at = memmem(f.pieces.at[i].data, f.pieces.at[i].n, &old, sizeof old);

		if (at)
			memcpy(at, &new, sizeof new);
		found |= at != NULL;
	}
	write_copy(&f, dir, &m, false);
	vec_each (&f.pieces, i)
		free(f.pieces.at[i].data);
	vec_release(&f.pieces);
	store_free(f.from);
	return !found;
}

static int pack(const char *from, const char *path)
{
	struct forge f = {.from = store_open(from)};
	FILE *out = f.from ? fopen(path, "wb") : NULL;

	if (!out)
		return 1;
	read_pieces(&f);
	vec_each (&f.pieces, i) {
		const struct piece *p = &f.pieces.at[i];
		uint8_t head[] = {
			(uint8_t)p->thread, (uint8_t)p->flags, (uint8_t)p->n, (uint8_t)(p->n >> 8)};

		fwrite(head, 1, sizeof head, out);
		fwrite(p->data, 1, p->n, out);
		free(p->data);
	}
	vec_release(&f.pieces);
	store_free(f.from);
	return fclose(out) ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--pack"))
		return pack(argv[2], argv[3]);
	if (argc == 5 && !strcmp(argv[1], "--threads"))
		return forge_threads(argv[2], argv[3], (uint32_t)atoi(argv[4]));
	if (argc == 6 && !strcmp(argv[1], "--number"))
		return forge_number(
			argv[2], argv[3], strtoull(argv[4], NULL, 10), strtoull(argv[5], NULL, 10));
	if (argc != 5)
		return 2;
	for (int i = 0; i < atoi(argv[4]); i++) {
		char *dir = xasprintf("%s/%d", argv[2], i);

		forge_one(argv[1], dir, hash_u64((uint64_t)atoi(argv[3]) * 1000003u + (uint64_t)i));
		free(dir);
	}
	return 0;
}
