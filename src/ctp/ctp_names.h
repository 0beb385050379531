/*
 * Names and places of the events of a concurrent trace program (ctp.h), from the trace that it was
 * made from. Without a trace (in tests) an address is used as a name, and the numbers of function
 * and instruction as a place.
 *
 * Names are made when they are first needed and kept in ctp.names; the functions below change only
 * that cache.
 */
#ifndef HEDDLE_CTP_CTP_NAMES_H
#define HEDDLE_CTP_CTP_NAMES_H

#include "base/strbuf.h"
#include "ctp/ctp.h"

/* The functions append a name for titles and notes: "counter", "q->count", "mutex 'lock'". */
void ctp_name_access(const struct ctp *c, uint32_t event, struct strbuf *out);
/* Name of the memory at an address, as a path through its object: "table[3].count". In the heap the
 * last block at the address counts. */
void ctp_name_data(const struct ctp *c, uint64_t addr, uint64_t size, struct strbuf *out);
void ctp_name_object(const struct ctp *c, uint64_t object, struct strbuf *out);
/* Address and size of the global variable that contains the address; false: there is none. */
bool ctp_global_at(const struct ctp *c, uint64_t addr, uint64_t *first, uint64_t *size);

/* Place of an event in the source. Strings belong to the program; NULL or 0: not known. */
struct ctp_source {
	const char *function, *file;
	uint32_t line, col;
};
struct ctp_source ctp_source_of(const struct ctp *c, uint32_t event);

/* Hash of the source places and names of events, for groups and fingerprints. */
uint64_t ctp_places_hash(const struct ctp *c, const uint32_t *events, uint32_t n);
/* Hash of function and data, without the line. */
uint64_t ctp_names_hash(const struct ctp *c, uint32_t event);

#endif
