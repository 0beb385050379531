#include "base/utf8.h"

#include "base/base.h"
#include "base/search.h"

#include <string.h>

uint32_t utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t n = *s < 0x80                 ? 1
		     : *s >= 0xc2 && *s < 0xe0 ? 2
		     : (*s & 0xf0) == 0xe0     ? 3
		     : *s >= 0xf0 && *s < 0xf5 ? 4
					       : 0;

	for (uint32_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((n == 3 && ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0))) ||
		(n == 4 && ((*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] >= 0x90))))
		return 0;
	return n;
}

bool utf8_valid(const char *s)
{
	for (uint32_t n; *s; s += n)
		if (!(n = utf8_length(s)))
			return false;
	return true;
}

static uint32_t decode_character(const char *text, uint32_t n)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const unsigned char *s = (const unsigned char *)text;
	uint32_t c = s[0] & first[n];

	for (uint32_t i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/* Lists the blocks that are likely in file names and strings of programs. wcwidth() is not used
 * because it needs a UTF-8 locale. */
static uint32_t columns_of(uint32_t c)
{
	static const struct {
		uint32_t lo, hi, columns;
	} blocks[] = {
		{0x0300, 0x036f, 0},
		{0x0483, 0x0489, 0},
		{0x0591, 0x05bd, 0},
		{0x064b, 0x065f, 0},
		{0x1100, 0x115f, 2},
		{0x1ab0, 0x1aff, 0},
		{0x1dc0, 0x1dff, 0},
		{0x200b, 0x200f, 0},
		{0x202a, 0x202e, 0},
		{0x2060, 0x2064, 0},
		{0x20d0, 0x20ff, 0},
		{0x2e80, 0x303e, 2},
		{0x3041, 0x33ff, 2},
		{0x3400, 0x4dbf, 2},
		{0x4e00, 0x9fff, 2},
		{0xa000, 0xa4cf, 2},
		{0xac00, 0xd7a3, 2},
		{0xf900, 0xfaff, 2},
		{0xfe00, 0xfe0f, 0},
		{0xfe20, 0xfe2f, 0},
		{0xfe30, 0xfe6f, 2},
		{0xff00, 0xff60, 2},
		{0xffe0, 0xffe6, 2},
		{0x1f300, 0x1f64f, 2},
		{0x1f680, 0x1f6ff, 2},
		{0x1f900, 0x1f9ff, 2},
		{0x20000, 0x3fffd, 2},
		{0xe0100, 0xe01ef, 0},
	};
	uint32_t n = ARRAY_SIZE(blocks), k = lower_bound(0, n, i, blocks[i].hi, c);

	return k < n && blocks[k].lo <= c ? blocks[k].columns : 1;
}

/* Returns the length in bytes of the character at s (at most n), and sets its columns. */
static uint32_t next_character(const char *s, size_t n, uint32_t *columns)
{
	uint32_t len = utf8_length(s);

	*columns = 1;
	if (!len || len > n)
		return 1;
	if (len > 1)
		*columns = columns_of(decode_character(s, len));
	return len;
}

uint32_t utf8_columns(const char *s, size_t n)
{
	uint32_t sum = 0, c;

	for (size_t i = 0; i < n; sum += c)
		i += next_character(s + i, n - i, &c);
	return sum;
}

size_t utf8_fit(const char *s, size_t n, uint32_t columns)
{
	uint32_t c;
	size_t i = 0;

	while (i < n) {
		uint32_t len = next_character(s + i, n - i, &c);

		if (c > columns)
			break;
		columns -= c;
		i += len;
	}
	return i;
}

/* False for control characters (C0, C1) and marks of text direction: they can make a terminal show
 * other text than there is. */
static bool is_printable(const char *s, uint32_t n)
{
	uint32_t c = n ? decode_character(s, n) : 0;

	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0x202a && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069);
}

static size_t count_plain(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

void utf8_add_clean(struct strbuf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t plain = count_plain(s + i, n - i);
		uint32_t len;

		strbuf_add(out, s + i, plain);
		i += plain;
		if (i == n)
			break;
		len = utf8_length(s + i);

		if (len > n - i)
			len = 0;
		if (s[i] == '\t' || (len == 2 && decode_character(s + i, len) == 0xa0))
			strbuf_addc(out, ' ');
		else if (is_printable(s + i, len))
			strbuf_add(out, s + i, len);
		else
			strbuf_adds(out, "\xef\xbf\xbd");
		i += len ? len : 1;
	}
}
