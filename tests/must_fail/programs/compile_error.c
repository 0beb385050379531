/*
 * check-name: a program that does not compile
 * must-fail: heddle-cc: status 1
 */
int main(void)
{
	return no_such_name;
}
