/* A decision over more bits than queries are enumerated for. */
#include <heddle/heddle.h>

int main(void)
{
	unsigned a = 1, b = 1;

	heddle_input(&a, sizeof a, "a");
	heddle_input(&b, sizeof b, "b");
	return a > 1000 && a * b == 77777;
}
