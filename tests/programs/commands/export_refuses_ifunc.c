/*
 * check-name: an ifunc is not exported as an external function
 * check-command: heddle export $exe -o $tmp/x.bc; a=$?; test ! -e $tmp/x.bc && exit $a
 * check-exit: 1
 * check-error-contains: cannot export 'number': it is an ifunc
 */
static int one(void)
{
	return 1;
}

static int (*choose(void))(void)
{
	return one;
}

int number(void) __attribute__((ifunc("choose")));

int main(void)
{
	return number() != 1;
}
