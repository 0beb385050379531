#include "context/inside.h"
void locks_init(struct context *c) { vec_each(&c->threads, t) vec_push(&c->locks_known, false); }
void barriers_init(struct context *c) {(void)c;}
void matching_init(struct context *c) {(void)c;}
