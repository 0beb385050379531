/* image_own_hash() is that of the build ID, and that of the contents where there is none. With an argument the
 * hash is printed: the test executes changed copies of itself. */
#include "base/base.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "image/image.h"

#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* The note with the build ID of this executable, in a copy of its file. */
static Elf64_Nhdr *find_note(struct strbuf *file)
{
	static const struct {
		Elf64_Nhdr h;
		char name[4];
	} head = {{4, 20, NT_GNU_BUILD_ID}, ELF_NOTE_GNU};

	assert_int_equal(strbuf_read_file(file, "/proc/self/exe"), 0);
	return memmem(file->s, file->n, &head, sizeof head);
}

/* What the executable prints. */
static uint64_t hash_of(const struct strbuf *file)
{
	char path[] = "/tmp/own-hash-XXXXXX", command[64];
	int fd = mkstemp(path);
	uint64_t h = 0;
	FILE *f;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(file_write(path, file->s, file->n, false), 0);
	assert_int_equal(chmod(path, 0700), 0);
	snprintf(command, sizeof command, "%s print", path);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%" SCNx64, &h), 1);
	assert_int_equal(pclose(f), 0);
	unlink(path);
	return h;
}

static void by_build_id(void **state)
{
	struct strbuf file = {0};
	Elf64_Nhdr *note = find_note(&file);
	uint64_t own = image_own_hash();

	(void)state;
	assert_non_null(note);
	assert_true(own != 0 && own == image_own_hash());
	assert_true(hash_of(&file) == own);
	((char *)(note + 1))[4 + 7] ^= 1;
	assert_true(hash_of(&file) != own);
	strbuf_release(&file);
}

static void by_contents(void **state)
{
	struct strbuf file = {0};
	Elf64_Nhdr *note = find_note(&file);
	uint64_t first;

	(void)state;
	assert_non_null(note);
	note->n_type = 99;
	first = hash_of(&file);
	assert_true(first != 0 && first != image_own_hash());
	((char *)(note + 1))[4 + 7] ^= 1;
	assert_true(hash_of(&file) != first);
	strbuf_release(&file);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_build_id),
		cmocka_unit_test(by_contents),
	};

	(void)argv;
	if (argc > 1) {
		printf("%" PRIx64 "\n", image_own_hash());
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
