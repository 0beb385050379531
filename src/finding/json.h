/*
 * Writes JSON, a value after the other, into a strbuf: commas and escapes are its business, the
 * nesting is the caller's. Keys go before values inside an object; NULL where there is none.
 *
 *	struct json j = {.out = &b};
 *	json_object(&j, NULL);
 *	json_str(&j, "kind", "lock");
 *	json_end(&j);              → {"kind":"lock"}
 *
 * Bytes that are not UTF-8 become U+FFFD. Numbers past 2^53 are written as they are; a reader that
 * keeps doubles loses their last digits, so addresses are strings (json_addr).
 */
#ifndef HEDDLE_FINDING_JSON_H
#define HEDDLE_FINDING_JSON_H

#include "base/strbuf.h"

enum { JSON_DEPTH = 64 };

struct json {
	struct strbuf *out;
	uint32_t depth;
	char close[JSON_DEPTH];
	bool some[JSON_DEPTH]; /* the level has a value already */
};

/* The labels keep them apart from libjansson's functions of these names, which call each other
 * through the dynamic linker: ours must not stand in for them. */
void json_object(struct json *j, const char *key) __asm__("heddle_json_object");
void json_array(struct json *j, const char *key) __asm__("heddle_json_array");
void json_end(struct json *j); /* of the innermost object or array */
void json_str(struct json *j, const char *key, const char *s); /* NULL: null */
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_double(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, bool v);
void json_raw(struct json *j, const char *key, const char *json); /* a value, as it is */
void json_addr(struct json *j, const char *key, uint64_t addr); /* "0x7f…" */

#endif
