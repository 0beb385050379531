	.text
	.globl minus
	.type minus, @function
minus:
	movl %edi, %eax
	subl %esi, %eax
	ret
	.size minus, .-minus
	.section .note.GNU-stack,"",@progbits
