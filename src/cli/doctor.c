/*
 * `heddle doctor`: checks that this computer has what the other commands need, and prints what is
 * missing and how to get it. Each check prints one line; only a defect that makes heddle unusable
 * is a failure.
 */
#include "cli/command.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/file.h"
#include "config.h"
#include "smt/z3_solver.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum verdict { FINE, POOR, BAD }; /* POOR: usable, with the drawback in the message */

struct doctor {
	int bad;
};

static const struct opt doctor_opts[] = {OPT_END};

static void print_check(struct doctor *d, const char *subject, enum verdict v, const char *fmt, ...)
	PRINTF(4, 5);

static void print_check(struct doctor *d, const char *subject, enum verdict v, const char *fmt, ...)
{
	static const char *const names[] = {"ok", "note", "MISSING"};
	va_list ap;

	d->bad += v == BAD;
	printf("%-10s %-8s ", subject, names[v]);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* ---- queries to the system --------------------------------------------------------------- */

/* Runs a command and keeps the first line of its standard output and error. Returns its exit
 * status; -1 if it did not start or a signal ended it. */
static int output_of(char *const *argv, struct strbuf *out)
{
	posix_spawn_file_actions_t fa;
	extern char **environ;
	int p[2], status = -1, rc;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC))
		return -1;
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, p[1], 1);
	posix_spawn_file_actions_adddup2(&fa, p[1], 2);
	rc = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	close(p[1]);
	if (!rc) {
		strbuf_read_fd(out, p[0]);
		waitpid(pid, &status, 0);
		rc = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	} else {
		rc = -1;
	}
	close(p[0]);
	if (out->n)
		out->s[strcspn(out->s, "\n")] = 0;
	return rc;
}

/* Reads a file with one number, as in /proc/sys; false if there is no number ("max"). */
static bool file_number(const char *path, uint64_t *n)
{
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return false;
	ok = fscanf(f, "%" SCNu64, n) == 1;
	fclose(f);
	return ok;
}

static char *human_size(uint64_t n)
{
	static const char units[] = "KMGT";
	double x = (double)n / 1024;
	int u = 0;

	for (; x >= 1024 && units[u + 1]; u++)
		x /= 1024;
	return xasprintf("%.1f %ciB", x, units[u]);
}

/* ---- checks ------------------------------------------------------------------------------ */

static void check_tool(struct doctor *d, const char *subject, const char *path, const char *package)
{
	struct strbuf b = {0};

	if (output_of((char *[]){(char *)path, "--version", NULL}, &b))
		print_check(d, subject, BAD, "'%s' does not run (apt install %s)", path, package);
	else
		print_check(d, subject, FINE, "%s (%s)", b.n ? b.s : "", path);
	strbuf_release(&b);
}

static void check_debugger(struct doctor *d)
{
	struct strbuf b = {0};

	if (output_of((char *[]){"gdb", "--version", NULL}, &b))
		print_check(d, "debugger", POOR,
			"gdb not found; only 'heddle replay --gdb' needs it (apt install gdb)");
	else
		print_check(d, "debugger", FINE, "%s", b.n ? b.s : "gdb");
	strbuf_release(&b);
}

static void check_cores(struct doctor *d)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
	FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
	double quota, period;

	if (f && fscanf(f, "%lf %lf", &quota, &period) == 2 && quota / period < n)
		print_check(d, "cores", FINE, "%d, limited by the container to %.1f", n,
			quota / period);
	else
		print_check(d, "cores", FINE, "%d", n);
	if (f)
		fclose(f);
}

static uint64_t memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	uint64_t kib = 0, limit, used;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (f)
		fclose(f);
	if (file_number("/sys/fs/cgroup/memory.max", &limit) &&
		file_number("/sys/fs/cgroup/memory.current", &used))
		return MIN(kib << 10, limit > used ? limit - used : 0);
	return kib << 10;
}

static void check_memory(struct doctor *d)
{
	uint64_t n = memory_available();
	char *size = human_size(n);

	if (n < 1ull << 30)
		print_check(
			d, "memory", POOR, "%s available; large programs need 1 GiB or more", size);
	else
		print_check(d, "memory", FINE, "%s available", size);
	free(size);
}

static void check_disk(struct doctor *d, const char *subject, const char *path)
{
	struct statvfs v;
	uint64_t n;
	char *size;

	if (statvfs(path, &v)) {
		print_check(d, subject, BAD, "'%s': %s", path, strerror(errno));
		return;
	}
	n = (uint64_t)v.f_bavail * v.f_frsize;
	size = human_size(n);
	if (access(path, W_OK))
		print_check(d, subject, BAD, "'%s' is not writable", path);
	else if (n < 256 << 20)
		print_check(
			d, subject, POOR, "%s free in '%s'; recordings may need more", size, path);
	else
		print_check(d, subject, FINE, "%s free in '%s'", size, path);
	free(size);
}

static void check_kernel(struct doctor *d)
{
	struct utsname u;
	uint64_t n;
	int old;

	uname(&u);
	if (strcmp(u.machine, "x86_64"))
		print_check(d, "kernel", BAD, "%s %s on '%s'; programs are built for x86_64",
			u.sysname, u.release, u.machine);
	else
		print_check(d, "kernel", FINE, "%s %s %s", u.sysname, u.release, u.machine);
	if (file_number("/proc/sys/vm/overcommit_memory", &n) && n == 2)
		print_check(d, "memory", POOR,
			"vm.overcommit_memory is 2: large mappings may be refused");
	if (file_number("/proc/sys/kernel/yama/ptrace_scope", &n) && n >= 2)
		print_check(d, "debugger", POOR,
			"kernel.yama.ptrace_scope is %" PRIu64 ": no debugger can attach", n);
	old = personality(0xffffffff);
	if (old >= 0 && personality((unsigned long)old | ADDR_NO_RANDOMIZE) < 0)
		print_check(d, "addresses", POOR,
			"the container does not allow disabling address randomization; "
			"addresses differ between runs");
	else if (old >= 0)
		personality((unsigned long)old);
}

/* End-to-end test: builds a program by heddle-cc and executes it by `heddle exec`. */
static void check_trial(struct doctor *d)
{
	static const char source[] =
		"#include <pthread.h>\n#include <stdio.h>\n"
		"static void *run(void *p) { return p; }\n"
		"int main(void) { pthread_t t; return pthread_create(&t, 0, run, 0)"
		" || pthread_join(t, 0) || puts(\"woven\") < 0; }\n";
	char *dir = temporary_path("doctor", ""), *c, *exe;
	struct strbuf b = {0};
	FILE *f;

	if (!mkdtemp(dir)) { /* the check 'temporary' has reported the reason */
		free(dir);
		return;
	}
	c = xasprintf("%s/trial.c", dir);
	exe = xasprintf("%s/trial", dir);
	if ((f = fopen(c, "we"))) {
		fputs(source, f);
		fclose(f);
	}
	if (output_of((char *[]){"/proc/self/exe", "cc", "-pthread", c, "-o", exe, NULL}, &b))
		print_check(d, "trial", BAD, "heddle-cc cannot build a program: %s",
			b.n ? b.s : "it crashed");
	else if (b.n)
		print_check(d, "trial", BAD, "heddle-cc builds only a native program: %s", b.s);
	else if (output_of((char *[]){"/proc/self/exe", "exec", exe, NULL}, &b) ||
		 strcmp(b.s, "woven"))
		print_check(d, "trial", BAD, "heddle cannot run a program that heddle-cc built: %s",
			b.n ? b.s : "it crashed");
	else
		print_check(d, "trial", FINE, "built and ran a program with threads");
	unlink(c);
	unlink(exe);
	rmdir(dir);
	strbuf_release(&b);
	free(exe);
	free(c);
	free(dir);
}

static int doctor_run(void *args, int argc, char **argv)
{
	struct doctor d = {0};

	(void)args, (void)argc, (void)argv;
	print_check(&d, "heddle", FINE, "%s, for LLVM %s", HEDDLE_VERSION, HEDDLE_LLVM_VERSION);
	check_tool(&d, "compiler", HEDDLE_CLANG, "clang-" HEDDLE_LLVM_MAJOR_STR);
	check_tool(&d, "linker", HEDDLE_LLD, "lld-" HEDDLE_LLVM_MAJOR_STR);
	print_check(&d, "solver", FINE, "Z3 %s", z3_version());
	check_debugger(&d);
	check_cores(&d);
	check_memory(&d);
	check_disk(&d, "disk", ".");
	check_disk(&d, "temporary", temporary_root());
	check_kernel(&d);
	check_trial(&d);
	if (d.bad) {
		error_("%d requirement%s missing (marked MISSING above)", d.bad,
			d.bad == 1 ? " is" : "s are");
		return STATUS_FAILED;
	}
	return STATUS_NOTHING;
}

const struct command cmd_doctor = {
	.synopsis = "",
	.about = "Checks whether this machine has what heddle needs: compiler, linker, solver,\n"
		 "cores, memory, disk and kernel. Names the package of each missing part. The\n"
		 "exit code is 0 if nothing is missing.",
	.opts = doctor_opts,
	.run = doctor_run,
};
