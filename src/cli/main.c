#include "config.h"

#include <stdio.h>

int main(void)
{
	printf("heddle %s (LLVM %s)\n", HEDDLE_VERSION, HEDDLE_LLVM_VERSION);
	return 0;
}
