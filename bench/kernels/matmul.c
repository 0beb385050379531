/* Dense matrix product in doubles: indexed loads, multiply-add. */
#include <stdio.h>

enum { N = 120 };
static double a[N][N], b[N][N], c[N][N];

int main(void)
{
	double trace = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = (i * 7 + j) % 13;
			b[i][j] = (i + j * 5) % 11;
		}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double s = 0;

			for (int k = 0; k < N; k++)
				s += a[i][k] * b[k][j];
			c[i][j] = s;
		}
	for (int i = 0; i < N; i++)
		trace += c[i][i];
	printf("%d\n", (int)trace);
	return 0;
}
