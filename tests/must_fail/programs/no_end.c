/*
 * check-name: expected output that does not end
 * must-fail: check-output without check-output-end
 * check-output:
 * one
 */
int main(void)
{
	return 0;
}
