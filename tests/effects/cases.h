/* The cases, by the kind of business. Each runs real calls in fresh memory. */
#ifndef HEDDLE_TESTS_EFFECTS_CASES_H
#define HEDDLE_TESTS_EFFECTS_CASES_H

void cases_text(void);
void cases_numbers(void);
void cases_print(void);
void cases_scan(void);
void cases_streams(void);
void cases_files(void);
void cases_sockets(void);
void cases_time(void);
void cases_process(void);
void cases_threads(void);
void cases_math(void);

#endif
