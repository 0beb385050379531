#include "cli/hang_detector.h"

#include "base/strbuf.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { LOOKS = 5 };

static bool read_small(pid_t pid, const char *tid, const char *name, char *to, size_t n)
{
	char path[96];
	FILE *f;
	size_t k;

	snprintf(path, sizeof path, "/proc/%d/task/%s/%s", (int)pid, tid, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	k = fread(to, 1, n - 1, f);
	to[k] = 0;
	fclose(f);
	return k > 0;
}

/* Whether the thread is in a futex wait without a time limit. */
static bool waits_for_ever(pid_t pid, const char *tid)
{
	unsigned long long op, timeout;
	char text[256];
	long nr;

	if (!read_small(pid, tid, "syscall", text, sizeof text))
		return false;
	if (sscanf(text, "%ld %*x %llx %*x %llx", &nr, &op, &timeout) != 3 || nr != SYS_futex)
		return false;
	op &= FUTEX_CMD_MASK;
	return !timeout && (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI);
}

static uint64_t get_field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* The number of its context switches: it does not change while the thread is blocked. */
static uint64_t count_switches(pid_t pid, const char *tid)
{
	char text[4096];

	if (!read_small(pid, tid, "status", text, sizeof text))
		return 0;
	return get_field(text, "\nvoluntary_ctxt_switches:") +
	       get_field(text, "\nnonvoluntary_ctxt_switches:");
}

bool hang_detector_look(struct hang_detector *h, pid_t pid)
{
	struct hang_detector now = {0};
	char path[64];
	struct dirent *d;
	bool all = true;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while (all && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		all = waits_for_ever(pid, d->d_name);
		now.nthreads++;
		now.work += count_switches(pid, d->d_name);
	}
	closedir(dir);
	if (all && now.nthreads && now.nthreads == h->nthreads && now.work == h->work)
		now.still = h->still + 1;
	*h = now;
	return now.still >= LOOKS;
}
