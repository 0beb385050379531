/*
 * check-name: a local of a loop does not keep its value for the next round
 * check-command: heddle explore -- $exe
 * check-flags: -Wno-uninitialized
 * check-finds: use-of-uninitialized-value round
 */
int main(int argc, char **argv)
{
	int n = 0;

	(void)argv;
#ifdef CORRECT
	int x;
#endif
	for (int i = 0; i < 3; i++) {
#ifndef CORRECT
		int x;
#endif

		if (i == 0)
			x = argc;
		if (x) /* BUG: round */
			n++;
	}
	return n;
}
