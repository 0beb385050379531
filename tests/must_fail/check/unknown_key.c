/*
 * check-name: an annotation that there is not
 * check-command: heddle check -- $exe
 * check-exit: 0
 * check-finds: nothing
 * check-fnids: nothing
 * must-fail: bad annotation 'check-fnids'
 */
int main(void)
{
	return 0;
}
