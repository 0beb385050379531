#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "cases.h"
#include "watch.h"

static void names(void)
{
	struct in6_addr *a = room(16);
	struct sockaddr_in *sa = room(sizeof(*sa));
	char *v4 = copy("127.0.0.1"), *v6 = copy("fe80::1:2"), *to = room(64), *serv = room(16);

	CALL(inet_pton, inet_pton(AF_INET, v4, a), AF_INET, U(v4), U(a));
	CALL(inet_pton, inet_pton(AF_INET6, v6, a), AF_INET6, U(v6), U(a));
	CALL(inet_pton, inet_pton(AF_INET6, v4, a), AF_INET6, U(v4), U(a));
	CALL(inet_aton, inet_aton(v4, (struct in_addr *)a), U(v4), U(a));
	CALL(inet_ntop, U(inet_ntop(AF_INET6, a, to, 64)), AF_INET6, U(a), U(to), 64);
	CALL(inet_ntop, U(inet_ntop(AF_INET, a, to, 5)), AF_INET, U(a), U(to), 5);
	memset(sa, 0, sizeof(*sa));
	sa->sin_family = AF_INET;
	CALL(getnameinfo,
		getnameinfo((struct sockaddr *)sa, sizeof(*sa), to, 64, serv, 16,
			NI_NUMERICHOST | NI_NUMERICSERV),
		U(sa), sizeof(*sa), U(to), 64, U(serv), 16, 3);
}

/* A message with a descriptor in its control data, into several buffers. */
static void messages(const int *pair)
{
	struct msghdr *m = room(sizeof(*m));
	struct iovec *iov = room(2 * sizeof(*iov));
	char *control = room(CMSG_SPACE(4));
	struct cmsghdr *cm = (struct cmsghdr *)control;

	iov[0] = (struct iovec){room(20), rng_below(&rng, 20)};
	iov[1] = (struct iovec){room(60), 60};
	*m = (struct msghdr){.msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = control,
		.msg_controllen = CMSG_SPACE(4),
		.msg_name = NULL};
	*cm = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(4), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(cm), &pair[0], 4);
	CALL(sendmsg, sendmsg(pair[0], m, 0), pair[0], U(m), 0);
	memset(control, 0x55, CMSG_SPACE(4));
	iov[0].iov_len = rng_below(&rng, 20);
	CALL(recvmsg, recvmsg(pair[1], m, 0), pair[1], U(m), 0);
	close(*(int *)CMSG_DATA(cm));
}

static void datagrams(void)
{
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in *to = room(sizeof(*to)), *from = room(sizeof(*from));
	socklen_t *len = room(4);
	char *buf = room(200);
	struct msghdr *m = room(sizeof(*m));
	struct iovec *iov = room(sizeof(*iov));

	memset(to, 0, sizeof(*to));
	to->sin_family = AF_INET;
	to->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	bind(a, (struct sockaddr *)to, sizeof(*to));
	*len = sizeof(*to);
	CALL(getsockname, getsockname(a, (struct sockaddr *)to, len), a, U(to), U(len));
	for (int i = 0; i < 3; i++)
		CALL(sendto, sendto(b, buf, 100, 0, (struct sockaddr *)to, sizeof(*to)), b, U(buf),
			100, 0, U(to), sizeof(*to));
	*len = sizeof(*from);
	CALL(recvfrom, recvfrom(a, buf, 200, 0, (struct sockaddr *)from, len), a, U(buf), 200, 0,
		U(from), U(len));
	CALL(recv, recv(a, buf, 30, MSG_TRUNC), a, U(buf), 30, MSG_TRUNC);
	expect_write(buf, 30);
	*iov = (struct iovec){buf, 200};
	*m = (struct msghdr){
		.msg_name = from, .msg_namelen = sizeof(*from), .msg_iov = iov, .msg_iovlen = 1};
	CALL(recvmsg, recvmsg(a, m, 0), a, U(m), 0);
	*len = 4;
	CALL(getsockopt, getsockopt(a, SOL_SOCKET, SO_RCVBUF, buf, len), a, SOL_SOCKET, SO_RCVBUF,
		U(buf), U(len));
	CALL(recv, recv(a, buf, 200, MSG_DONTWAIT), a, U(buf), 200, MSG_DONTWAIT);
	close(a);
	close(b);
}

static void connections(void)
{
	int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), s;
	struct sockaddr_in *to = room(sizeof(*to));
	struct sockaddr_storage *from = room(sizeof(*from));
	socklen_t *len = room(4);

	listen(l, 1);
	*len = sizeof(*to);
	getsockname(l, (struct sockaddr *)to, len);
	connect(c, (struct sockaddr *)to, sizeof(*to));
	*len = sizeof(*from);
	s = (int)CALL(accept, accept(l, (struct sockaddr *)from, len), l, U(from), U(len));
	*len = sizeof(*from);
	CALL(getpeername, getpeername(s, (struct sockaddr *)from, len), s, U(from), U(len));
	close(s);
	close(c);
	close(l);
}

static void readiness(const int *pair)
{
	struct pollfd *fds = room(3 * sizeof(*fds));
	struct timeval *tv = room(sizeof(*tv));
	struct timespec ts = {0, 1000};
	struct epoll_event *ev = room(4 * sizeof(*ev)), one = {.events = EPOLLIN | EPOLLOUT};
	struct itimerspec *it = room(sizeof(*it)), *old = room(sizeof(*old));
	fd_set *rd = room(sizeof(*rd)), *wr = room(sizeof(*wr));
	eventfd_t *count = room(8);
	int ep = epoll_create1(0), efd = eventfd(3, 0), tfd = timerfd_create(CLOCK_MONOTONIC, 0);

	for (int i = 0; i < 3; i++)
		fds[i] = (struct pollfd){pair[i % 2], POLLIN | POLLOUT, -1};
	CALL(poll, poll(fds, 3, 0), U(fds), 3, 0);
	fds[1].fd = -1;
	CALL(ppoll, ppoll(fds, 3, &ts, NULL), U(fds), 3, U(&ts), 0);
	FD_ZERO(rd);
	FD_ZERO(wr);
	FD_SET(pair[0], rd);
	FD_SET(pair[1], wr);
	*tv = (struct timeval){0, 500};
	CALL(select, select(pair[1] + 1, rd, wr, NULL, tv), pair[1] + 1, U(rd), U(wr), 0, U(tv));
	FD_SET(pair[0], rd);
	CALL(pselect, pselect(pair[1] + 1, rd, NULL, NULL, &ts, NULL), pair[1] + 1, U(rd), 0, 0,
		U(&ts), 0);
	epoll_ctl(ep, EPOLL_CTL_ADD, pair[0], &one);
	epoll_ctl(ep, EPOLL_CTL_ADD, pair[1], &one);
	CALL(epoll_wait, epoll_wait(ep, ev, 4, 0), ep, U(ev), 4, 0);
	expect_write(ev, 2 * sizeof(*ev));
	CALL(eventfd_read, eventfd_read(efd, count), efd, U(count));
	*it = (struct itimerspec){.it_value = {100, 0}};
	CALL(timerfd_settime, timerfd_settime(tfd, 0, it, old), tfd, 0, U(it), U(old));
	CALL(timerfd_gettime, timerfd_gettime(tfd, old), tfd, U(old));
	close(ep);
	close(efd);
	close(tfd);
}

void cases_sockets(void)
{
	int *pair = room(8), *pipes = room(8);
	char *buf = room(100);

	CALL(socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, pair), AF_UNIX, SOCK_STREAM, 0,
		U(pair));
	CALL(pipe, pipe(pipes), U(pipes));
	CALL(send, send(pair[0], buf, 50, 0), pair[0], U(buf), 50, 0);
	CALL(recv, recv(pair[1], buf, 100, 0), pair[1], U(buf), 100, 0);
	expect_write(buf, 50);
	names();
	messages(pair);
	datagrams();
	connections();
	readiness(pair);
	for (int i = 0; i < 2; i++) {
		close(pair[i]);
		close(pipes[i]);
	}
}
