/* System calls on descriptors: bytes, positions, pipes. */
#include "world/world_internal.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAX_IOV = 1024, MAX_POLL = 4096, PIPE_ROOM = 65536, MAX_FD = 1 << 20 };

/* Addresses of wait queues, above all objects: for one pipe, and for changes of any pipe (poll). */
#define QUEUE_POLL    ADDR_END
#define QUEUE_PIPE(n) (ADDR_END + 1 + (n))

static struct open *descriptor_of(struct wcall *c)
{
	return files_get(c->w->files, (int)c->a[0]);
}

static struct node *node_of(struct wcall *c, const struct open *o)
{
	return &c->w->files->nodes.at[o->node];
}

static bool may_read(const struct open *o)
{
	return (o->flags & O_ACCMODE) != O_WRONLY;
}

static bool may_write(const struct open *o)
{
	return (o->flags & O_ACCMODE) != O_RDONLY;
}

static void notify_pipe(struct wcall *c, uint32_t node)
{
	sched_notify_own(c->m, QUEUE_PIPE(node));
	sched_notify_own(c->m, QUEUE_POLL);
}

/* ---- reading --------------------------------------------------------------------------------- */

/*
 * The number of bytes from `at` on, at most n. If the length is a term the state forks: once for
 * "all n bytes exist", and on the other side for each length.
 */
static enum step available_bytes(
	struct wcall *c, uint32_t node, uint64_t at, uint64_t n, uint64_t *got)
{
	const struct node *f = &c->w->files->nodes.at[node];
	uint64_t most = f->bytes ? f->bytes->n : 0, end = MIN(at + n, most);
	bool all = true;

	*got = 0;
	if (at >= most || !n)
		return STEP_NEXT;
	if (f->size) {
		struct terms *ts = c->m->ts;

		if (sym_decide(c->m, c->t,
			    term_ule(ts, term_const(ts, 32, end), (term_t){f->size}), &all))
			return STEP_STOP;
		if (!all && world_settle(c, node))
			return STEP_STOP;
		if (!all)
			end = MAX(c->w->files->nodes.at[node].bytes->n, at);
	}
	*got = end - at;
	return STEP_NEXT;
}

static enum step block_on_pipe(struct wcall *c, uint32_t node, const char *why)
{
	sched_wait(c->m, c->t, (struct opnd){.v = {QUEUE_PIPE(node), 0}}, why, 0);
	return STEP_AGAIN;
}

/* Reads n bytes of a device. */
static enum step read_device(struct wcall *c, const struct node *f, uint64_t addr, uint64_t n)
{
	uint8_t *b = xcalloc(1, n + 1);
	enum step st;

	if (f->kind == NODE_RANDOM) {
		struct files *own = world_files(c);

		for (uint64_t i = 0; i < n; i++)
			b[i] = (uint8_t)files_random(own);
	}
	st = guest_put(c, addr, b, NULL, n);
	free(b);
	return st == STEP_NEXT ? wcall_give(c, (int64_t)n) : st;
}

/* Copies n bytes at `at` of a node, which exist, to the program's memory. */
static enum step read_bytes(struct wcall *c, uint32_t node, uint64_t at, uint64_t addr, uint64_t n)
{
	const struct bytes *b = c->w->files->nodes.at[node].bytes;

	if (!n)
		return STEP_NEXT;
	return guest_put(c, addr, b->known + at, b->terms ? b->terms + at : NULL, n);
}

static enum step read_at(struct wcall *c, const struct open *o, uint64_t at, uint64_t addr,
	uint64_t n)
{
	uint32_t node = o->node;
	const struct node *f = node_of(c, o);
	uint64_t got;

	if (!may_read(o))
		return wcall_fail(c, EBADF);
	if (f->kind == NODE_DIR)
		return wcall_fail(c, EISDIR);
	n = MIN(n, 0x7ffff000ull);
	if (guest_may_put(c, addr, n))
		return STEP_STOP;
	if (f->kind == NODE_NULL)
		return wcall_give(c, 0);
	if (f->kind == NODE_ZERO || f->kind == NODE_RANDOM)
		return result_shorten(c, &n) ? STEP_STOP : read_device(c, f, addr, n);
	if (available_bytes(c, node, at, n, &got) || result_shorten(c, &got))
		return STEP_STOP;
	if (read_bytes(c, node, at, addr, got))
		return STEP_STOP;
	return wcall_give(c, (int64_t)got);
}

static enum step read_pipe(struct wcall *c, const struct open *o, uint64_t addr, uint64_t n)
{
	uint32_t node = o->node, readers, writers;
	struct node *f = node_of(c, o);
	uint64_t have = (f->bytes ? f->bytes->n : 0) - f->head, at = f->head;

	if (!may_read(o))
		return wcall_fail(c, EBADF);
	if (guest_may_put(c, addr, n))
		return STEP_STOP;
	files_ends(c->w->files, node, &readers, &writers);
	if (!have && !writers)
		return wcall_give(c, 0);
	if (!have && o->flags & O_NONBLOCK)
		return wcall_fail(c, EAGAIN);
	if (!have)
		return block_on_pipe(c, node, "input from a pipe");
	n = MIN(n, have);
	if (result_shorten(c, &n) || read_bytes(c, node, at, addr, n))
		return STEP_STOP;
	f = &world_files(c)->nodes.at[node];
	f->head += n;
	if (f->head == f->bytes->n) {
		bytes_truncate(&f->bytes, 0);
		f->head = 0;
	}
	notify_pipe(c, node);
	return wcall_give(c, (int64_t)n);
}

static enum step read_some(struct wcall *c, uint64_t addr, uint64_t n)
{
	struct open *o = descriptor_of(c);
	enum step st;

	if (!o)
		return wcall_fail(c, EBADF);
	if (node_of(c, o)->kind == NODE_PIPE)
		return read_pipe(c, o, addr, n);
	st = read_at(c, o, o->pos, addr, n);
	if (st == STEP_NEXT && c->result > 0) {
		world_files(c);
		descriptor_of(c)->pos += (uint64_t)c->result;
	}
	return st;
}

static enum step w_read(struct wcall *c)
{
	return read_some(c, c->a[1], c->a[2]);
}

static enum step w_pread(struct wcall *c)
{
	struct open *o = descriptor_of(c);

	if (!o)
		return wcall_fail(c, EBADF);
	if (node_of(c, o)->kind == NODE_PIPE || node_of(c, o)->kind == NODE_STREAM)
		return wcall_fail(c, ESPIPE);
	return read_at(c, o, c->a[3], c->a[1], c->a[2]);
}

/* ---- writing --------------------------------------------------------------------------------- */

static enum step write_pipe(struct wcall *c, const struct open *o, const struct wbuf *b)
{
	uint32_t node = o->node, readers, writers;
	struct node *f = node_of(c, o);
	uint64_t room = PIPE_ROOM - ((f->bytes ? f->bytes->n : 0) - f->head), n = b->n;

	files_ends(c->w->files, node, &readers, &writers);
	if (!readers)
		return wcall_fail(c, EPIPE);
	if (n > room && (n <= PIPE_BUF || !room)) {
		if (o->flags & O_NONBLOCK)
			return wcall_fail(c, EAGAIN);
		return block_on_pipe(c, node, "room in a pipe");
	}
	n = MIN(n, room);
	if (result_shorten(c, &n))
		return STEP_STOP;
	f = &world_files(c)->nodes.at[node];
	bytes_write(&f->bytes, f->bytes ? f->bytes->n : 0, b->known, b->terms, n);
	notify_pipe(c, node);
	return wcall_give(c, (int64_t)n);
}

/* The world keeps whole files in memory: the end of a file has a limit. */
enum step world_allows_size(struct wcall *c, uint64_t end)
{
	if (end <= WORLD_FILE_MAX)
		return STEP_NEXT;
	return stop_unknown(c->m, c->t, STOP_UNMODELLED,
		"a file of %llu bytes: heddle's machine keeps files of up to %llu bytes",
		(unsigned long long)end, WORLD_FILE_MAX);
}

static enum step write_file(struct wcall *c, const struct open *o, uint64_t at, const struct wbuf *b)
{
	uint32_t node = o->node;
	uint64_t n = b->n;
	struct node *f;

	if (!may_write(o))
		return wcall_fail(c, EBADF);
	if (world_settle(c, node) || world_allows_size(c, at + n < at ? UINT64_MAX : at + n))
		return STEP_STOP;
	/* messages to the standard streams would give a path for each of their bytes */
	if (node_of(c, o)->kind != NODE_STREAM && result_shorten(c, &n))
		return STEP_STOP;
	f = &world_files(c)->nodes.at[node];
	if (f->kind == NODE_FILE || f->kind == NODE_STREAM)
		bytes_write(&f->bytes, at, b->known, b->terms, n);
	return wcall_give(c, (int64_t)n);
}

static enum step write_buffer(struct wcall *c, const struct wbuf *b)
{
	struct open *o = descriptor_of(c);
	const struct node *f = node_of(c, o);
	bool append = o->flags & O_APPEND || f->kind == NODE_STREAM;
	uint64_t at = o->pos;
	enum step st;

	if (f->kind == NODE_PIPE)
		return may_write(o) ? write_pipe(c, o, b) : wcall_fail(c, EBADF);
	if (append && world_settle(c, o->node))
		return STEP_STOP;
	o = descriptor_of(c);
	f = node_of(c, o);
	if (append)
		at = f->bytes ? f->bytes->n : 0;
	st = write_file(c, o, at, b);
	if (st == STEP_NEXT && c->result > 0)
		descriptor_of(c)->pos = at + (uint64_t)c->result;
	return st;
}

static enum step w_write(struct wcall *c)
{
	struct wbuf b;
	enum step st;

	if (!descriptor_of(c))
		return wcall_fail(c, EBADF);
	st = guest_get(c, c->a[1], c->a[2], &b);
	if (st == STEP_NEXT)
		st = write_buffer(c, &b);
	wbuf_release(&b);
	return st;
}

static enum step w_pwrite(struct wcall *c)
{
	struct open *o = descriptor_of(c);
	struct wbuf b;
	enum step st;

	if (!o)
		return wcall_fail(c, EBADF);
	if (node_of(c, o)->kind == NODE_PIPE || node_of(c, o)->kind == NODE_STREAM)
		return wcall_fail(c, ESPIPE);
	st = guest_get(c, c->a[1], c->a[2], &b);
	if (st == STEP_NEXT)
		st = write_file(c, o, c->a[3], &b);
	wbuf_release(&b);
	return st;
}

/* ---- vectors of buffers ---------------------------------------------------------------------- */

static enum step get_iov(struct wcall *c, struct iovec **v)
{
	*v = xcalloc(MIN(c->a[2], (uint64_t)MAX_IOV) + 1, sizeof **v);
	return guest_known(c, c->a[1], *v, c->a[2] * sizeof **v, "a vector of buffers");
}

static enum step gather_buffers(struct wcall *c, const struct iovec *v, struct wbuf *all)
{
	struct bytes *b = bytes_new(NULL, NULL, 0);
	enum step st = STEP_NEXT;

	for (uint64_t i = 0; i < c->a[2] && st == STEP_NEXT; i++) {
		struct wbuf part;

		st = guest_get(c, (uintptr_t)v[i].iov_base, v[i].iov_len, &part);
		if (st == STEP_NEXT)
			bytes_write(&b, b->n, part.known, part.terms, part.n);
		wbuf_release(&part);
	}
	*all = (struct wbuf){.known = b->known, .terms = b->terms, .n = b->n};
	free(b);
	return st;
}

static enum step w_writev(struct wcall *c)
{
	struct wbuf all = {0};
	struct iovec *v;
	enum step st;

	if (!descriptor_of(c))
		return wcall_fail(c, EBADF);
	if (c->a[2] > MAX_IOV)
		return wcall_fail(c, EINVAL);
	st = get_iov(c, &v);
	if (st == STEP_NEXT)
		st = gather_buffers(c, v, &all);
	if (st == STEP_NEXT)
		st = write_buffer(c, &all);
	wbuf_release(&all);
	free(v);
	return st;
}

/* Fills only the first buffer that is not empty: a short read, which POSIX allows. */
static enum step w_readv(struct wcall *c)
{
	struct iovec *v;
	uint64_t i = 0;
	enum step st;

	if (c->a[2] > MAX_IOV)
		return wcall_fail(c, EINVAL);
	st = get_iov(c, &v);
	while (st == STEP_NEXT && i < c->a[2] && !v[i].iov_len)
		i++;
	if (st == STEP_NEXT && i < c->a[2])
		st = read_some(c, (uintptr_t)v[i].iov_base, v[i].iov_len);
	free(v);
	return st;
}

/* ---- positions and descriptors --------------------------------------------------------------- */

static enum step w_lseek(struct wcall *c)
{
	struct open *o = descriptor_of(c);
	int64_t at = (int64_t)c->a[1];
	const struct node *f;

	if (!o)
		return wcall_fail(c, EBADF);
	f = node_of(c, o);
	if (f->kind == NODE_PIPE || f->kind == NODE_STREAM)
		return wcall_fail(c, ESPIPE);
	if (c->a[2] == SEEK_END && world_settle(c, o->node))
		return STEP_STOP;
	o = descriptor_of(c);
	f = node_of(c, o);
	if (c->a[2] == SEEK_CUR)
		at += (int64_t)o->pos;
	else if (c->a[2] == SEEK_END)
		at += f->bytes ? (int64_t)f->bytes->n : 0;
	if (at < 0 || c->a[2] > SEEK_END)
		return wcall_fail(c, EINVAL);
	world_files(c);
	descriptor_of(c)->pos = (uint64_t)at;
	return wcall_give(c, at);
}

static enum step w_close(struct wcall *c)
{
	struct open *o = descriptor_of(c);
	uint32_t node;

	if (!o)
		return wcall_fail(c, EBADF);
	node = o->node;
	files_close(world_files(c), (int)c->a[0]);
	notify_pipe(c, node);
	return wcall_give(c, 0);
}

static enum step w_ftruncate(struct wcall *c)
{
	struct open *o = descriptor_of(c);
	struct node *f;

	if (!o)
		return wcall_fail(c, EBADF);
	if (!may_write(o) || node_of(c, o)->kind != NODE_FILE || (int64_t)c->a[1] < 0)
		return wcall_fail(c, EINVAL);
	if (world_settle(c, o->node) || world_allows_size(c, c->a[1]))
		return STEP_STOP;
	f = &world_files(c)->nodes.at[descriptor_of(c)->node];
	bytes_truncate(&f->bytes, c->a[1]);
	return wcall_give(c, 0);
}

static enum step w_dup(struct wcall *c)
{
	if (!descriptor_of(c))
		return wcall_fail(c, EBADF);
	return wcall_give(c, files_dup(world_files(c), (int)c->a[0], 0));
}

static enum step dup_to(struct wcall *c, bool cloexec)
{
	if (!descriptor_of(c) || c->a[1] >= MAX_FD)
		return wcall_fail(c, EBADF);
	if (c->a[0] != c->a[1]) {
		struct open *old = files_get(c->w->files, (int)c->a[1]);
		uint32_t node = old ? old->node : FILES_NONE;

		files_dup_to(world_files(c), (int)c->a[0], (int)c->a[1]);
		c->w->files->fds.at[c->a[1]].cloexec = cloexec;
		if (node != FILES_NONE)
			notify_pipe(c, node);
	}
	return wcall_give(c, (int64_t)c->a[1]);
}

static enum step w_dup2(struct wcall *c)
{
	return dup_to(c, false);
}

static enum step w_dup3(struct wcall *c)
{
	return c->a[0] == c->a[1] ? wcall_fail(c, EINVAL) : dup_to(c, c->a[2] & O_CLOEXEC);
}

static enum step make_pipe(struct wcall *c, uint64_t to, int flags)
{
	struct files *f;
	uint32_t node;
	int fds[2];

	if (guest_may_put(c, to, sizeof fds))
		return STEP_STOP;
	f = world_files(c);
	node = files_node(f, NODE_PIPE, 0600);
	fds[0] = files_open(f, node, O_RDONLY | flags, 0);
	fds[1] = files_open(f, node, O_WRONLY | flags, 0);
	return guest_put(c, to, (uint8_t *)fds, NULL, sizeof fds);
}

static enum step w_pipe(struct wcall *c)
{
	return make_pipe(c, c->a[0], 0);
}

static enum step w_pipe2(struct wcall *c)
{
	return make_pipe(c, c->a[0], (int)c->a[1] & (O_CLOEXEC | O_NONBLOCK));
}

static enum step w_fcntl(struct wcall *c)
{
	struct open *o = descriptor_of(c);
	const int changed = O_APPEND | O_NONBLOCK;
	int fd = (int)c->a[0];

	if (!o)
		return wcall_fail(c, EBADF);
	switch (c->a[1]) {
	case F_GETFD: return wcall_give(c, c->w->files->fds.at[fd].cloexec ? FD_CLOEXEC : 0);
	case F_SETFD:
		world_files(c)->fds.at[fd].cloexec = c->a[2] & FD_CLOEXEC;
		return wcall_give(c, 0);
	case F_GETFL: return wcall_give(c, o->flags & (O_ACCMODE | changed));
	case F_SETFL:
		world_files(c);
		o = descriptor_of(c);
		o->flags = (o->flags & ~changed) | ((int)c->a[2] & changed);
		return wcall_give(c, 0);
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		if (c->a[2] >= MAX_FD)
			return wcall_fail(c, EINVAL);
		fd = files_dup(world_files(c), fd, (int)c->a[2]);
		c->w->files->fds.at[fd].cloexec = c->a[1] == F_DUPFD_CLOEXEC;
		return wcall_give(c, fd);
	default:
		return stop_unknown(c->m, c->t, STOP_UNMODELLED, "fcntl %llu is not modelled",
			(unsigned long long)c->a[1]);
	}
}

/* No descriptor is a terminal. */
static enum step w_ioctl(struct wcall *c)
{
	return wcall_fail(c, descriptor_of(c) ? ENOTTY : EBADF);
}

/* fsync and flock have no effect: there is no cache and no other process. */
static enum step w_nothing(struct wcall *c)
{
	return descriptor_of(c) ? wcall_give(c, 0) : wcall_fail(c, EBADF);
}

static enum step w_getrandom(struct wcall *c)
{
	struct node random = {.kind = NODE_RANDOM};

	if (guest_may_put(c, c->a[0], c->a[1]))
		return STEP_STOP;
	return read_device(c, &random, c->a[0], c->a[1]);
}

/* ---- poll ------------------------------------------------------------------------------------ */

static short poll_events(struct wcall *c, const struct pollfd *p)
{
	const struct open *o = files_get(c->w->files, p->fd);
	uint32_t readers, writers;
	const struct node *f;
	short got = 0;

	if (p->fd < 0)
		return 0;
	if (!o)
		return POLLNVAL;
	f = node_of(c, o);
	if (f->kind != NODE_PIPE)
		return p->events & (POLLIN | POLLOUT);
	files_ends(c->w->files, o->node, &readers, &writers);
	if (may_read(o)) {
		got |= (f->bytes && f->bytes->n > f->head) ? POLLIN : 0;
		got |= writers ? 0 : POLLHUP;
	} else {
		got |= (f->bytes ? f->bytes->n : 0) - f->head < PIPE_ROOM ? POLLOUT : 0;
		got |= readers ? 0 : POLLERR;
	}
	return got & (p->events | POLLHUP | POLLERR);
}

static enum step poll_wait(struct wcall *c, int64_t ms)
{
	uint64_t now = sched_now(c->m, CLOCK_MONOTONIC);

	if (!ms || (c->resumed && !c->t->notified))
		return wcall_give(c, 0);
	/* a wait that continues after a notification starts a new time-out: time is virtual */
	sched_wait(c->m, c->t, (struct opnd){.v = {QUEUE_POLL, 0}}, "poll", ms < 0 ? 0 : now + (uint64_t)ms * 1000000);
	return STEP_AGAIN;
}

static enum step w_poll(struct wcall *c)
{
	uint64_t n = MIN(c->a[1], (uint64_t)MAX_POLL);
	struct pollfd *p = xcalloc(n + 1, sizeof *p);
	enum step st = guest_known(c, c->a[0], p, n * sizeof *p, "the events of poll");
	int ready = 0;

	for (uint64_t i = 0; st == STEP_NEXT && i < n; i++) {
		p[i].revents = poll_events(c, &p[i]);
		ready += p[i].revents != 0;
	}
	if (st == STEP_NEXT && !ready)
		st = poll_wait(c, (int)c->a[2]);
	if (st == STEP_NEXT) {
		st = guest_put(c, c->a[0], (uint8_t *)p, NULL, n * sizeof *p);
		c->result = ready;
	}
	free(p);
	return st;
}

const struct wcall_entry world_io_calls[] = {
	WCALL(read, w_read), WCALL(write, w_write), WCALL(pread64, w_pread),
	WCALL(pwrite64, w_pwrite), WCALL(readv, w_readv), WCALL(writev, w_writev),
	WCALL(lseek, w_lseek), WCALL(close, w_close), WCALL(ftruncate, w_ftruncate),
	WCALL(dup, w_dup), WCALL(dup2, w_dup2), WCALL(dup3, w_dup3), WCALL(pipe, w_pipe),
	WCALL(pipe2, w_pipe2), WCALL(fcntl, w_fcntl), WCALL(ioctl, w_ioctl),
	WCALL(fsync, w_nothing), WCALL(fdatasync, w_nothing), WCALL(flock, w_nothing),
	WCALL(getrandom, w_getrandom), WCALL(poll, w_poll),
	{0},
};
