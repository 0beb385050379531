/*
 * check-name: a value that makes no sense
 * check-switch: sometimes
 * must-fail: bad annotation 'check-switch'
 */
int main(void)
{
	return 0;
}
