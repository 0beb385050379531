namespace loom {
template <typename T> T times(T a, T b)
{
	return a * b;
}
}

extern "C" int times(int a, int b)
{
	return loom::times(a, b);
}
