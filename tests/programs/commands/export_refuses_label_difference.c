/*
 * check-name: an initializer that is no relocation is not exported as an extern
 * check-command: heddle export $exe -o $tmp/x.bc; a=$?; test ! -e $tmp/x.bc && exit $a
 * check-exit: 1
 * check-error-contains: export_refuses_label_difference.c:9: error: cannot export 'jump.offsets': its initializer
 */
static int jump(int i)
{
	static const int offsets[] = {&&one - &&one, &&two - &&one};

	goto *(&&one + offsets[i]);
one:
	return 1;
two:
	return 2;
}

int main(int argc, char **argv)
{
	(void)argv;
	return jump(argc) != 2;
}
