/*
 * heddle-cc as a program of its own: without LLVM, which takes longer to load than many a compile
 * takes. What needs LLVM it leaves to `heddle` beside it (cc/worker_main.h).
 */
#include "cc/driver.h"

int main(int argc, char **argv)
{
	return cc_main(argc, argv);
}
