/*
 * heddle-cc as a separate program, without LLVM, because loading LLVM takes longer than many a
 * compilation. `heddle` in the same directory does the work that needs LLVM (cc/worker_main.h).
 */
#include "cc/driver.h"

int main(int argc, char **argv)
{
	return cc_main(argc, argv);
}
