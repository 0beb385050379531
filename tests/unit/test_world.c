/* The outside inside the machine: against what a kernel does, and against the host. */
#include "base/strbuf.h"
#include "sym_run.h"

#include "cli/models.h"
#include "import/import.h"
#include "llvm_text.h"
#include "world/world_internal.h"

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void expect(const char *source, const char *input, const char *output)
{
	struct ir_program *p = sym_compile(source);
	struct strbuf out = {0};

	assert_int_equal(sym_run_known(p, input, input ? strlen(input) : 0, NULL, NULL, &out, NULL),
		EXEC_EXITED);
	assert_string_equal(out.s ? out.s : "", output);
	strbuf_release(&out);
	ir_program_free(p);
}

#define HEAD                                                                                       \
	"#define _GNU_SOURCE\n#include <stdio.h>\n#include <unistd.h>\n#include <fcntl.h>\n"        \
	"#include <string.h>\n#include <errno.h>\n#include <sys/stat.h>\n#include <dirent.h>\n"     \
	"#include <pthread.h>\n#include <poll.h>\n#include <stdlib.h>\n#include <sys/uio.h>\n"

static void files(void **state)
{
	(void)state;
	expect(HEAD "int main(void) { char b[16] = {0}; struct stat st; int fd, e;"
		    "fd = open(\"/tmp/heddle-nowhere\", O_RDWR | O_CREAT | O_EXCL, 0640);"
		    "printf(\"%d\\n\", fd);"
		    "write(fd, \"abcdef\", 6); lseek(fd, 2, SEEK_SET); read(fd, b, 3); puts(b);"
		    "pwrite(fd, \"XY\", 2, 8); fstat(fd, &st);"
		    "printf(\"%ld %o\\n\", (long)st.st_size, st.st_mode);"
		    "printf(\"%d\\n\", (int)pread(fd, b, 16, 5)); printf(\"%d%d\\n\", b[1], b[3]);"
		    "ftruncate(fd, 4); printf(\"%ld\\n\", (long)lseek(fd, 0, SEEK_END));"
		    "e = open(\"/tmp/heddle-nowhere\", O_CREAT | O_EXCL | O_RDWR, 0600);"
		    "printf(\"%d %d\\n\", e, errno == EEXIST);"
		    "rename(\"/tmp/heddle-nowhere\", \"/tmp/heddle-there\");"
		    "printf(\"%d\\n\", access(\"/tmp/heddle-nowhere\", F_OK));"
		    "printf(\"%d\\n\", access(\"/tmp/x/../heddle-there\", R_OK));"
		    "unlink(\"/tmp/heddle-there\"); printf(\"%d\\n\", stat(\"/tmp/heddle-there\", &st));"
		    "printf(\"%d\\n\", (int)pread(fd, b, 16, 0)); close(fd);"
		    "printf(\"%d %d\\n\", (int)read(fd, b, 1), errno == EBADF); return 0; }",
		NULL, "3\ncde\n10 100640\n5\n088\n4\n-1 1\n-1\n0\n-1\n4\n-1 1\n");
	assert_int_not_equal(access("/tmp/heddle-there", F_OK), 0);
	assert_int_not_equal(access("/tmp/heddle-nowhere", F_OK), 0);
}

static void directories(void **state)
{
	(void)state;
	expect(HEAD "int main(void) { DIR *d; struct dirent *e; char b[100]; int n = 0; FILE *f;"
		    "mkdir(\"/tmp/heddle-dir\", 0755); chdir(\"/tmp/heddle-dir\");"
		    "f = fopen(\"one\", \"w\"); fprintf(f, \"%d\\n\", 17); fclose(f);"
		    "f = fopen(\"./../heddle-dir/one\", \"r\"); fscanf(f, \"%d\", &n); fclose(f);"
		    "puts(getcwd(b, sizeof b)); printf(\"%d\\n\", n);"
		    "d = opendir(\".\"); while ((e = readdir(d))) puts(e->d_name); closedir(d);"
		    "printf(\"%d\\n\", rmdir(\"nothing\")); return 0; }",
		NULL, "/tmp/heddle-dir\n17\n.\n..\none\n-1\n");
	assert_int_not_equal(access("/tmp/heddle-dir", F_OK), 0);
}

static void descriptors(void **state)
{
	(void)state;
	expect(HEAD "int main(void) { int p[2], fd, old; char b[10] = {0};"
		    "struct iovec v[2] = {{\"ab\", 2}, {\"cd\\n\", 3}};"
		    "pipe(p); write(p[1], \"hello\", 5); read(p[0], b, 3); puts(b); fflush(stdout);"
		    "close(p[1]); printf(\"%d\", (int)read(p[0], b, 9));"
		    "printf(\"%d\\n\", (int)read(p[0], b, 9)); fflush(stdout);"
		    "old = dup(1); fd = open(\"/tmp/heddle-out\", O_WRONLY | O_CREAT, 0600);"
		    "dup2(fd, 1); puts(\"to the file\"); fflush(stdout); dup2(old, 1);"
		    "writev(1, v, 2); printf(\"%d %d\\n\", fcntl(old, F_GETFD), isatty(1));"
		    "fd = open(\"/tmp/heddle-out\", O_RDONLY); read(fd, b, 6); b[6] = 0; puts(b);"
		    "printf(\"%d\\n\", (int)lseek(0, 0, SEEK_CUR));"
		    "printf(\"%d\\n\", (int)write(0, b, 1)); return 0; }",
		NULL, "hel\n20\nabcd\n0 0\nto the\n-1\n-1\n");
}

static void threads_over_a_pipe(void **state)
{
	(void)state;
	expect(HEAD "static int p[2]; static void *reader(void *a) { char c; int n = 0;"
		    "while (read(p[0], &c, 1) == 1) n += c; return (void *)(long)(n + (a != 0)); }"
		    "int main(void) { pthread_t t; void *r; struct pollfd f;"
		    "pipe(p); pthread_create(&t, 0, reader, 0);"
		    "for (char c = 1; c <= 10; c++) write(p[1], &c, 1);"
		    "f.fd = p[1]; f.events = POLLOUT; printf(\"%d\\n\", poll(&f, 1, 10));"
		    "close(p[1]); pthread_join(t, &r); printf(\"%ld\\n\", (long)r);"
		    "pipe(p); f.fd = p[0]; f.events = POLLIN; printf(\"%d\\n\", poll(&f, 1, 10));"
		    "return 0; }",
		NULL, "1\n55\n0\n");
}

static void a_pipe_that_nobody_writes(void **state)
{
	struct ir_program *p = sym_compile(HEAD "int main(void) { int p[2]; char c; pipe(p);"
						"return (int)read(p[0], &c, 1); }");
	struct strbuf out = {0};

	(void)state;
	assert_int_equal(sym_run_known(p, NULL, 0, NULL, NULL, &out, NULL), EXEC_DEADLOCK);
	assert_non_null(strstr(out.s, "input from a pipe"));
	strbuf_release(&out);
	ir_program_free(p);
}

static void input(void **state)
{
	(void)state;
	expect(HEAD "int main(void) { int a = 0, b = 0; char line[20]; "
		    "scanf(\"%d %d\\n\", &a, &b); fgets(line, sizeof line, stdin);"
		    "printf(\"%d %s\", a + b, line); printf(\"%d\\n\", getchar()); return 0; }",
		"4 5\nrest\n", "9 rest\n-1\n");
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void expect_contents(const struct machine *m, const char *path, const char *text)
{
	const struct files *f = m->world->files;
	bool known;
	const struct bytes *b = f->nodes.at[files_named(f, files_path(f, path), &known)].bytes;

	assert_int_equal(b->n, strlen(text));
	assert_memory_equal(b->known, text, b->n);
}

static void copies_do_not_see_each_other(void **state)
{
	struct world_options wo = {0};
	struct machine a = {.world = world_new(&wo)}, b;

	(void)state;
	world_file(a.world, "/f", (const uint8_t *)"abc", NULL, 3);
	b = (struct machine){.world = world_copy(a.world)};
	world_file(b.world, "/f", (const uint8_t *)"defg", NULL, 4);
	expect_contents(&a, "/f", "abc");
	expect_contents(&b, "/f", "defg");
	world_free(a.world);
	expect_contents(&b, "/f", "defg");
	world_free(b.world);
}

/* ---- against the host ------------------------------------------------------------------------ */

static struct strbuf on_host(const struct ir_program *p, const struct exec_options *opt,
	enum exec_fate *fate, int *status)
{
	char path[] = "/tmp/heddle-world-XXXXXX";
	int fd = mkstemp(path), old = dup(1), in = dup(0), null = open("/dev/null", O_RDONLY);
	int cwd = open(".", O_RDONLY | O_DIRECTORY);
	char *const argv[] = {(char *)"prog", NULL};
	struct exec_result res;
	struct strbuf out = {0};
	FILE *all;
	int c;

	fflush(stdout);
	dup2(fd, 1);
	dup2(null, 0);
	assert_int_equal(exec_run(p, 1, argv, opt, &res), 0);
	dup2(old, 1);
	dup2(in, 0);
	assert_int_equal(fchdir(cwd), 0);
	close(cwd);
	all = fdopen(fd, "r");
	rewind(all);
	while ((c = fgetc(all)) != EOF)
		strbuf_addc(&out, (char)c);
	fclose(all);
	unlink(path);
	close(old);
	close(in);
	close(null);
	*fate = res.fate;
	*status = res.status;
	exec_result_release(&res);
	return out;
}

/* Programs that end by themselves print the same and end with the same status. */
static void programs_as_on_the_host(void **state)
{
	struct exec_options opt = {.max_instructions = 3000000};
	uint32_t same = 0, other = 0;
	glob_t g;

	(void)state;
	assert_int_equal(glob("tests/programs/*.c", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct ir_program *p = ir_program_new();
		struct strbuf bc = {0}, inside = {0}, host = {0};
		enum exec_fate fate;
		int status, again;

		if (llvm_compile(&bc, g.gl_pathv[i], "sroa") &&
			!import_bitcode(p, g.gl_pathv[i], bc.s, bc.n, 0) &&
			!import_bitcode(p, "models", heddle_models_bc, heddle_models_bc_size,
				IMPORT_MODEL | IMPORT_NEEDED)) {
			host = on_host(p, &opt, &fate, &status);
			if (fate == EXEC_EXITED) {
				bool ok = sym_run_known(p, "", 0, NULL, NULL, &inside, &again) ==
						  EXEC_EXITED &&
					  again == status && inside.n == host.n &&
					  (!host.n || !memcmp(inside.s, host.s, host.n));

				if (!ok)
					print_message("# %s: %s\n", g.gl_pathv[i],
						inside.s ? inside.s : "");
				*(ok ? &same : &other) += 1;
			}
		}
		strbuf_release(&inside);
		strbuf_release(&host);
		strbuf_release(&bc);
		ir_program_free(p);
	}
	globfree(&g);
	print_message("# %u programs alike, %u not\n", same, other);
	assert_true(same > 30);
	assert_int_equal(other, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(directories),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(threads_over_a_pipe),
		cmocka_unit_test(a_pipe_that_nobody_writes),
		cmocka_unit_test(input),
		cmocka_unit_test(copies_do_not_see_each_other),
		cmocka_unit_test(programs_as_on_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
