/*
 * check-name: a bug that is not there
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: race main
 * check-force: no, there is none
 * must-fail: check-finds: no finding for 'race main'
 */
int main(void)
{
	return 0; /* BUG: main */
}
