/*
 * check-name: a text that heddle does not say
 * check-error-contains: use after free
 * must-fail: 'use after free' is not in the error
 */
int main(void)
{
	return 0;
}
