/* int plus(int, int), through the preprocessor */
#define RESULT %eax
	.text
	.globl plus
	.type plus, @function
plus:
	leal (%rdi,%rsi), RESULT
	ret
	.size plus, .-plus
	.section .note.GNU-stack,"",@progbits
