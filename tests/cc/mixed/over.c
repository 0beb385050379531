int over(int a, int b)
{
	return a / b;
}
