/*
 * Effects of printf and scanf according to their formats: a part of effects_walk.h, which includes
 * this file.
 *
 * scanf's result is the number of values stored: those of the first conversions that count (not the
 * suppressed ones, nor %n). A conversion that fails stores nothing, except that %m may change its
 * pointer. For %s and %[ the text is assumed to have no NULs; a file may have some, a string has
 * none.
 */
#ifndef HEDDLE_LOG_EFFECTS_FORMAT_H
#define HEDDLE_LOG_EFFECTS_FORMAT_H

enum { FORMAT_NO_NUMBER = -1 };

struct format {
	struct walk *w;
	uint64_t at;    /* address of the next character */
	uint32_t width; /* bytes of a character */
	uint32_t first, next; /* number of the format argument; of the next unused argument */
};

struct directive {
	uint64_t arg;      /* value of its argument */
	int64_t limit;     /* precision of printf, width of scanf; FORMAT_NO_NUMBER */
	uint32_t longs, shorts; /* numbers of l (j, z, t, q count as two) and of h */
	bool big;          /* has L */
	bool suppress, alloc; /* scanf: has *; has m */
	uint32_t conv;     /* the conversion character */
};

static uint32_t format_char(struct format *f)
{
	uint32_t c = walk_word(f->w, f->at, f->width);

	f->at += c ? f->width : 0;
	return c;
}

static uint32_t format_peek(struct format *f)
{
	return walk_word(f->w, f->at, f->width);
}

static bool format_skip(struct format *f, uint32_t c)
{
	if (format_peek(f) != c)
		return false;
	format_char(f);
	return true;
}

static int64_t format_number(struct format *f)
{
	int64_t n = FORMAT_NO_NUMBER;
	uint32_t c;

	while ((c = format_peek(f)) >= '0' && c <= '9') {
		n = (n < 0 ? 0 : n * 10) + (c - '0');
		if (n > INT32_MAX)
			n = INT32_MAX;
		format_char(f);
	}
	return n;
}

/* The n of `n$`, which selects an argument; FORMAT_NO_NUMBER: the next argument is used. */
static int64_t format_position(struct format *f)
{
	uint64_t back = f->at;
	int64_t n = format_number(f);

	if (n > 0 && format_skip(f, '$'))
		return n;
	f->at = back;
	return FORMAT_NO_NUMBER;
}

static uint64_t format_arg(struct format *f, int64_t position)
{
	return walk_arg(f->w, position > 0 ? f->first + position : f->next++);
}

static void format_length(struct format *f, struct directive *d)
{
	for (uint32_t c;; format_char(f)) {
		c = format_peek(f);
		if (c == 'l')
			d->longs++;
		else if (c == 'j' || c == 'z' || c == 't' || c == 'q' || c == 'Z')
			d->longs += 2;
		else if (c == 'h')
			d->shorts++;
		else if (c == 'L')
			d->big = true;
		else
			return;
	}
}

/* Bytes of an integer of the directive's length. */
static uint32_t format_int_bytes(const struct directive *d)
{
	if (d->longs || d->big)
		return 8;
	return d->shorts >= 2 ? 1 : d->shorts == 1 ? 2 : 4;
}

/* A width or a precision: digits, or a star for an argument. */
static int64_t format_width(struct format *f)
{
	if (format_skip(f, '*')) {
		int32_t n = (int32_t)format_arg(f, format_position(f));

		return n < 0 ? FORMAT_NO_NUMBER : n;
	}
	return format_number(f);
}

/* The next directive of printf; false at the end of the format. */
static bool format_next_print(struct format *f, struct directive *d)
{
	int64_t position;
	uint32_t c;

	do {
		while ((c = format_char(f)) && c != '%')
			;
		if (!c)
			return false;
	} while (format_skip(f, '%'));
	*d = (struct directive){.limit = FORMAT_NO_NUMBER};
	position = format_position(f);
	while ((c = format_peek(f)) == '-' || c == '+' || c == ' ' || c == '#' || c == '0' ||
		c == '\'' || c == 'I')
		format_char(f);
	format_width(f);
	if (format_skip(f, '.')) {
		bool star = format_peek(f) == '*';

		d->limit = format_width(f);
		if (d->limit < 0 && !star)
			d->limit = 0; /* a point alone */
	}
	format_length(f, d);
	d->conv = format_char(f);
	if (d->conv != 'm' && d->conv != '%' && d->conv)
		d->arg = format_arg(f, position);
	return d->conv != 0;
}

static void format_print(struct walk *w, uint32_t format, uint32_t width)
{
	struct format f = {w, walk_arg(w, format), width, format, format + 1};
	struct directive d;

	if (!f.at)
		return;
	while (!w->lost && format_next_print(&f, &d)) {
		if (d.conv == 'n')
			walk_tell(w, true, d.arg, format_int_bytes(&d));
		if ((d.conv == 's' || d.conv == 'S') && d.arg)
			walk_tell(w, false, d.arg,
				walk_string(w, d.arg, d.longs || d.conv == 'S' ? 4 : 1,
					d.limit < 0 ? UINT64_MAX : (uint64_t)d.limit));
	}
}

/* The arguments were taken from a va_list that is used up, so only the write to the va_list itself
 * is known; with %n the effects are unknown. */
static void format_vprint(struct walk *w, uint32_t format, uint64_t list)
{
	struct format f = {w, walk_arg(w, format), 1, format, format + 1};
	struct directive d;

	if (!f.at)
		return;
	while (!w->lost && format_next_print(&f, &d))
		if (d.conv == 'n')
			w->lost = true;
	walk_tell(w, true, list, sizeof(va_list));
}

/* Skips the rest of a set after its `[`, up to the closing bracket. */
static void format_skip_set(struct format *f)
{
	uint32_t c;

	format_skip(f, '^');
	format_skip(f, ']');
	while ((c = format_char(f)) && c != ']')
		;
}

/* The next directive of scanf, false at the end; old: `a` before s, S and [ means `m`. */
static bool format_next_scan(struct format *f, struct directive *d, bool old)
{
	int64_t position;
	uint32_t c;

	do {
		while ((c = format_char(f)) && c != '%')
			;
		if (!c)
			return false;
	} while (format_skip(f, '%'));
	*d = (struct directive){0};
	position = format_position(f);
	while ((c = format_peek(f)) == '*' || c == '\'' || c == 'I') {
		d->suppress |= c == '*';
		format_char(f);
	}
	d->limit = format_number(f);
	d->alloc = format_skip(f, 'm');
	format_length(f, d);
	d->conv = format_char(f);
	c = format_peek(f);
	if (old && d->conv == 'a' && (c == 's' || c == 'S' || c == '[')) {
		d->alloc = true;
		d->conv = format_char(f);
	}
	if (d->conv == '[')
		format_skip_set(f);
	if (d->conv == 'S' || d->conv == 'C') {
		d->longs = 1;
		d->conv |= 0x20;
	}
	if (d->conv && d->conv != '%' && !d->suppress)
		d->arg = format_arg(f, position);
	return d->conv != 0;
}

/* Reports the writes of a successful conversion. */
static void format_store(struct walk *w, const struct directive *d)
{
	uint32_t width = d->longs ? 4 : 1;
	uint64_t to = d->arg;

	if (d->alloc) {
		walk_tell(w, true, to, 8);
		to = to ? walk_word(w, to, 8) : 0;
	}
	if (!to)
		return;
	switch (d->conv) {
	case 's':
	case '[':
		walk_tell(w, true, to,
			walk_string(w, to, width,
				d->limit < 0 ? UINT64_MAX : (uint64_t)d->limit + 1));
		break;
	case 'c':
		walk_tell(w, true, to, (d->limit < 0 ? 1 : (uint64_t)d->limit) * width);
		break;
	case 'a': case 'e': case 'f': case 'g':
	case 'A': case 'E': case 'F': case 'G':
		walk_tell(w, true, to, d->big || d->longs > 1 ? 16 : d->longs ? 8 : 4);
		break;
	case 'p':
		walk_tell(w, true, to, 8);
		break;
	default:
		walk_tell(w, true, to, format_int_bytes(d));
	}
}

static void format_scan(struct walk *w, uint32_t format, bool old)
{
	struct format f = {w, walk_arg(w, format), 1, format, format + 1};
	struct directive d;
	int64_t stored = 0;

	if (!f.at)
		return;
	while (!w->lost && format_next_scan(&f, &d, old)) {
		if (d.suppress || d.conv == '%')
			continue;
		if (d.conv != 'n' && stored++ >= w->result) {
			if (d.alloc)
				walk_tell(w, true, d.arg, 8);
			return;
		}
		format_store(w, &d);
	}
}

#endif
