/*
 * check-name: a text that heddle does not say
 * check-error-contains: heap-use-after-free
 * must-fail: 'heap-use-after-free' is not in the error
 */
int main(void)
{
	return 0;
}
