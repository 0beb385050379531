/*
 * check-name: memory errors on a heap that no other thread sees
 * explore: --sym argv[1]:1
 * args: x
 * paths: 5
 * machine-only: 1
 * test: {"argv": ["x", "o"], "outcome": {"fate": "fault", "kind": "overflow"}}
 * says: same: was killed by SIGSEGV in the main thread
 * test: {"argv": ["x", "u"], "outcome": {"fate": "fault", "kind": "use-after-free"}}
 * says: same: was killed by SIGSEGV in the main thread
 * test: {"argv": ["x", "w"], "outcome": {"fate": "fault", "kind": "use-after-free"}}
 * says: same: was killed by SIGSEGV in the main thread
 * test: {"argv": ["x", "s"], "outcome": {"fate": "fault", "kind": "overflow"}}
 * says: machine only: exited with 0; expected: fails: heap overflow, which was seen on heddle's machine; the real program shows no sign of it
 */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int *p = malloc(8 * sizeof *p), v = 0;
	char *s = malloc(10), what = argc > 1 ? argv[1][0] : 0;
	volatile int eight = 8;

	memset(p, 0, 8 * sizeof *p);
	strcpy(s, "012345678");
	p = realloc(p, 12 * sizeof *p);
	switch (what) {
	case 'o': v = p[eight + 4]; break;
	case 'u':
		free(p);
		return p[1];
	case 'w':
		free(s);
		s[0] = 'x';
		break;
	case 's': s[eight + 2] = 0; break;
	default: break;
	}
	free(p);
	free(s);
	return v;
}
