/* Files and paths (base/file.h, base/path.h). */
#include "base/base.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_paths(void **state)
{
	static const struct {
		const char *path, *absolute;
	} table[] = {{"/a//b/./c", "/a/b/c"}, {"/a/../b", "/b"}, {"/..", "/"}, {"/a/b/../../..", "/"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char *s = path_absolute(table[i].path);

		assert_string_equal(s, table[i].absolute);
		free(s);
	}
	assert_true(path_is_system("/usr/lib/gcc/x/../libm.a"));
	assert_false(path_is_system("/usr/lib/../../home/x/libm.a"));
	assert_false(path_is_system("/usr/library/x.a"));
}

static void test_map(void **state)
{
	char *path = temporary_path("test", ".txt");
	struct file_map f;
	int fd = mkstemps(path, 4);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(file_map(&f, path), 0);
	assert_int_equal(f.n, 0);
	assert_non_null(f.data);
	file_unmap(&f);
	assert_int_equal(file_write_fd(fd, "loom", 4), 0);
	assert_int_equal(file_map_fd(&f, fd), 0);
	assert_int_equal(f.n, 4);
	assert_memory_equal(f.data, "loom", 4);
	file_unmap(&f);
	close(fd);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(file_map(&f, path), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(file_map(&f, "/tmp"), -1);
	assert_int_equal(errno, EINVAL);
	free(path);
}

static void test_directories(void **state)
{
	char *dir = temporary_directory("test"), *deep, *file;

	(void)state;
	assert_non_null(dir);
	deep = xasprintf("%s/a/b", dir);
	file = xasprintf("%s/c", deep);
	assert_int_equal(make_directories(deep), 0);
	assert_int_equal(make_directories("/"), 0);
	assert_int_equal(make_directories(""), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(file_write(file, "x", 1, false), 0);
	assert_true(file_is_regular(file));
	remove_directory(dir);
	assert_int_equal(access(dir, F_OK), -1);
	remove_directory(dir);
	free(file);
	free(deep);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
