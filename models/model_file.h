/* Functions on files for other models. */
#ifndef HEDDLE_MODELS_FILE_H
#define HEDDLE_MODELS_FILE_H

/* mkstemp, under a name that the program cannot redefine. */
int __m_temp_file(char *name);

#endif
