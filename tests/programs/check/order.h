/*
 * When things happen in these programs. A step is long enough for everything that another thread has
 * to do meanwhile. natural(n) makes a thread n steps late in an ordinary run, so that this run passes;
 * forced(n) does so in a build with -DFORCE, where the threads meet as the bug needs it.
 * apart() is for many threads whose order does not matter as long as they do not meet.
 */
#ifndef CHECK_ORDER_H
#define CHECK_ORDER_H

#include <unistd.h>

#ifdef FORCE
#define natural(n) ((void)0)
#define apart()    ((void)0)
#define forced(n)  usleep((n) * 30000)
#else
#define natural(n) usleep((n) * 30000)
#define apart()    usleep(5000)
#define forced(n)  ((void)0)
#endif

#endif
