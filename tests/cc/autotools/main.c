#include "config.h"
#include "loom.h"
#include <stdio.h>

int main(void)
{
#if !defined HAVE_PTHREAD_H || defined HAVE_NO_SUCH_FUNCTION || SIZEOF_LONG != 8
#error "configure was misled"
#endif
	printf("%s wove %d\n", PACKAGE_STRING, weave(4));
	return 0;
}
