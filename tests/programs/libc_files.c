/*
 * check-name: descriptors, paths, directories
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
	char dir[] = "/tmp/heddle-filesXXXXXX", buf[100] = "", *p;
	struct iovec v[2] = {{"one ", 4}, {"two\n", 4}};
	struct dirent **list;
	struct stat st;
	int fd, fds[2], n;

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	fd = open("a", O_RDWR | O_CREAT | O_EXCL, 0640);
	printf("%zd %zd\n", write(fd, "hello\n", 6), writev(fd, v, 2));
	printf("%ld\n", (long)lseek(fd, 6, SEEK_SET));
	printf("%zd\n", read(fd, buf, sizeof buf));
	printf("%s%zd\n", buf, pread(fd, buf, 5, 0));
	printf("%d %d\n", ftruncate(fd, 3), fstat(fd, &st));
	printf("%ld %o %d\n", (long)st.st_size, st.st_mode & 0777, S_ISREG(st.st_mode));
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	printf("%.3s %d\n", p, p[3]);
	printf("%d\n", munmap(p, 4096));
	p = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p[9999] = 1;
	printf("%d\n", p[5000]);
	printf("%d\n", munmap(p, 10000));
	printf("%d %d %d\n", mkdir("d", 0755), symlink("d", "link"), rename("a", "d/b"));
	n = scandir(".", &list, NULL, alphasort);
	for (int i = 0; i < n; i++)
		printf("%s ", list[i]->d_name);
	printf("\n%zd %d\n", readlink("link", buf, sizeof buf),
		lstat("link", &st) || !S_ISLNK(st.st_mode));
	p = realpath("link/../link/b", NULL);
	printf("%s\n", p + strlen(dir));
	free(p);
	strcpy(buf, "/usr/lib/x.c");
	printf("%s ", basename(buf));
	printf("%s\n", dirname(buf));
	errno = 0;
	printf("%d %d\n", open("none", O_RDONLY), errno);
	printf("%d %d\n", isatty(fd), errno);
	printf("%d %d %d\n", pipe(fds), (int)write(fds[1], "pipe", 4), close(fds[1]));
	printf("%zd %zd\n", read(fds[0], buf, 50), read(fds[0], buf, 50));
	printf("%d\n", poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, 10));
	printf("%d %d\n", dup2(fd, 20), fcntl(20, F_GETFL) & O_ACCMODE);
	printf("%d %d\n", unlink("d/b") | unlink("link") | rmdir("d"), chdir("/") | rmdir(dir));
	printf("%s %ld\n", getcwd(buf, sizeof buf), sysconf(_SC_PAGESIZE));
	return 0;
}
