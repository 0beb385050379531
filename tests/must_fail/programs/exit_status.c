/*
 * check-name: exit status other than the program's
 * check-exit: 1
 * must-fail: status 0, expected 1
 */
int main(void)
{
	return 0;
}
