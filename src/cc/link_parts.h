/*
 * The parts of a native link, in the order in which the linker listed them (-t) or, without a list,
 * in the order of the command line: objects and archive members with bitcode, those without and
 * why, shared libraries, and objects of the system. Lifetime: phase; files stay mapped until
 * parts_release().
 */
#ifndef HEDDLE_CC_LINK_PARTS_H
#define HEDDLE_CC_LINK_PARTS_H

#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cc/unit.h"

enum part_kind {
	PART_BITCODE, /* object of the program with bitcode */
	PART_NATIVE,  /* object of the program without bitcode */
	PART_SHARED,  /* shared library */
	PART_SYSTEM,  /* start files, members of archives of the system */
};

struct part {
	enum part_kind kind;
	char *name;   /* "main.o", "libx.a(a.o)", or the source if this command compiled it */
	char *path;   /* of the object or archive */
	char *why;    /* PART_NATIVE: why it has no bitcode */
	int64_t unit; /* index in struct units if this command compiled it; else -1 */
	/* the object, or the archive that has it; NULL if this command compiled it */
	const uint8_t *data;
	size_t n;
	const char *bc_path; /* PART_BITCODE from a file: the file with the bitcode, and where */
	uint64_t bc_offset, bc_n;
	int64_t work; /* its index among the units of the worker; -1 = none */
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
	VEC(struct archive) archives; /* of the program, not of the system */
	uint32_t sources;             /* units found in the list so far */
};

void parts_init(struct parts *ps, const struct units *units);
void parts_release(struct parts *ps);
/* Reads the parts from the output of the linker; lines that are not in its list go to rest. */
void parts_from_trace(struct parts *ps, const char *text, struct strbuf *rest);
/* Objects and sources of the command line. Archives are native, because their used members are
 * unknown. */
void parts_from_args(struct parts *ps, const struct cc_args *a);
/* Adds an archive of which the link used no member. */
void parts_add_archive(struct parts *ps, const char *path);

#endif
