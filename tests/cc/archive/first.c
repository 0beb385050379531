int second(int);
int first(int x)
{
	return second(x) + 2;
}
