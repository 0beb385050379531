/* Places and threads of a finding, from the events of a trace program. */
#ifndef HEDDLE_EXPLAIN_PLACES_H
#define HEDDLE_EXPLAIN_PLACES_H

#include "base/strbuf.h"
#include "ctp/ctp.h"
#include "finding/finding.h"

/* The place of an event in the source; finding_place_release(). */
void place_of_event(const struct ctp *c, uint32_t event, struct finding_place *out);
/* Appends the place of an event: "bank.c:31", or the name of the function. */
void place_add_event(const struct ctp *c, uint32_t event, struct strbuf *out);
/* Numbers the threads of a finding by group (ctp_group()): the real program has one thread for all
 * the alternatives of a group. */
void number_threads_by_group(const struct ctp *c, struct finding *f);

#endif
