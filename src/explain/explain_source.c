#include "base/base.h"
#include "explain/explain_internal.h"
#include "trace/trace.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

static char *dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, MAX((size_t)(slash - path), (size_t)1)) : xstrdup(".");
}

void sources_init(struct sources *s, const struct ctp *c)
{
	const struct store_meta *m = c->trace ? trace_meta(c->trace) : NULL;
	struct stat st;

	*s = (struct sources){0};
	vec_push(&s->dirs, xstrdup("."));
	if (m && m->cwd)
		vec_push(&s->dirs, xstrdup(m->cwd));
	if (m && m->exe) {
		vec_push(&s->dirs, dir_of(m->exe));
		if (!stat(m->exe, &st))
			s->built = st.st_mtime;
	}
}

void sources_release(struct sources *s)
{
	vec_each (&s->files, i) {
		free(s->files.at[i].name);
		free(s->files.at[i].text);
		vec_release(&s->files.at[i].lines);
	}
	vec_each (&s->dirs, i)
		free(s->dirs.at[i]);
	vec_release(&s->files);
	vec_release(&s->dirs);
}

/* A file that was changed after the program was built has other lines. */
static char *read_source(const struct sources *s, const char *path)
{
	struct strbuf b = {0};
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || (s->built && st.st_mtime > s->built) ||
		st.st_size > 64 << 20 || strbuf_read_file(&b, path))
		return NULL;
	strbuf_adds(&b, "");
	return strbuf_detach(&b);
}

static void find_lines(struct source_file *f)
{
	vec_push(&f->lines, 0);
	for (const char *nl = f->text; (nl = strchr(nl, '\n')); nl++)
		vec_push(&f->lines, (uint32_t)(nl + 1 - f->text));
}

static const struct source_file *find_file(struct sources *s, const char *name)
{
	struct source_file *f;

	vec_each (&s->files, i)
		if (!strcmp(s->files.at[i].name, name))
			return &s->files.at[i];
	f = vec_add(&s->files);
	f->name = xstrdup(name);
	for (uint32_t i = 0; !f->text && i < (*name == '/' ? 1 : s->dirs.n); i++) {
		char *path = *name == '/' ? xstrdup(name) : xasprintf("%s/%s", s->dirs.at[i], name);

		f->text = read_source(s, path);
		free(path);
	}
	if (f->text)
		find_lines(f);
	return f;
}

static const char *line_at(const struct source_file *f, uint32_t line, size_t *n)
{
	const char *s, *end;

	if (!f->text || !line || line > f->lines.n)
		return NULL;
	s = f->text + f->lines.at[line - 1];
	end = strchrnul(s, '\n');
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*n = (size_t)(end - s);
	return s;
}

char *sources_line(struct sources *s, const char *name, uint32_t line)
{
	size_t n = 0;
	const char *text = name ? line_at(find_file(s, name), line, &n) : NULL;

	return text && n ? xstrndup(text, n) : NULL;
}

uint32_t sources_repeats(struct sources *s, const char *name, uint32_t first, uint32_t line)
{
	const struct source_file *f = find_file(s, name);
	size_t n = 0, m = 0;
	const char *text = line_at(f, line, &n);
	uint32_t same = 0;

	for (uint32_t i = first; text && i < line; i++) {
		const char *other = line_at(f, i, &m);

		same += other && n == m && !memcmp(text, other, n);
	}
	return same;
}

char *sources_lines(struct sources *s, const char *name, uint32_t first, uint32_t *last)
{
	const struct source_file *f = find_file(s, name);
	uint32_t from;

	if (!f->text || !first || first > f->lines.n)
		return NULL;
	*last = MIN(*last, f->lines.n);
	from = f->lines.at[first - 1];
	return xstrndup(f->text + from,
		*last < f->lines.n ? f->lines.at[*last] - from : strlen(f->text + from));
}
