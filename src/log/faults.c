#include "log/faults.h"

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
