#include "loom.h"

int unused(int x)
{
	return x;
}
