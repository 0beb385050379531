/*
 * check-name: a program without a bug, and another exit code expected
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: nothing
 * must-fail: status 0, expected 66
 */
int main(void)
{
	return 0;
}
