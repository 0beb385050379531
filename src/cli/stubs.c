#include "cli/stubs.h"

#include "base/base.h"
#include "base/diag.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int stubs_parse(const struct opt_list *list, struct stubs *out)
{
	vec_each (list, i) {
		const char *eq = strchr(list->at[i], '=');
		char *end;
		int64_t value;

		errno = 0;
		value = eq ? (int64_t)strtoll(eq + 1, &end, 0) : 0;
		if (!eq || eq == list->at[i] || end == eq + 1 || *end || errno)
			return error_("option '--stub' needs NAME=VALUE with a number, not '%s'",
				list->at[i]);
		vec_push(out, (struct exec_stub){xstrndup(list->at[i], (size_t)(eq - list->at[i])), value});
	}
	return 0;
}

void stubs_release(struct stubs *s)
{
	vec_each (s, i)
		free((char *)s->at[i].name);
	vec_release(s);
}
