int weave(int threads);
int unused(int x);
