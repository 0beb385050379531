/* A recursive-descent parser and evaluator of arithmetic on symbolic text.
 * explore: --sym stdin:6 -- */
#include <unistd.h>

static unsigned char text[7];
static int at, failed;

static int expression(void);

static int factor(void)
{
	int v = 0;

	if (text[at] == '(') {
		at++;
		v = expression();
		if (text[at] == ')')
			at++;
		else
			failed = 1;
		return v;
	}
	if (text[at] < '0' || text[at] > '9')
		failed = 1;
	while (text[at] >= '0' && text[at] <= '9' && !failed)
		v = 10 * v + (text[at++] - '0');
	return v;
}

static int term(void)
{
	int v = factor();

	while (!failed && text[at] == '*') {
		at++;
		v *= factor();
	}
	return v;
}

static int expression(void)
{
	int v = term();

	while (!failed && (text[at] == '+' || text[at] == '-'))
		if (text[at++] == '+')
			v += term();
		else
			v -= term();
	return v;
}

int main(void)
{
	int v;

	if (read(0, text, 6) != 6)
		return 1;
	v = expression();
	if (failed || text[at])
		return 2;
	return v == 42 ? 3 : 0;
}
