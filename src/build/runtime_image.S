/* The object of runtime/, for runtime_image.h. The size is in a symbol of its own, a uint64_t. */
	.section .rodata
	.globl heddle_runtime_record
	.globl heddle_runtime_record_size
	.balign 16
heddle_runtime_record:
	.incbin RUNTIME_RECORD
.Lend:
	.balign 8
heddle_runtime_record_size:
	.quad .Lend - heddle_runtime_record
	.section .note.GNU-stack,"",@progbits
