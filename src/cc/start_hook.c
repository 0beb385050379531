#include "cc/start_hook.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/vec.h"
#include "cc/relink.h"
#include "object/tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const unsigned char heddle_start_plain[];
extern const uint64_t heddle_start_plain_size;

/* The text that start_plain.c has in the place of the path of heddle, and the size of that place.
 */
static const char path_mark[] = "@heddle-path@";
enum { PATH_ROOM = 512 };

static bool forbids_hook(const char *word)
{
	static const char *const exact[] = {"-nostdlib", "-nostartfiles", "-nodefaultlibs",
		"-nolibc", "-m32", "-mx32", "-T", "-target", "-shared", "-r"};
	static const char *const prefix[] = {"-T", "--target="};

	for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
		if (!strcmp(word, exact[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefix); i++)
		if (!strncmp(word, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

static void check_linker_word(void *ctx, const char *word)
{
	static const char *const odd[] = {
		"-shared", "-Bshareable", "-r", "--relocatable", "-T", "--script", "-e", "--entry"};

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		size_t n = strlen(odd[i]);

		if (!strncmp(word, odd[i], n) &&
			(!word[n] || word[n] == '=' || !strcmp(odd[i], "-T")))
			*(bool *)ctx = true;
	}
}

static bool wants_hook(const struct cc_args *a)
{
	bool odd = a->traits & (CC_PARTIAL | CC_SHARED);

	vec_each (&a->at, i)
		odd |= !a->at.at[i].input && forbids_hook(a->at.at[i].text);
	each_linker_word(a, check_linker_word, &odd);
	return !odd;
}

/* A copy of the object with the path of heddle in it. */
static char *make_object(void)
{
	size_t n = heddle_start_plain_size;
	char *copy = xmalloc(n), *at, *heddle = tool_worker();

	memcpy(copy, heddle_start_plain, n);
	at = memmem(copy, n, path_mark, sizeof path_mark - 1);
	BUG_ON(!at);
	memset(at, 0, sizeof path_mark - 1);
	if (heddle && heddle[0] == '/' && strlen(heddle) < PATH_ROOM)
		memcpy(at, heddle, strlen(heddle));
	free(heddle);
	return copy;
}

char *start_hook_make(const struct cc_args *a)
{
	char *path, *object;
	int fd;

	if (!wants_hook(a))
		return NULL;
	path = temporary_path("start", ".o");
	fd = mkstemps(path, 2);
	object = make_object();
	if (fd < 0 || file_write_fd(fd, object, heddle_start_plain_size)) {
		warn_("cannot write '%s': %s (the program will ignore HEDDLE_OPTIONS)", path,
			strerror(errno));
		if (fd >= 0)
			unlink(path);
		free(path);
		path = NULL;
	}
	if (fd >= 0)
		close(fd);
	free(object);
	return path;
}

void start_hook_remove(char *path)
{
	if (path)
		unlink(path);
	free(path);
}

void start_hook_hide(const char *path, struct strbuf *list)
{
	size_t n = path ? strlen(path) : 0;
	char *at = n && list->n ? memmem(list->s, list->n, path, n) : NULL;

	if (!at || at[n] != '\n' || (at > list->s && at[-1] != '\n'))
		return;
	memmove(at, at + n + 1, list->n - (size_t)(at - list->s) - n);
	list->n -= n + 1;
}
