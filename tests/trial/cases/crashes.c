/*
 * check-name: crashes by kind
 * explore: --sym argv[1]:1
 * args: x
 * paths: 8
 * machine-only: 1
 * test: {"argv": ["x", "d"], "outcome": {"fate": "fault", "kind": "division"}}
 * says: same: SIGFPE in the main thread
 * test: {"argv": ["x", "n"], "outcome": {"fate": "fault", "kind": "null"}}
 * says: same: SIGSEGV in the main thread
 * test: {"argv": ["x", "a"], "outcome": {"fate": "fault", "kind": "abort"}}
 * says: same: the main thread failed: abort
 * test: {"argv": ["x", "f"], "outcome": {"fate": "fault", "kind": "double-free"}}
 * says: same: the main thread freed a block twice
 * test: {"argv": ["x", "t"], "outcome": {"fate": "fault", "kind": "trap"}}
 * says: same: SIG(ILL|TRAP)
 * test: {"argv": ["x", "c"], "outcome": {"fate": "fault", "kind": "null-call"}}
 * says: same: SIGSEGV
 * test: {"argv": ["x", "o"], "outcome": {"fate": "fault", "kind": "stack-buffer-overflow"}}
 * says: machine only: exited with 0; expected: fails: stack buffer overflow, which was seen on heddle's machine; the real program shows no sign of it
 * test: {"argv": ["x", "d"], "outcome": {"fate": "exited", "status": 0}}
 * says: different: was killed by SIGFPE .*; expected: exits with 0
 */
#include <stdlib.h>

static int divide(int by)
{
	return 7 / by;
}

int main(int argc, char **argv)
{
	int *volatile p = malloc(4);
	void (*volatile f)(void) = NULL;
	int a[3] = {1, 2, 3};
	volatile int three = 3;
	char what = argc > 1 ? argv[1][0] : 0;

	switch (what) {
	case 'd': return divide(argc - 2);
	case 'n':
		free(p);
		p = NULL;
		return *p;
	case 'a': abort();
	case 'f':
		free(p);
		free(p);
		return 1;
	case 't': __builtin_trap();
	case 'c': f(); return 1;
	case 'o': return (a[three] & 0) + a[1] - 2;
	default: free(p);
	}
	return 0;
}
