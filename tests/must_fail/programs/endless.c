/*
 * check-name: a program that does not end
 * check-timeout: 1
 * must-fail: no end after 1 s
 */
int main(void)
{
	for (volatile int i = 0;; i++)
		;
}
