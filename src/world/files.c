/* Contents, nodes and descriptors. */
#include "world/files.h"

#include "base/base.h"
#include "machine/state_hash.h"
#include "base/hash.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* ---- contents -------------------------------------------------------------------------------- */

struct bytes *bytes_new(const uint8_t *known, const uint32_t *terms, uint64_t n)
{
	struct bytes *b = xcalloc(1, sizeof *b);

	b->refs = 1;
	bytes_write(&b, 0, known, terms, n);
	return b;
}

void bytes_drop(struct bytes *b)
{
	if (!b || --b->refs)
		return;
	free(b->known);
	free(b->terms);
	free(b);
}

static void bytes_own(struct bytes **b)
{
	struct bytes *old = *b;

	if (old && old->refs == 1)
		return;
	*b = old ? bytes_new(old->known, old->terms, old->n) : bytes_new(NULL, NULL, 0);
	bytes_drop(old);
}

static void bytes_grow(struct bytes *b, uint64_t n)
{
	if (n > b->cap) {
		uint64_t cap = MAX(MAX(n, 2 * b->cap), 64ull);

		b->known = xrealloc(b->known, cap);
		if (b->terms)
			b->terms = xrealloc(b->terms, cap * sizeof *b->terms);
		b->cap = cap;
	}
	if (n <= b->n)
		return;
	memset(b->known + b->n, 0, n - b->n);
	if (b->terms)
		memset(b->terms + b->n, 0, (n - b->n) * sizeof *b->terms);
	b->n = n;
}

static bool any_term(const uint32_t *terms, uint64_t n)
{
	for (uint64_t i = 0; terms && i < n; i++)
		if (terms[i])
			return true;
	return false;
}

void bytes_write(struct bytes **to, uint64_t at, const uint8_t *known, const uint32_t *terms,
	uint64_t n)
{
	struct bytes *b;

	bytes_own(to);
	b = *to;
	if (!n)
		return;
	bytes_grow(b, at + n);
	memcpy(b->known + at, known, n);
	if (!b->terms && any_term(terms, n))
		b->terms = xcalloc(b->cap, sizeof *b->terms);
	if (b->terms && terms)
		memcpy(b->terms + at, terms, n * sizeof *terms);
	else if (b->terms)
		memset(b->terms + at, 0, n * sizeof *terms);
}

void bytes_truncate(struct bytes **to, uint64_t n)
{
	bytes_own(to);
	if (n > (*to)->n)
		bytes_grow(*to, n);
	(*to)->n = n;
}

/* ---- the tables ------------------------------------------------------------------------------ */

static void host_drop(struct host *h)
{
	if (--h->refs)
		return;
	vec_each (&h->at, i)
		bytes_drop(h->at.at[i].bytes);
	vec_release(&h->at);
	map_release(&h->files);
	intern_release(&h->paths);
	free(h);
}

struct files *files_new(bool host_files)
{
	struct files *f = xcalloc(1, sizeof *f);
	char cwd[PATH_MAX];

	f->refs = 1;
	f->host = xcalloc(1, sizeof *f->host);
	f->host->refs = 1;
	f->host->closed = !host_files;
	intern_init(&f->host->paths);
	f->cwd = intern_str(&f->host->paths, getcwd(cwd, sizeof cwd) ? cwd : "/");
	f->umask = 022;
	f->random = 1;
	for (int fd = FILES_STDIN; fd <= FILES_STDERR; fd++)
		files_open(f, files_node(f, NODE_STREAM, 0600), fd ? O_WRONLY : O_RDONLY, 0);
	return f;
}

void files_drop(struct files *f)
{
	if (!f || --f->refs)
		return;
	vec_each (&f->nodes, i)
		bytes_drop(f->nodes.at[i].bytes);
	vec_release(&f->nodes);
	vec_release(&f->opens);
	vec_release(&f->fds);
	vec_release(&f->names);
	host_drop(f->host);
	free(f);
}

#define COPY_VEC(to, from)                                                                         \
	do {                                                                                       \
		vec_resize(to, (from)->n);                                                         \
		if ((from)->n)                                                                     \
			memcpy((to)->at, (from)->at, (from)->n * sizeof *(from)->at);              \
	} while (0)

struct files *files_own(struct files *f)
{
	struct files *c;

	if (f->refs == 1)
		return f;
	c = xcalloc(1, sizeof *c);
	c->refs = 1;
	c->host = f->host;
	c->host->refs++;
	c->cwd = f->cwd;
	c->umask = f->umask;
	c->random = f->random;
	COPY_VEC(&c->nodes, &f->nodes);
	COPY_VEC(&c->opens, &f->opens);
	COPY_VEC(&c->fds, &f->fds);
	COPY_VEC(&c->names, &f->names);
	vec_each (&c->nodes, i)
		bytes_share(c->nodes.at[i].bytes);
	files_drop(f);
	return c;
}

/* ---- nodes and descriptors ------------------------------------------------------------------- */

uint32_t files_node(struct files *f, enum node_kind kind, uint32_t mode)
{
	vec_push(&f->nodes, (struct node){.kind = kind, .mode = mode});
	return f->nodes.n - 1;
}

uint64_t files_random(struct files *f)
{
	f->random += 0x9e3779b97f4a7c15ull;
	return hash_u64(f->random);
}

static int lowest_fd(struct files *f, int least)
{
	uint32_t fd = (uint32_t)least;

	while (fd < f->fds.n && f->fds.at[fd].open != FILES_NONE)
		fd++;
	while (f->fds.n <= fd)
		vec_push(&f->fds, (struct descriptor){.open = FILES_NONE});
	return (int)fd;
}

int files_open(struct files *f, uint32_t node, int flags, int least)
{
	int fd = lowest_fd(f, least);
	uint32_t o = 0;

	while (o < f->opens.n && f->opens.at[o].refs)
		o++;
	if (o == f->opens.n)
		vec_push(&f->opens, (struct open){0});
	f->opens.at[o] = (struct open){.node = node, .refs = 1, .flags = flags & ~O_CLOEXEC};
	f->fds.at[fd] = (struct descriptor){o, flags & O_CLOEXEC};
	return fd;
}

int files_dup(struct files *f, int fd, int least)
{
	int to = lowest_fd(f, least);

	files_dup_to(f, fd, to);
	return to;
}

void files_dup_to(struct files *f, int from, int fd)
{
	uint32_t o = f->fds.at[from].open;

	f->opens.at[o].refs++;
	files_close(f, fd);
	while (f->fds.n <= (uint32_t)fd)
		vec_push(&f->fds, (struct descriptor){.open = FILES_NONE});
	f->fds.at[fd] = (struct descriptor){.open = o};
}

/* Releases the contents of a node without names and opens. Reports need the three streams. */
static void release_node(struct files *f, uint32_t node)
{
	struct node *n = &f->nodes.at[node];

	if (n->links || node <= FILES_STDERR)
		return;
	vec_each (&f->opens, o)
		if (f->opens.at[o].refs && f->opens.at[o].node == node)
			return;
	bytes_drop(n->bytes);
	n->bytes = NULL;
}

void files_close(struct files *f, int fd)
{
	struct open *o = files_get(f, fd);

	if (!o)
		return;
	f->fds.at[fd].open = FILES_NONE;
	if (!--o->refs)
		release_node(f, o->node);
}

struct open *files_get(const struct files *f, int64_t fd)
{
	if (fd < 0 || fd >= f->fds.n || f->fds.at[fd].open == FILES_NONE)
		return NULL;
	return &f->opens.at[f->fds.at[fd].open];
}

void files_ends(const struct files *f, uint32_t node, uint32_t *readers, uint32_t *writers)
{
	*readers = *writers = 0;
	vec_each (&f->opens, i) {
		const struct open *o = &f->opens.at[i];

		if (!o->refs || o->node != node)
			continue;
		*readers += (o->flags & O_ACCMODE) != O_WRONLY;
		*writers += (o->flags & O_ACCMODE) != O_RDONLY;
	}
}

/* ---- hash ------------------------------------------------------------------------------------ */

static void hash_contents(const struct bytes *b, struct hash128 *h)
{
	hash128_add(h, b ? b->n : 0);
	if (!b)
		return;
	hash128_bytes(h, b->known, b->n);
	if (b->terms)
		hash128_bytes(h, b->terms, b->n * sizeof *b->terms);
}

void files_hash(const struct files *f, struct hash128 *h)
{
	vec_each (&f->nodes, i) {
		const struct node *n = &f->nodes.at[i];

		hash128_add(h, (uint64_t)n->kind << 32 | n->mode);
		hash128_add(h, (uint64_t)n->links << 32 | n->size);
		hash128_add(h, n->head);
		hash_contents(n->bytes, h);
	}
	vec_each (&f->opens, i) {
		const struct open *o = &f->opens.at[i];

		hash128_add(h, (uint64_t)o->node << 32 | o->refs);
		hash128_add(h, (uint64_t)(uint32_t)o->flags << 32 | o->path);
		hash128_add(h, o->pos);
	}
	vec_each (&f->fds, i)
		hash128_add(h, (uint64_t)f->fds.at[i].open << 1 | f->fds.at[i].cloexec);
	vec_each (&f->names, i)
		hash128_add(h, (uint64_t)f->names.at[i].path << 32 | f->names.at[i].node);
	hash128_add(h, (uint64_t)f->cwd << 32 | f->umask);
	hash128_add(h, f->random);
}
