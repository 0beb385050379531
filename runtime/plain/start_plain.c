/*
 * The start-up hook of plain executables, linked into every program that heddle-cc makes. If
 * HEDDLE_OPTIONS has a key `record`, the process executes `heddle record-self`, which executes the
 * recording image or, if it cannot, this program again with HEDDLE_PLAIN. Otherwise the hook only
 * searches the environment.
 *
 * It runs before every constructor, also those of shared libraries, in programs with any C library
 * or none. So it calls no library function and writes only to the stack. Code and data are in
 * sections of their own, so that the sections of the program do not change.
 *
 * heddle-cc writes the path of heddle into heddle_path (src/cc/start_hook.c) when it links.
 */
#include <stddef.h>
#include <sys/syscall.h>

#define HERE             __attribute__((section("heddle_start")))
#define DATA             __attribute__((section("heddle_start_data")))
#define TEXT(name, text) DATA static const char name[] = text

enum { PATH_SIZE = 4096, ARGS_MAX = 16384 };
enum { AT_SECURE_ = 23, X_OK_ = 1 };

/* heddle-cc finds this place by its initial text */
DATA static const volatile char heddle_path[512] = "@heddle-path@";
TEXT(env_options, "HEDDLE_OPTIONS");
TEXT(env_plain, "HEDDLE_PLAIN");
TEXT(env_path, "PATH");
TEXT(key_record, "record");
TEXT(key_heddle, "heddle");
TEXT(word_command, "record-self");
TEXT(self_link, "/proc/self/exe");
TEXT(slash_name, "/heddle");
TEXT(nothing, "");
TEXT(complaint, "heddle: error: HEDDLE_OPTIONS: cannot run heddle, and nothing is recorded "
		"(give its path: heddle=PATH)\n");

HERE static long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* The text after `name=` at that place; NULL if the text there is another one. */
HERE static const char *value_at(const char *p, const char *name)
{
	for (; *name; name++, p++)
		if (*p != *name)
			return NULL;
	return *p == '=' ? p + 1 : NULL;
}

HERE static const char *variable(char **envp, const char *name)
{
	for (const char *value; *envp; envp++)
		if ((value = value_at(*envp, name)))
			return value;
	return NULL;
}

HERE static const char *option(const char *options, const char *key)
{
	for (const char *value;;) {
		if ((value = value_at(options, key)))
			return value;
		while (*options && *options != ':')
			options++;
		if (!*options++)
			return NULL;
	}
}

/* Whether HEDDLE_PLAIN is the number of this process. Then the variable is removed. */
HERE static int is_plain(char **envp)
{
	long pid = call(SYS_getpid, 0, 0, 0), n = 0;
	const char *value = NULL;

	while (*envp && !(value = value_at(*envp, env_plain)))
		envp++;
	if (!value)
		return 0;
	for (; *value >= '0' && *value <= '9'; value++)
		n = n * 10 + (*value - '0');
	if (n != pid)
		return 0;
	do
		envp[0] = envp[1];
	while (*envp++);
	return 1;
}

/* Whether the process has more rights than the one that started it: then the environment is
 * ignored. */
HERE static int is_secure(char **envp)
{
	unsigned long *aux;

	while (*envp)
		envp++;
	for (aux = (unsigned long *)(envp + 1); aux[0]; aux += 2)
		if (aux[0] == AT_SECURE_)
			return aux[1] != 0;
	return 0;
}

/* Copies `from` up to a colon or its end, then `more`. The length, 0 if it does not fit. */
HERE static size_t put_path(char *to, const volatile char *from, const char *more)
{
	size_t n = 0;

	for (; *from && *from != ':' && n < PATH_SIZE - 16; from++)
		to[n++] = *from;
	if (!n || (*from && *from != ':'))
		return 0;
	while ((to[n] = *more++))
		n++;
	return n;
}

HERE static void try_path(char *path, char **argv, char **envp)
{
	argv[0] = path;
	if (!call(SYS_access, (long)path, X_OK_, 0))
		call(SYS_execve, (long)path, (long)argv, (long)envp);
}

/* At heddle=PATH if that is given, else in PATH, else where it was when the program was linked. */
HERE static void run_heddle(const char *options, char **argv, char **envp)
{
	const char *where = option(options, key_heddle), *dirs = variable(envp, env_path);
	char path[PATH_SIZE];

	if (where) {
		if (put_path(path, where, nothing))
			try_path(path, argv, envp);
		return;
	}
	while (dirs && *dirs) {
		if (put_path(path, dirs, slash_name))
			try_path(path, argv, envp);
		while (*dirs && *dirs != ':')
			dirs++;
		dirs += *dirs == ':';
	}
	if (put_path(path, heddle_path, nothing))
		try_path(path, argv, envp);
}

HERE static void record_self(int argc, char **argv, char **envp, const char *options)
{
	char self[PATH_SIZE], *words[argc + 4];
	long n = call(SYS_readlink, (long)self_link, (long)self, PATH_SIZE - 1);

	if (n > 0) {
		self[n] = 0;
		words[1] = (char *)word_command;
		words[2] = self;
		for (int i = 0; i <= argc; i++)
			words[3 + i] = argv[i];
		run_heddle(options, words, envp);
	}
	call(SYS_write, 2, (long)complaint, sizeof complaint - 1);
}

HERE static void start(int argc, char **argv, char **envp)
{
	const char *options = variable(envp, env_options);

	if (options && option(options, key_record) && argc < ARGS_MAX && !is_plain(envp) &&
		!is_secure(envp))
		record_self(argc, argv, envp, options);
}

__attribute__((section(".preinit_array"), used)) static void (*const start_entry)(
	int, char **, char **) = start;
