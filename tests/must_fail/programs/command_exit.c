/*
 * check-name: a command with another exit code
 * check-command: heddle exec -- $exe
 * check-exit: 66
 * must-fail: status 0, expected 66
 */
int main(void)
{
	return 0;
}
