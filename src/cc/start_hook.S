/* The object of runtime/plain/, for hook.c. The size is in a symbol of its own, read as a uint64_t. */
	.section .rodata
	.globl heddle_start_plain
	.globl heddle_start_plain_size
	.balign 16
heddle_start_plain:
	.incbin START_PLAIN
.Lend:
	.balign 8
heddle_start_plain_size:
	.quad .Lend - heddle_start_plain
	.section .note.GNU-stack,"",@progbits
