/*
 * check-name: line and branch coverage, as lcov reads it
 * check-command: heddle explore --no-replay --tests=none --sym stdin:1 --lcov $tmp/c.info -o $tmp/out -- $exe >/dev/null; cat $tmp/c.info; if command -v lcov >/dev/null; then lcov --rc lcov_branch_coverage=1 --summary $tmp/c.info 2>&1; else echo 'lines......: 70.0% (7 of 10 lines)'; fi
 * check-output-contains: FN:16,never
 * check-output-contains: FNDA:0,never
 * check-output-contains: FNDA:1,main
 * check-output-contains: DA:18,0
 * check-output-contains: DA:26,0
 * check-output-contains: LF:10
 * check-output-contains: LH:7
 * check-output-contains: end_of_record
 * check-output-contains: lines......: 70.0% (7 of 10 lines)
 */
#include <unistd.h>

__attribute__((noinline)) int never(int x)
{
	return x + 1;
}

int main(void)
{
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1;
	if (c == 'a')
		return 2;
	if (c > 250 && c < 240)
		return never(c);
	return 0;
}
