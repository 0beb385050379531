/*
 * The parts of a native link, in its order, as the linker listed them (-t) or, without a list, as
 * they stand on the command line: objects and members of archives with bitcode, those without and
 * why, shared libraries, and what comes with the system.
 * Lifetime: phase; files stay mapped until parts_release.
 */
#ifndef HEDDLE_CC_LINK_PARTS_H
#define HEDDLE_CC_LINK_PARTS_H

#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cc/unit.h"

enum part_kind {
	PART_BITCODE, /* has a unit */
	PART_NATIVE,  /* object of the program without one */
	PART_SHARED,
	PART_SYSTEM, /* start files, members of the system's archives */
};

struct part {
	enum part_kind kind;
	char *name;   /* "main.o", "libx.a(a.o)", or the source of a one-shot command */
	char *path;   /* file, or archive */
	char *why;    /* PART_NATIVE */
	int64_t unit; /* in struct units, if it was compiled by this command; else -1 */
	/* the object, or the archive that has it; NULL if it was compiled by this command */
	const uint8_t *data;
	size_t n;
	const char *bc_path; /* PART_BITCODE from a file: where its bitcode stands */
	uint64_t bc_offset, bc_n;
	int64_t work; /* its number among the worker's units; -1 = none */
};

struct part_file {
	char *path;
	struct file_map map;
};

struct archive {
	char *path;
	uint32_t used;
	VEC(char *) members;
	VEC(uint8_t) is_used; /* by member */
};

struct parts {
	const struct units *units;
	VEC(struct part) at;
	VEC(struct part_file) files;
	VEC(struct archive) archives; /* those of the program, not of the system */
	uint32_t sources;             /* units found in the list so far */
};

void parts_init(struct parts *ps, const struct units *units);
void parts_release(struct parts *ps);
/* Takes the lines of the linker's list out of its output; the other lines go to rest. */
void parts_from_trace(struct parts *ps, const char *text, struct strbuf *rest);
/* Objects and sources of the command line; archives stay native, for nobody knows their part. */
void parts_from_args(struct parts *ps, const struct cc_args *a);
/* Also archives of which the link used nothing. */
void parts_add_archive(struct parts *ps, const char *path);

#endif
