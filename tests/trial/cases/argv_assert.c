/*
 * check-name: an assertion behind an argument
 * explore: --sym argv[1]:4
 * args: abc
 * test: {"argv": ["x", "key"], "outcome": {"fate": "fault", "kind": "assert", "line": 15}}
 * says: same: the main thread failed: .*Assertion `argv\[1\]\[2\] != 'y'' failed
 * test: {"argv": ["x", "kez"], "outcome": {"fate": "exited", "status": 2}}
 * says: same: exited with 2
 * test: {"argv": ["x", "kez"], "outcome": {"fate": "fault", "kind": "assert", "line": 15}}
 * says: gone: exited with 2; expected: fails: assertion failure
 */
#include <assert.h>
int main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == 'k' && argv[1][1] == 'e') { assert(argv[1][2] != 'y');
		return 2; }
	return argc > 1 && argv[1][0] == 'q';
}
