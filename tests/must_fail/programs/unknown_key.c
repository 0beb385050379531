/*
 * check-name: an annotation that does not exist
 * check-ouptut-contains: warp
 * must-fail: bad annotation 'check-ouptut-contains': unknown
 */
int main(void)
{
	return 0;
}
