/* The objects of runtime/, for runtime_image.h. Each size is in a symbol of its own, a uint64_t. */
	.macro object name, file
	.globl heddle_runtime_\name
	.globl heddle_runtime_\name\()_size
	.balign 16
heddle_runtime_\name:
	.incbin "\file"
.Lend_\name:
	.balign 8
heddle_runtime_\name\()_size:
	.quad .Lend_\name - heddle_runtime_\name
	.endm
	.section .rodata
	object record, RUNTIME_RECORD
	object enforce, RUNTIME_ENFORCE
	.section .note.GNU-stack,"",@progbits
