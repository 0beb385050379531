#!/usr/bin/env python3
"""A program may define any name that ISO C does not reserve: its own read, error or getline. A model
that called such a name would call the program's. So whatever a model refers to is an ISO C name,
begins with an underscore, or is local; an alias that is referred to has such a target; and all of it
is there, but for what the machine gives.

usage: check_names.py LLVM-DIS HEDDLE_MODEL_H LINKED.bc
"""
import re
import subprocess
import sys

ISO = set("""
abort abs atexit atof atoi atol atoll at_quick_exit bsearch calloc exit free getenv labs llabs malloc
mblen mbstowcs mbtowc qsort quick_exit rand realloc srand strtod strtof strtol strtold strtoll strtoul
strtoull system wcstombs wctomb aligned_alloc div ldiv lldiv
memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat
strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm
clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf
fseek fsetpos ftell fwrite getc getchar perror printf putc putchar puts remove rename rewind scanf
setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf vsnprintf
vsprintf vsscanf stdin stdout stderr
asctime clock ctime difftime gmtime localtime mktime strftime time timespec_get
longjmp raise signal setlocale localeconv tolower toupper
btowc vfwprintf vwprintf fwprintf wprintf fgetwc fgetws fputwc fputws fwide mbrlen mbrtowc mbsinit mbsrtowcs swprintf ungetwc vswprintf
wcrtomb wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk
wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstok wcstol wcsxfrm wctob wmemchr wmemcmp wmemcpy wmemmove
wmemset towlower towupper main
""".split())
MATH = set("""
acos asin atan atan2 ceil copysign cos cosh exp exp2 expm1 fabs fdim floor fma fmax fmin fmod hypot
ilogb ldexp lgamma log log10 log1p log2 logb lrint nearbyint nextafter pow remainder rint round scalbn
scalbln sin sinh sqrt tan tanh tgamma trunc
""".split())
ISO |= {name + suffix for name in MATH for suffix in ("", "f", "l")}


# variables that belong to a function of libc: a program that has them as its own has the function
ISO |= set("optarg optind opterr optopt error_message_count error_print_progname "
           "error_one_per_line".split())
# reserved by their prefix: POSIX threads, C11 threads and atomics
PREFIXES = ("_", "llvm.", "pthread_", "atomic_", "sem_", "mtx_", "cnd_", "thrd_", "tss_", "call_once")


def safe(name):
    return name in ISO or name.startswith(PREFIXES)


def main():
    dis, header, module = sys.argv[1:]
    text = subprocess.run([dis, "-o", "-", module], check=True, capture_output=True, text=True).stdout
    with open(header, encoding="utf-8") as f:
        given = set(re.findall(r"\b(__heddle_\w+)\(", f.read()))
    given |= {"main", "longjmp", "setjmp"} | {n + s for n in MATH for s in ("", "f", "l")}
    local = set(re.findall(r"^define internal [^\n]*?@([\w.]+)\(", text, re.M))
    local |= set(re.findall(r"^@([\w.]+) = (?:internal|private) ", text, re.M))
    aliases = dict(re.findall(r"^@([\w.]+) = [^\n]*\balias [^\n]*@([\w.]+)$", text, re.M))
    defined = local | set(aliases)
    defined |= set(re.findall(r"^define [^\n]*?@([\w.]+)\(", text, re.M))
    defined |= set(re.findall(r"^@([\w.]+) = (?!external )", text, re.M))
    bad = 0
    for head, body in re.findall(r"^define ([^\n]*)\{\n(.*?)^\}", text, re.M | re.S):
        function = re.search(r"@([\w.]+)\(", head).group(1)
        for name in sorted(set(re.findall(r"@([\w.]+)", body)) - local):
            for used in (name, aliases.get(name, name)):
                if not safe(used):
                    print(f"{function}: error: refers to '{used}', which a program may define")
                    bad += 1
                    break
            if name not in defined and name not in given and not name.startswith("llvm."):
                print(f"{function}: error: '{name}' is defined nowhere")
                bad += 1
    print(f"{len(defined - local)} names, {bad} wrong references")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
