/* The bitcode of models/, for models.h. The size is in a symbol of its own, read as a uint64_t. */
	.section .rodata
	.globl heddle_models_bc
	.globl heddle_models_bc_size
	.balign 16
heddle_models_bc:
	.incbin MODELS_BC
.Lend:
	.balign 8
heddle_models_bc_size:
	.quad .Lend - heddle_models_bc
	.section .note.GNU-stack,"",@progbits
