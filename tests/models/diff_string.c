/* <string.h>, <strings.h>, <ctype.h> against glibc. */
#include "diff.h"
#include <ctype.h>
#include <signal.h>
#include <strings.h>

MODEL(strlen);
MODEL(strnlen);
MODEL(strcpy);
MODEL(stpcpy);
MODEL(strncpy);
MODEL(stpncpy);
MODEL(strcat);
MODEL(strncat);
MODEL(strdup);
MODEL(strndup);
MODEL(strcmp);
MODEL(strncmp);
MODEL(strcasecmp);
MODEL(strncasecmp);
MODEL(strcoll);
MODEL(strxfrm);
MODEL(strchr);
MODEL(strchrnul);
MODEL(strrchr);
MODEL(strspn);
MODEL(strcspn);
MODEL(strpbrk);
MODEL(strstr);
MODEL(strcasestr);
MODEL(strtok_r);
MODEL(strsep);
MODEL(memcmp);
MODEL(bcmp);
MODEL(memchr);
MODEL(memrchr);
MODEL(memmem);
MODEL(memccpy);
MODEL(mempcpy);
MODEL(swab);
MODEL(strerror);
MODEL(strsignal);
MODEL(strverscmp);
MODEL(basename);
MODEL(ffs);
MODEL(ffsl);
MODEL(free);
char *m___xpg_basename(char *path);
char *__xpg_basename(char *path);
char *m_dirname(char *path);
char *dirname(char *path);
int m___xpg_strerror_r(int e, char *buf, size_t n);
int __xpg_strerror_r(int e, char *buf, size_t n);
const unsigned short **m___ctype_b_loc(void);
const int **m___ctype_tolower_loc(void);
const int **m___ctype_toupper_loc(void);

enum { MAX = 24 };

/* Few letters, so that things are found; n is the length. */
static size_t text(char *s, unsigned max)
{
	static const char letters[] = "aabbABxyz,/.0129 \xe4\x80\xff";
	unsigned n = below(max + 1), k = 2 + below(sizeof letters - 3);

	for (unsigned i = 0; i < n; i++)
		s[i] = letters[below(k)];
	s[n] = '\0';
	return n;
}

static long at(const void *base, const void *p)
{
	return p ? (const char *)p - (const char *)base : -1;
}

static void queries(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(50000); i++) {
		char a[MAX + 1], b[MAX + 1], s[8];
		size_t na = text(a, MAX), nb = text(b, one_in(2) ? 4 : MAX), n = below(MAX + 2);
		int c = one_in(4) ? 0 : a[below(MAX)];
		text(s, 7);
		if (one_in(3)) {
			size_t k = below((unsigned)na + 1);
			memcpy(b, a, k);
			b[k] = '\0';
			nb = k;
		}
		SAME_INT(strlen(a), m_strlen(a), "strlen '%s'", a);
		SAME_INT(strnlen(a, n), m_strnlen(a, n), "strnlen '%s'", a);
		SAME_SIGN(strcmp(a, b), m_strcmp(a, b), "strcmp '%s' '%s'", a, b);
		SAME_SIGN(strcoll(a, b), m_strcoll(a, b), "strcoll '%s' '%s'", a, b);
		SAME_SIGN(strncmp(a, b, n), m_strncmp(a, b, n), "strncmp '%s' '%s' %zu", a, b, n);
		SAME_SIGN(strcasecmp(a, b), m_strcasecmp(a, b), "strcasecmp '%s' '%s'", a, b);
		SAME_SIGN(strncasecmp(a, b, n), m_strncasecmp(a, b, n), "strncasecmp '%s' '%s'", a,
			b);
		SAME_SIGN(strverscmp(a, b), m_strverscmp(a, b), "strverscmp '%s' '%s'", a, b);
		SAME_INT(at(a, strchr(a, c)), at(a, m_strchr(a, c)), "strchr '%s' %d", a, c);
		SAME_INT(at(a, strchrnul(a, c)), at(a, m_strchrnul(a, c)), "strchrnul '%s' %d", a,
			c);
		SAME_INT(at(a, strrchr(a, c)), at(a, m_strrchr(a, c)), "strrchr '%s' %d", a, c);
		SAME_INT(strspn(a, s), m_strspn(a, s), "strspn '%s' '%s'", a, s);
		SAME_INT(strcspn(a, s), m_strcspn(a, s), "strcspn '%s' '%s'", a, s);
		SAME_INT(at(a, strpbrk(a, s)), at(a, m_strpbrk(a, s)), "strpbrk '%s' '%s'", a, s);
		SAME_INT(at(a, strstr(a, b)), at(a, m_strstr(a, b)), "strstr '%s' '%s'", a, b);
		SAME_INT(at(a, strcasestr(a, b)), at(a, m_strcasestr(a, b)), "strcasestr '%s' '%s'",
			a, b);
		n = below((unsigned)(na < nb ? na : nb) + 1);
		SAME_SIGN(memcmp(a, b, n), m_memcmp(a, b, n), "memcmp '%s' '%s' %zu", a, b, n);
		SAME_SIGN(bcmp(a, b, n) != 0, m_bcmp(a, b, n) != 0, "bcmp '%s' '%s' %zu", a, b, n);
		SAME_INT(at(a, memchr(a, c, na)), at(a, m_memchr(a, c, na)), "memchr '%s'", a);
		SAME_INT(at(a, memrchr(a, c, na)), at(a, m_memrchr(a, c, na)), "memrchr '%s'", a);
		SAME_INT(at(a, memmem(a, na, b, nb)), at(a, m_memmem(a, na, b, nb)),
			"memmem '%s' '%s'", a, b);
		SAME_INT(at(a, basename(a)), at(a, m_basename(a)), "basename '%s'", a);
	}
}

/* Both write into equal buffers; the results must be the same place and the same bytes. */
#define WRITES(call_a, call_b, what)                                                               \
	do {                                                                                       \
		memset(da, 7, sizeof da);                                                          \
		memset(db, 7, sizeof db);                                                          \
		text(b, MAX);                                                                      \
		strcpy(da, b);                                                                     \
		strcpy(db, b);                                                                     \
		SAME_INT((long)(call_a) - (long)da, (long)(call_b) - (long)db, "%s '%s' %zu",      \
			what, a, n);                                                               \
		SAME_MEM(da, db, sizeof da, "%s '%s' %zu", what, a, n);                            \
	} while (0)

static void writes(void **state)
{
	char da[4 * MAX], db[4 * MAX], *pa, *pb;

	(void)state;
	for (unsigned i = 0; i < rounds(20000); i++) {
		char a[MAX + 1], b[MAX + 1];
		size_t na = text(a, MAX), n = below(MAX + 8);
		WRITES(strcpy(da, a), m_strcpy(db, a), "strcpy");
		WRITES(stpcpy(da, a), m_stpcpy(db, a), "stpcpy");
		WRITES(strncpy(da, a, n), m_strncpy(db, a, n), "strncpy");
		WRITES(stpncpy(da, a, n), m_stpncpy(db, a, n), "stpncpy");
		WRITES(strcat(da, a), m_strcat(db, a), "strcat");
		WRITES(strncat(da, a, n), m_strncat(db, a, n), "strncat");
		WRITES(mempcpy(da, a, na), m_mempcpy(db, a, na), "mempcpy");
		WRITES(da + strxfrm(da, a, n), db + m_strxfrm(db, a, n), "strxfrm");
		WRITES((swab(a, da, (ssize_t)na), da), (m_swab(a, db, (ssize_t)na), db), "swab");
		pa = memccpy(da, a, b[0], na);
		pb = m_memccpy(db, a, b[0], na);
		SAME_INT(at(da, pa), at(db, pb), "memccpy '%s'", a);
		strcpy(da, a);
		strcpy(db, a);
		SAME_STR(dirname(da), m_dirname(db), "dirname '%s'", a);
		strcpy(da, a);
		strcpy(db, a);
		SAME_STR(__xpg_basename(da), m___xpg_basename(db), "basename '%s'", a);
		pa = strdup(a);
		pb = m_strdup(a);
		SAME_STR(pa, pb, "strdup");
		free(pa);
		m_free(pb);
		pa = strndup(a, n);
		pb = m_strndup(a, n);
		SAME_STR(pa, pb, "strndup");
		free(pa);
		m_free(pb);
	}
}

static void splits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds(20000); i++) {
		char a[MAX + 1], b[MAX + 1], s[4], *ra, *rb, *sa = NULL, *sb = NULL;
		text(a, MAX);
		text(s, 3);
		strcpy(b, a);
		ra = strtok_r(a, s, &sa);
		rb = m_strtok_r(b, s, &sb);
		for (;;) {
			SAME_INT(at(a, ra), at(b, rb), "strtok_r at '%s'", s);
			SAME_STR(ra, rb, "strtok_r '%s'", s);
			if (!ra)
				break;
			ra = strtok_r(NULL, s, &sa);
			rb = m_strtok_r(NULL, s, &sb);
		}
		text(a, MAX);
		strcpy(b, a);
		sa = a;
		sb = b;
		do {
			ra = strsep(&sa, s);
			rb = m_strsep(&sb, s);
			SAME_INT(at(a, ra), at(b, rb), "strsep at '%s'", s);
			SAME_STR(ra, rb, "strsep '%s'", s);
		} while (ra);
	}
}

static void classes(void **state)
{
	(void)state;
	SAME_MEM(*__ctype_b_loc() - 128, *m___ctype_b_loc() - 128, 384 * sizeof(short), "classes");
	SAME_MEM(*__ctype_tolower_loc() - 128, *m___ctype_tolower_loc() - 128, 384 * 4, "tolower");
	SAME_MEM(*__ctype_toupper_loc() - 128, *m___ctype_toupper_loc() - 128, 384 * 4, "toupper");
#define CLASS(name) \
	do { \
		extern int m_is##name(int); \
		for (int c = -1; c < 256; c++) \
			SAME_INT((is##name)(c), m_is##name(c), "is" #name "(%d)", c); \
	} while (0)
	CLASS(alnum);
	CLASS(alpha);
	CLASS(blank);
	CLASS(cntrl);
	CLASS(digit);
	CLASS(graph);
	CLASS(lower);
	CLASS(print);
	CLASS(punct);
	CLASS(space);
	CLASS(upper);
	CLASS(xdigit);
}

static void texts(void **state)
{
	(void)state;
	for (int e = -3; e < 200; e++) {
		char a[80], b[80];
		size_t n = 1 + below(60);
		SAME_STR(strerror(e), m_strerror(e), "strerror(%d)", e);
		memset(a, 1, sizeof a);
		memset(b, 1, sizeof b);
		SAME_INT(__xpg_strerror_r(e, a, n), m___xpg_strerror_r(e, b, n),
			"strerror_r(%d, %zu)", e, n);
		SAME_STR(a, b, "strerror_r(%d, %zu)", e, n);
	}
	for (int s = -3; s < 100; s++)
		SAME_STR(strsignal(s), m_strsignal(s), "strsignal(%d)", s);
	for (unsigned i = 0; i < 1000; i++) {
		long v = (long)rnd_edge();
		SAME_INT(ffs((int)v), m_ffs((int)v), "ffs(%d)", (int)v);
		SAME_INT(ffsl(v), m_ffsl(v), "ffsl(%ld)", v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries),
		cmocka_unit_test(writes),
		cmocka_unit_test(splits),
		cmocka_unit_test(classes),
		cmocka_unit_test(texts),
	};

	diff_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
