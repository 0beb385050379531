int fourth(int x)
{
	return x;
}
