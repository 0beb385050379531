/* The reader's part of reader.h: bytes to words. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "reader_parts.h"
#include "traced.h"

static const char *const sync_names[] = {
#define KIND(id, text) text,
#include "log/sync.def"
};

const char *sync_name(uint32_t kind)
{
	return kind < LOG_NSYNC ? sync_names[kind] : "?";
}

static void word(struct stream *s, const char *format, ...)
{
	char buf[128];
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(buf, sizeof(buf), format, ap);
	va_end(ap);
	if (s->text_n + 256 > s->text_capacity) { /* also for what is appended to the word */
		s->text_capacity = 2 * s->text_n + 512;
		s->text = realloc(s->text, s->text_capacity);
	}
	if (s->text_n)
		s->text[s->text_n++] = ' ';
	memcpy(s->text + s->text_n, buf, (size_t)n + 1);
	s->text_n += (size_t)n;
}

/* The next n bytes; false at the end. */
static bool take(struct stream *s, void *to, size_t n)
{
	if (s->n - s->at < n) {
		s->bad = "cut off";
		return false;
	}
	if (to)
		memcpy(to, s->data + s->at, n);
	s->at += n;
	return true;
}

static bool read_items(struct stream *s)
{
	for (;;) {
		uint8_t kind;
		struct log_item item;
		if (!take(s, &kind, 1))
			return false;
		if (kind == LOG_ITEM_END)
			return true;
		s->at--;
		if (!take(s, &item, sizeof(item)))
			return false;
		if (kind != LOG_ITEM_READ && kind != LOG_ITEM_WRITE) {
			s->bad = "item of no kind";
			return false;
		}
		if (kind == LOG_ITEM_READ) {
			word(s, "r%lu", (unsigned long)item.n);
			continue;
		}
		uint64_t first = 0;
		size_t at = s->at;
		if (!take(s, NULL, item.n))
			return false;
		memcpy(&first, s->data + at, item.n < 8 ? item.n : 8);
		word(s, "w%lu:%lx", (unsigned long)item.n, (unsigned long)first);
	}
}

static bool read_sync(struct stream *s, uint32_t thread)
{
	struct sync y = {.thread = thread};
	if (!take(s, &y.s, sizeof(y.s)))
		return false;
	if (y.s.kind >= LOG_NSYNC) {
		s->bad = "sync of no kind";
		return false;
	}
	if ((y.s.flags & LOG_F_HASH && !take(s, &y.hash, 4)) ||
		(y.s.flags & LOG_F_TSC && !take(s, &y.tsc, 8)) ||
		(y.s.flags & LOG_F_RESULT && !take(s, &y.result, 4)))
		return false;
	if (y.s.flags & LOG_F_VALUE && !take(s, &y.value, 8))
		return false;
	if (y.s.flags & LOG_F_EXTRA && (!take(s, &y.seq2, 4) || !take(s, &y.extra, 4)))
		return false;
	word(s, "%s(%d%s", sync_name(y.s.kind), y.result, y.s.flags & LOG_F_EXTRA ? "" : ")");
	if (y.s.flags & LOG_F_EXTRA) {
		s->text[s->text_n] = 0;
		s->text_n += (size_t)sprintf(s->text + s->text_n, ",%d)", (int)y.extra);
	}
	if (y.s.flags & LOG_F_MORE)
		s->text_n += (size_t)sprintf(s->text + s->text_n, "...");
	if ((s->nsyncs & (s->nsyncs - 1)) == 0)
		s->syncs = realloc(s->syncs, (2 * s->nsyncs + 1) * sizeof(y));
	s->syncs[s->nsyncs++] = y;
	return !(y.s.flags & LOG_F_ITEMS) || read_items(s);
}

static bool read_thread(struct stream *s)
{
	static const char *const kinds[] = {"main", "created", "foreign", "signal"};
	if (!take(s, &s->head, sizeof(s->head)))
		return false;
	size_t n = (size_t)s->head.ntls + s->head.nglobals + s->head.nfuncs;
	s->tables = calloc(n + 1, 8);
	word(s, "THREAD(%s)", kinds[s->head.kind & 3]);
	return take(s, s->tables, 8 * n);
}

static bool read_callback(struct stream *s)
{
	struct log_callback c;
	if (!take(s, &c, sizeof(c)))
		return false;
	word(s, "CALLBACK(%u)", c.func);
	return take(s, NULL, 8u * c.nwords);
}

static bool read_value(struct stream *s)
{
	struct {
		uint8_t tag;
		uint64_t v;
	} LOG_PACKED v;
	if (!take(s, &v, sizeof(v)))
		return false;
	if (v.tag == VALUE) {
		word(s, "V(%lu)", (unsigned long)v.v);
		return true;
	}
	uint64_t sum = 0;
	size_t at = s->at;
	if (!take(s, NULL, v.v))
		return false;
	for (size_t i = at; i < s->at; i++)
		sum = sum * 31 + s->data[i];
	word(s, "B(%lu:%lx)", (unsigned long)v.v, (unsigned long)sum);
	return true;
}

/* Records that are a struct and a name. */
static bool read_plain(struct stream *s, size_t n, const char *name)
{
	word(s, "%s", name);
	return take(s, NULL, n);
}

static bool read_return(struct stream *s)
{
	struct log_return r;
	if (!take(s, &r, sizeof(r)))
		return false;
	word(s, "RETURN");
	return !(r.flags & LOG_F_ITEMS) || read_items(s);
}

static bool read_jump(struct stream *s)
{
	struct log_jump j;
	if (!take(s, &j, sizeof(j)))
		return false;
	word(s, "JUMP(%d)", j.result);
	return true;
}

static bool read_state(struct stream *s)
{
	struct log_frame f;
	if (!take(s, &f, sizeof(f)))
		return false;
	word(s, "STATE(%u,%u,%u,%u)", f.after, f.func, f.insn, f.nwords);
	return take(s, NULL, 8 * (size_t)f.nwords);
}

static bool read_stop(struct stream *s)
{
	struct log_stop j;
	if (!take(s, &j, sizeof(j)))
		return false;
	word(s, "STOP(%d)", j.why);
	return true;
}

void stream_read(struct stream *s, uint32_t thread)
{
	bool more = true;
	s->at = 0;
	s->text = calloc(1, 1);
	while (more && !s->bad && s->at < s->n) {
		switch (s->data[s->at]) {
		case VALUE:
		case BULK: more = read_value(s); break;
		case LOG_THREAD: more = read_thread(s); break;
		case LOG_CALLBACK: more = read_callback(s); break;
		case LOG_CALLBACK_END:
			more = read_plain(s, sizeof(struct log_callback_end), "CALLBACK_END");
			break;
		case LOG_RETURN: more = read_return(s); break;
		case LOG_SYNC: more = read_sync(s, thread); break;
		case LOG_SETJMP: more = read_plain(s, sizeof(struct log_setjmp), "SETJMP"); break;
		case LOG_BLOCKED: /* whether a call has to wait is chance */
			more = take(s, NULL, sizeof(struct log_blocked));
			break;
		case LOG_JUMP: more = read_jump(s); break;
		case LOG_STATE: more = read_state(s); break;
		case LOG_STOP: more = read_stop(s); break;
		case LOG_END: more = read_plain(s, sizeof(struct log_end), "END"); break;
		default: s->bad = "record of no kind"; break;
		}
	}
}
