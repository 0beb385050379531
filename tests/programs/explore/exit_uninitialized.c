/*
 * check-name: the exit status is a variable that no statement has set
 * check-command: heddle explore -- $exe
 * check-flags: -Wno-uninitialized
 * check-finds: use-of-uninitialized-value *
 */
int main(void)
{
#ifdef CORRECT
	int x = 0;
#else
	int x;
#endif

	return x == 3;
}
