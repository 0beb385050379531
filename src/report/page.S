/* The parts of the page for a browser (html/), for html.c. Each ends with a NUL. */
	.section .rodata
	.macro part name, file
	.globl \name
\name:
	.incbin "\file"
	.byte 0
	.endm
	part heddle_page_html, PAGE_HTML
	part heddle_page_css, PAGE_CSS
	part heddle_page_js, PAGE_JS
	.section .note.GNU-stack,"",@progbits
