/* The facts of a trace program, inside: the parts of facts_new() that model_facts_order.c has. */
#ifndef HEDDLE_MODEL_MODEL_FACTS_INTERNAL_H
#define HEDDLE_MODEL_MODEL_FACTS_INTERNAL_H

#include "model/model_facts.h"

/* Fills `order` and `rank`: the observed order, then events of other runs in a possible order. */
void facts_take_order(struct facts *f);
/* Fills `edges` and `needs`; objects and tries must be known. */
void facts_find_edges(struct facts *f);

#endif
