/*
 * check-name: a read gives fewer bytes than asked for, and a program that does not ask again uses the old ones
 * check-command: heddle explore --sym stdin:3 --sym syscall:read -- $exe
 * check-test: no
 * check-finds: assert whole
 */
#include <assert.h>
#include <errno.h>
#include <unistd.h>

static char record[3] = "???";

int main(void)
{
	ssize_t n, have = 0;

#ifdef CORRECT
	for (; have < 3; have += n) {
		n = read(0, record + have, 3 - have);
		if (n <= 0)
			return 1;
	}
	assert(have == 3);
#else
	n = read(0, record, 3);
	if (n <= 0)
		return 1;
	have = 3;
	assert(n == have || record[1] == '?'); /* BUG: whole */
#endif
	return 0;
}
