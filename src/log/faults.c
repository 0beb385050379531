#include "log/faults.h"

#include "base/base.h"

#include <string.h>

const struct fault_words fault_words[NFAULTS] = {
#define FAULT(id, word, title, about, sign) {word, title, about, SIGN_##sign},
#include "log/faults.def"
};

enum fault fault_by_word(const char *word)
{
	for (uint32_t k = 0; k < NFAULTS; k++)
		if (!strcmp(word, fault_words[k].word))
			return (enum fault)k;
	return FAULT_NONE;
}

static const char *const stop_words[] = {
#define STOP(id, word) [STOP_##id] = word,
#include "log/machine_stops.def"
	[STOP_NONE] = NULL,
};

const char *exec_stop_word(enum exec_stop stop)
{
	return stop_words[stop];
}

enum exec_stop exec_stop_by_word(const char *word)
{
	for (uint32_t i = 0; i < STOP_NONE; i++)
		if (!strcmp(word, stop_words[i]))
			return (enum exec_stop)i;
	return STOP_NONE;
}

const char *exec_end_word(enum exec_fate fate, enum fault fault, enum exec_stop stop)
{
	switch (fate) {
	case EXEC_EXITED: return NULL;
	case EXEC_FAULT:
	case EXEC_DEADLOCK: return fault_words[fault].word;
	case EXEC_STOPPED: return stop_words[stop];
	}
	BUG("fate %d", fate);
}
