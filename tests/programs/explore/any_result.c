/*
 * check-name: a system call may fail
 * check-command: heddle explore --sym syscall -- $exe
 * check-finds: assert failed
 * check-test: no
 */
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	int fd = open("any_result.tmp", O_RDWR | O_CREAT, 0600), r;

	if (fd < 0)
		return 1;
	r = posix_fallocate(fd, 0, 100);
#ifdef CORRECT
	if (r)
		return 2;
#endif
	assert(!r); /* BUG: failed */
	unlink("any_result.tmp");
	return 0;
}
