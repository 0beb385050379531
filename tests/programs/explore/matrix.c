/*
 * check-name: two indices, one too large
 * check-command: heddle explore --sym stdin:2 -- $exe
 * check-finds: global-buffer-overflow cell
 */
#include <unistd.h>

static int matrix[3][4];

int main(void)
{
	unsigned char c[2];
	unsigned row, col;

	if (read(0, c, 2) != 2)
		return 1;
	row = c[0] % 4;
	col = c[1] % 4;
#ifdef CORRECT
	if (row == 3)
		return 2;
#endif
	matrix[row][col] = 1; /* BUG: cell */
	return 0;
}
