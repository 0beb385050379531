/*
 * check-name: a label that no line has
 * check-command: heddle check -- $exe
 * check-exit: 66
 * check-finds: race nowhere
 * must-fail: not a kind and a label that a line has
 */
int main(void)
{
	return 0;
}
