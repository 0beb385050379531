int first(int);
int main(void)
{
	return first(20) - 42;
}
