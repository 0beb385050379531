/*
 * The files, pipes and descriptors of a world (world.h).
 *
 *  - bytes: contents, each byte known or a term of 8 bits; copies share them until one of them
 *    writes
 *  - a node is the target of a name or a descriptor: a file, a directory, a pipe, a stream (an
 *    inode)
 *  - an open is a position in a node (the kernel's "open file description"); dup() shares it
 *  - names are absolute paths without "." and "..". A name that is not in the table is looked up on
 *    the host at its first use; all copies keep the contents of that time (struct host)
 *
 * files_copy() takes constant time: copies share everything. files_own() copies the tables before a
 * change if they are shared. Lifetime: heap, reference counted, files_drop().
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
	NODE_DIR,    /* its bytes are the entries for getdents64, made when it is first opened */
	NODE_PIPE,   /* bytes before `head` have been read */
	NODE_STREAM, /* standard input, output, error: not seekable */
	NODE_LINK,   /* a symbolic link: its bytes are the target path */
	NODE_NULL,
	NODE_ZERO,
	NODE_RANDOM,
};

struct node {
	enum node_kind kind;
	uint32_t mode;       /* permission bits */
	uint32_t links;      /* number of names */
	uint64_t head;       /* NODE_PIPE: index of the next byte to read */
	struct bytes *bytes; /* NULL: empty */
	uint32_t size;       /* term of 32 bits: how many of the bytes exist; 0 = all */
};

struct open {
	uint32_t node;
	uint32_t refs;       /* number of descriptors; 0 = free entry */
	int flags;           /* of open() */
	uint32_t path;       /* path of open(), in host.paths; 0 = none */
	uint64_t pos;        /* file position in bytes */
};

struct descriptor {
	uint32_t open;       /* FILES_NONE = closed */
	bool cloexec;
};

struct name {
	uint32_t path;       /* in host.paths */
	uint32_t node;       /* FILES_NONE: the program removed the name */
};

#define FILES_NONE UINT32_MAX

enum { FILES_STDIN, FILES_STDOUT, FILES_STDERR }; /* nodes that always exist */

struct host_file {
	int error;           /* of stat: errno, or 0 */
	struct stat st;
	struct bytes *bytes; /* NULL until the file is opened */
};

struct host { /* only grows; shared by all copies */
	uint32_t refs;
	struct intern paths;
	struct map files; /* path -> index in at */
	VEC(struct host_file) at;
	bool closed;      /* no file of the host is visible */
};

struct files {
	uint32_t refs;
	struct host *host;
	VEC(struct node) nodes;
	VEC(struct open) opens;
	VEC(struct descriptor) fds;
	VEC(struct name) names;
	uint32_t cwd;      /* path of the working directory */
	uint32_t umask;
	uint64_t random;   /* state of the generator for /dev/urandom and getrandom() */
};

struct files *files_new(bool host_files);
static inline struct files *files_copy(struct files *f)
{
	f->refs++;
	return f;
}
void files_drop(struct files *f);
/* The files for a change: f if it is not shared, else a copy of the tables (drops f). */
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
/* Writes n bytes at `at`; a gap before them is filled with zeros. *b is unshared first. */
void bytes_write(struct bytes **b, uint64_t at, const uint8_t *known, const uint32_t *terms,
	uint64_t n);
void bytes_truncate(struct bytes **b, uint64_t n);

/* ---- nodes and descriptors; the files are unshared (files_own) ------------------------------- */

/* Adds an empty node. */
uint32_t files_node(struct files *f, enum node_kind kind, uint32_t mode);
uint64_t files_random(struct files *f);
/* Opens the node. Returns the lowest free descriptor that is at least `least`. */
int files_open(struct files *f, uint32_t node, int flags, int least);
/* dup(): the lowest free descriptor that is at least `least`, for the open of fd. */
int files_dup(struct files *f, int fd, int least);
/* dup2(): fd gets the open of `from`; it is closed first. */
void files_dup_to(struct files *f, int from, int fd);
void files_close(struct files *f, int fd);
/* The open of a descriptor, or NULL. */
struct open *files_get(const struct files *f, int64_t fd);
/* The numbers of opens that can read from and write to a pipe. */
void files_ends(const struct files *f, uint32_t node, uint32_t *readers, uint32_t *writers);

/* ---- names ----------------------------------------------------------------------------------- */

/* The absolute path without "." and ".."; a relative path starts at the working directory. */
uint32_t files_path(const struct files *f, const char *path);
const char *files_path_text(const struct files *f, uint32_t path);
/* The path after resolution of the symbolic links that the program made. */
uint32_t files_follow(const struct files *f, uint32_t path);
uint32_t files_parent(const struct files *f, uint32_t path);
/* The node of a path in the table of names, or FILES_NONE. *known: the table has the path, possibly
 * as a removed name. Linear in the names. */
uint32_t files_named(const struct files *f, uint32_t path, bool *known);
void files_name(struct files *f, uint32_t path, uint32_t node);
/* The node of a path; a host file gets one. FILES_NONE with *error. The files are unshared. */
uint32_t files_find(struct files *f, uint32_t path, int *error);
/* stat() of a path, without making a node. Returns 0 or errno. */
int files_stat(const struct files *f, uint32_t path, struct stat *st);
void files_stat_node(const struct files *f, uint32_t node, struct stat *st);
/* The entries of a directory in the format of getdents64. */
struct bytes *files_list(const struct files *f, uint32_t path);

struct hash128; /* machine/state_hash.h */
void files_hash(const struct files *f, struct hash128 *h);

#endif
