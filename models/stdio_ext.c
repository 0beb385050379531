/* <stdio_ext.h>: the state of streams. */
#include "model_stdio.h"
#include <stdio.h>
#include <stdio_ext.h>

size_t __fbufsize(FILE *fp)
{
	return (size_t)(fp->_IO_buf_end - fp->_IO_buf_base);
}

int __freading(FILE *fp)
{
	return fp->_flags & IO_NO_WRITES || (!(fp->_flags & IO_PUTTING) && fp->_IO_read_base);
}

int __fwriting(FILE *fp)
{
	return fp->_flags & (IO_NO_READS | IO_PUTTING);
}

int __freadable(FILE *fp)
{
	return !(fp->_flags & IO_NO_READS);
}

int __fwritable(FILE *fp)
{
	return !(fp->_flags & IO_NO_WRITES);
}

int __flbf(FILE *fp)
{
	return fp->_flags & IO_LINE_BUF;
}

size_t __fpending(FILE *fp)
{
	return (size_t)(fp->_IO_write_ptr - fp->_IO_write_base);
}

void __fpurge(FILE *fp)
{
	__m_drop_backup(fp);
	fp->_IO_read_end = fp->_IO_read_ptr;
	fp->_IO_write_ptr = fp->_IO_write_base;
}
