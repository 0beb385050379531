int third(int x)
{
	return x;
}
