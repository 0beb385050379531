/* The failure of ../programs/deep/guarded_check.c behind a call that heddle's machine has no model of, so that only runs of
 * the real program find it. */
#define main guarded_main
#include "../programs/deep/guarded_check.c"
#undef main

/* in another library, without bitcode */
__asm__(".globl ask_the_host\n"
	".type ask_the_host, @function\n"
	"ask_the_host: mov $7, %eax\n ret\n");
int ask_the_host(void);

int main(void)
{
	return ask_the_host() == 7 ? guarded_main() : 1;
}
