/*
 * check-name: a table by letters, beside other tables
 * check-command: heddle explore --sym stdin:1 -- $exe
 * check-finds: global-buffer-overflow letter
 */
#include <ctype.h>
#include <unistd.h>

int before[40];
int count[26];
int after[40];

int main(void)
{
	unsigned char c;

	if (read(0, &c, 1) != 1)
		return 1;
#ifdef CORRECT
	if (c < 'a' || c > 'z')
#else
	if (c < 'a' || c > 'z' + 2)
#endif
		return 2;
	count[c - 'a']++; /* BUG: letter */
	return before[0] + after[0] + count['q' - 'a'] != (c == 'q');
}
