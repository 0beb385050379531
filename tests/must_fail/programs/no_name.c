/*
 * A file without annotations.
 * must-fail: no check-name
 */
int main(void)
{
	return 0;
}
