/* pointers that pass through pipes, sockets and files */
#include "expect.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int a, b, c, d;
struct job {
	int number;
	int *where;
} job;

static void read_parts(int fd)
{
	int *first, *second;
	struct iovec parts[2] = {{&first, sizeof(first)}, {&second, sizeof(second)}};

	if (readv(fd, parts, 2) != 16)
		return;
	expect(first, "a b c d");
	expect(second, "a b c d");
}

static void send_message(int fd)
{
	int *p = &d;
	struct iovec part = {&p, sizeof(p)};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	sendmsg(fd, &m, 0);
}

static void receive_message(int fd)
{
	int *p;
	struct iovec part = {&p, sizeof(p)};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	if (recvmsg(fd, &m, 0) == 8)
		expect(p, "a b c d");
}

int main(void)
{
	int *p = &a, *q = &b, *from_pipe;
	struct iovec parts[2] = {{&q, sizeof(q)}, {&p, sizeof(p)}};
	struct job from_file;
	FILE *f = tmpfile();
	int fds[2];

	if (!f || pipe(fds))
		return 1;
	write(fds[1], &p, sizeof(p));
	writev(fds[1], parts, 2);
	if (read(fds[0], &from_pipe, sizeof(from_pipe)) != 8)
		return 1;
	expect(from_pipe, "a b c d");
	read_parts(fds[0]);
	job.where = &c;
	fwrite(&job, sizeof(job), 1, f);
	rewind(f);
	if (fread(&from_file, sizeof(from_file), 1, f) != 1)
		return 1;
	expect(from_file.where, "a b c d");
	send_message(fds[1]);
	receive_message(fds[0]);
	return 0;
}
