/*
 * The files, pipes and descriptors of a program whose outside lives inside the machine (world.h).
 *
 *  - bytes: contents, each byte known or a term of 8 bits; shared by copies until one writes
 *  - a node is what a name or a descriptor leads to: a file, a directory, a pipe, a stream
 *  - an open is a position in a node (the kernel's "open file description"); dup() shares it
 *  - names are absolute paths without "." and ".."; one that is not in the table is the host's, read
 *    when it is first asked for and kept for all copies as it was then (struct host)
 *
 * files_copy() takes constant time: copies share everything, files_own() makes the tables one's own
 * before a change. Lifetime: heap, files_drop().
 */
#ifndef HEDDLE_WORLD_FILES_H
#define HEDDLE_WORLD_FILES_H

#include "base/map.h"
#include "base/vec.h"

#include <sys/stat.h>

struct bytes {
	uint32_t refs;
	uint64_t n, cap;
	uint8_t *known;
	uint32_t *terms; /* by byte: 0 = known; NULL: all of them are */
};

enum node_kind {
	NODE_FILE,
	NODE_DIR,    /* its bytes are what getdents64 gives, made when it is opened */
	NODE_PIPE,   /* bytes before `head` have been taken */
	NODE_STREAM, /* standard input, output, error: no positions to seek to */
	NODE_LINK,   /* its bytes are the path it stands for */
	NODE_NULL,
	NODE_ZERO,
	NODE_RANDOM,
};

struct node {
	enum node_kind kind;
	uint32_t mode;       /* permission bits */
	uint32_t links;      /* names */
	uint64_t head;
	struct bytes *bytes; /* NULL: empty */
	uint32_t size;       /* a term: how many of the bytes there are; 0 = all */
};

struct open {
	uint32_t node;
	uint32_t refs;       /* descriptors; 0 = free to use again */
	int flags;           /* as given to open() */
	uint32_t path;       /* that it was opened by; 0 = none */
	uint64_t pos;
};

struct descriptor {
	uint32_t open;       /* FILES_NONE = closed */
	bool cloexec;
};

struct name {
	uint32_t path;       /* in host.paths */
	uint32_t node;       /* FILES_NONE: there is no such file any more */
};

#define FILES_NONE UINT32_MAX

enum { FILES_STDIN, FILES_STDOUT, FILES_STDERR }; /* nodes that are always there */

struct host_file {
	int error;           /* of stat: errno, or 0 */
	struct stat st;
	struct bytes *bytes; /* NULL until it is opened */
};

struct host { /* only grows; shared by all copies */
	uint32_t refs;
	struct intern paths;
	struct map files; /* path -> index in at */
	VEC(struct host_file) at;
	bool closed;      /* nothing of the host is to be seen */
};

struct files {
	uint32_t refs;
	struct host *host;
	VEC(struct node) nodes;
	VEC(struct open) opens;
	VEC(struct descriptor) fds;
	VEC(struct name) names;
	uint32_t cwd;      /* path */
	uint32_t umask;
	uint64_t random;   /* state of what /dev/urandom and getrandom() give */
};

struct files *files_new(bool host_files);
static inline struct files *files_copy(struct files *f)
{
	f->refs++;
	return f;
}
void files_drop(struct files *f);
/* The files for a change: the same if they are not shared, or a copy of the tables. */
struct files *files_own(struct files *f);

/* ---- contents -------------------------------------------------------------------------------- */

struct bytes *bytes_new(const uint8_t *known, const uint32_t *terms, uint64_t n);
static inline struct bytes *bytes_share(struct bytes *b)
{
	if (b)
		b->refs++;
	return b;
}
void bytes_drop(struct bytes *b);
/* Writes n bytes at `at`, growing with zeros up to there. *b becomes the caller's own. */
void bytes_write(struct bytes **b, uint64_t at, const uint8_t *known, const uint32_t *terms,
	uint64_t n);
void bytes_truncate(struct bytes **b, uint64_t n);

/* ---- nodes and descriptors; the files are the caller's own ----------------------------------- */

uint32_t files_node(struct files *f, enum node_kind kind, uint32_t mode);
uint64_t files_random(struct files *f);
/* A descriptor, the lowest from `least` on, for a new open of the node. */
int files_open(struct files *f, uint32_t node, int flags, int least);
int files_dup(struct files *f, int fd, int least);
/* fd becomes another name of what `from` is; it is closed first if it is open */
void files_dup_to(struct files *f, int from, int fd);
void files_close(struct files *f, int fd);
/* The open behind a descriptor, or NULL. */
struct open *files_get(const struct files *f, int64_t fd);
/* How many opens can read from, and write to, a pipe. */
void files_ends(const struct files *f, uint32_t node, uint32_t *readers, uint32_t *writers);

/* ---- names ----------------------------------------------------------------------------------- */

/* The absolute path without "." and "..", from the working directory. */
uint32_t files_path(const struct files *f, const char *path);
const char *files_path_text(const struct files *f, uint32_t path);
/* The path that a symbolic link, or a chain of them, which the program made stands for. */
uint32_t files_follow(const struct files *f, uint32_t path);
uint32_t files_parent(const struct files *f, uint32_t path);
/* The node of a path as far as this program has made it, or FILES_NONE; *known is whether the table
 * has it, removed names too. */
uint32_t files_named(const struct files *f, uint32_t path, bool *known);
void files_name(struct files *f, uint32_t path, uint32_t node);
/* What the host has under that path; never NULL. */
const struct host_file *files_host(const struct files *f, uint32_t path);
/* The node, taken from the host if need be; FILES_NONE with *error. The files must be one's own. */
uint32_t files_find(struct files *f, uint32_t path, int *error);
/* The same without making a node: what stat() says. Returns 0 or errno. */
int files_stat(const struct files *f, uint32_t path, struct stat *st);
void files_stat_node(const struct files *f, uint32_t node, struct stat *st);
/* The entries of a directory as getdents64 gives them. */
struct bytes *files_list(const struct files *f, uint32_t path);

#endif
