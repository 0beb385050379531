/*
 * Appends JSON to a strbuf, value by value. It adds commas and escapes; the caller is responsible
 * for the nesting. Inside an object each value has a key; elsewhere the key is NULL.
 *
 *	struct json j = {.out = &b};
 *	json_object(&j, NULL);
 *	json_str(&j, "kind", "lock");
 *	json_end(&j);              → {"kind":"lock"}
 *
 * Bytes that are not UTF-8 become U+FFFD. Numbers above 2^53 are written exactly, but a reader that
 * uses doubles loses their last digits; addresses are therefore strings (json_addr).
 */
#ifndef HEDDLE_FINDING_JSON_H
#define HEDDLE_FINDING_JSON_H

#include "base/strbuf.h"

enum { JSON_DEPTH = 64 };

struct json {
	struct strbuf *out;
	uint32_t depth;
	char close[JSON_DEPTH];
	bool some[JSON_DEPTH]; /* the level has a value */
};

/* The assembler labels avoid symbol interposition: libjansson has functions of these names and
 * calls them through the dynamic linker. */
void json_object(struct json *j, const char *key) __asm__("heddle_json_object");
void json_array(struct json *j, const char *key) __asm__("heddle_json_array");
void json_end(struct json *j); /* closes the innermost object or array */
void json_str(struct json *j, const char *key, const char *s); /* NULL: null */
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_double(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, bool v);
void json_raw(struct json *j, const char *key, const char *json); /* a complete JSON value */
void json_addr(struct json *j, const char *key, uint64_t addr); /* "0x7f…" */

#endif
