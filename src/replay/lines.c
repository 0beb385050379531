#include "replay/lines.h"

#include "base/base.h"
#include "base/file.h"
#include "base/path.h"


#include <ctype.h>
#include <string.h>

static bool read_from(struct lines_file *f, const char *dir)
{
	char *path = dir ? xasprintf("%s/%s", dir, f->name) : xstrdup(f->name);
	bool ok = file_is_regular(path) && !strbuf_read_file(&f->text, path);

	free(path);
	return ok;
}

static char *trim(char *line)
{
	size_t n;

	while (isspace((unsigned char)*line))
		line++;
	n = strlen(line);
	while (n && isspace((unsigned char)line[n - 1]))
		line[--n] = 0;
	return line;
}

static void cut_lines(struct lines_file *f)
{
	char *next;

	for (char *l = f->text.s; l; l = next) {
		next = strchr(l, '\n');
		if (next)
			*next++ = 0;
		vec_push(&f->lines, trim(l));
	}
}

static void find_file(struct lines *s, struct lines_file *f)
{
	char *dir = s->exe ? path_dir(s->exe) : NULL;
	char *above = dir ? xasprintf("%s/..", dir) : NULL;

	if (*f->name == '/' ? read_from(f, NULL)
			    : (s->cwd && read_from(f, s->cwd)) || read_from(f, NULL) ||
				      (dir && read_from(f, dir)) || (above && read_from(f, above)))
		cut_lines(f);
	free(above);
	free(dir);
}

const char *lines_get(struct lines *s, const char *file, uint32_t line)
{
	struct lines_file *f = NULL;

	vec_each (&s->files, i)
		if (!strcmp(s->files.at[i].name, file))
			f = &s->files.at[i];
	if (!f) {
		f = vec_add(&s->files);
		f->name = xstrdup(file);
		find_file(s, f);
	}
	return line && line <= f->lines.n ? f->lines.at[line - 1] : NULL;
}

void lines_release(struct lines *s)
{
	vec_each (&s->files, i) {
		free(s->files.at[i].name);
		strbuf_release(&s->files.at[i].text);
		vec_release(&s->files.at[i].lines);
	}
	vec_release(&s->files);
}
