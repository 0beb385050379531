/*
 * check-name: a program that fails without saying so
 * must-fail: natively status 3, expected 0
 */
int main(void)
{
	return 3;
}
