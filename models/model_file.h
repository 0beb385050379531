/* What other models need of files. */
#ifndef HEDDLE_MODELS_FILE_H
#define HEDDLE_MODELS_FILE_H

/* mkstemp under a name that a program cannot take away. */
int __m_temp_file(char *name);

#endif
