#!/usr/bin/env python3
"""Compares src/log/libc.def and src/log/sync.def with the prototypes of the C library's headers.

 - A function that returns a pointer says what the pointer points to.
 - A function without accesses and without effects on pointers gets no pointer, except handles of the
   library (FILE) and those of ADDRESS_ONLY, which use the address and not the memory.
 - The arguments that accesses and effects name exist and are pointers.

usage: check_libc.py CLANG ROOT          check the tables
       check_libc.py CLANG --self-test   check that each rule can fail
"""
import re
import subprocess
import sys

HEADERS = """aio arpa/inet complex ctype dirent dlfcn err error execinfo fcntl fenv fnmatch ftw glob grp iconv
inttypes langinfo libgen libintl locale malloc math mqueue net/if netdb poll pthread pwd regex sched
search semaphore setjmp signal spawn stdio stdio_ext stdlib string strings sys/auxv sys/epoll
sys/eventfd sys/file sys/inotify sys/ioctl sys/mman sys/msg sys/personality sys/prctl sys/ptrace sys/random
sys/resource sys/sem sys/sendfile sys/shm sys/signalfd sys/socket sys/stat sys/statfs sys/statvfs
sys/sysinfo sys/syscall sys/time sys/timeb sys/timerfd sys/times sys/uio sys/utsname sys/wait syslog
termios threads time ucontext uchar unistd utime wchar wctype gnu/libc-version""".split()
HANDLES = re.compile(r"\b(FILE|__FILE|DIR|_IO_FILE|__dirstream|locale_t|__locale_t|timer_t|iconv_t)\b")
# They use an address without an access to memory of the program.
ADDRESS_ONLY = set("""cfree freeaddrinfo madvise malloc_usable_size mlock mprotect msync
munlock munmap posix_madvise shmdt __pthread_unregister_cancel
__pthread_unregister_cancel_restore""".split())
CHECKED_AT_LEAST = 900 # functions: with fewer the headers are not what they were


def top_level_calls(text):
    """The macro calls of a text, as pairs of a name and its arguments."""
    for m in re.finditer(r"\b([A-Z]+)\(", re.sub(r'"[^"]*"', "", text)):
        depth, args, at = 0, [""], m.end()
        while depth >= 0:
            c = text[at]
            depth += (c == "(") - (c == ")")
            if c == "," and not depth:
                args.append("")
            elif depth >= 0:
                args[-1] += c
            at += 1
        yield m[1], [" ".join(a.split()) for a in args]


def read_rows(clang, text):
    """Each row of a table: name -> (accesses, or None if unknown or ended; effects on pointers)."""
    text = re.sub(r"^.*\bKIND\(.*$", "", text, flags=re.M)
    keep = "".join(f"#define {m} {m}\n" for m in ("OPAQUE", "SYNC")) + "#define TIMED SYNC\n"
    out = subprocess.run([clang, "-E", "-P", "-w", "-x", "c", "-"], input=keep + text, text=True,
                         stdout=subprocess.PIPE, check=True).stdout
    rows = {}
    for macro, args in top_level_calls(out):
        if macro == "PURE":
            rows[args[0]] = args[1], ", ".join(args[2:])
        elif macro == "EFFECT":
            rows[args[0]] = None if "ENDS" in args[1] else args[2], ", ".join(args[3:])
        elif macro == "OPAQUE":
            rows[args[0]] = None, ", ".join(args[1:])
        elif macro == "SYNC":
            rows[args[0]] = None, ", ".join(args[3:])
    return rows


def read_prototypes(clang, headers):
    """Name -> (type of the result, types of the parameters, variadic?), and the typedefs."""
    source = "#define _GNU_SOURCE\n" + "".join(f"#include <{h}.h>\n" for h in headers)
    out = subprocess.run([clang, "-w", "-fsyntax-only", "-Xclang", "-ast-dump", "-x", "c", "-"],
                         input=source, text=True, errors="replace", stdout=subprocess.PIPE,
                         check=True).stdout
    out = re.sub(r" __attribute__\(\(\w+\)\)'", "'", out)
    types = dict(re.findall(r"TypedefDecl .*? (\w+) '([^']*)'", out))
    protos = {}
    for name, result, params in re.findall(r"FunctionDecl .*? (\w+) '([^']*?) ?\(((?:[^()']|\([^()]*\)"
                                           r"|\((?:[^()]|\([^()]*\))*\))*)\)'", out):
        args, depth = [""], 0
        for c in params:
            depth += (c == "(") - (c == ")")
            if c == "," and not depth:
                args.append("")
            else:
                args[-1] += c
        args = [a.strip() for a in args if a.strip() not in ("", "void")]
        protos[name] = result, [a for a in args if a != "..."], "..." in args
    return protos, types


def is_pointer(t, types):
    seen = set()
    while t in types and t not in seen:
        seen.add(t)
        t = types[t]
    return "*" in t or "[" in t or t.endswith("SOCKADDR_ARG") # a union of pointers


def bad_rows(rows, protos, types):
    for name, (accesses, pointers) in rows.items():
        if name not in protos:
            continue
        result, params, variadic = protos[name]
        if is_pointer(result, types) and not re.search(r"RETURNS|\(RESULT|ANYTHING", pointers):
            yield f"'{name}' returns a pointer ({result}): say what it points to"
        if accesses == "()" and pointers == "NONE" and name not in ADDRESS_ONLY:
            for p in params:
                if is_pointer(p, types) and not HANDLES.search(p):
                    yield f"'{name}' gets a pointer ({p}): say what becomes of it"
        used = re.findall(r"\b(?:RW|R|W|WP|IOV_R|IOV_W|MSG_R|MSG_W|POLL|W?PRINT)\((\d+)", accesses or "")
        used += re.findall(r"\b(?:NEAR|AT|IN|IN_IOV|IN_MSG|NEAR_AT|ELEM)\((\d+)", pointers)
        for n in map(int, used):
            if n >= len(params) and not variadic:
                yield f"'{name}' has no argument {n}"
            elif n < len(params) and not is_pointer(params[n], types):
                yield f"argument {n} of '{name}' is no pointer ({params[n]})"


def self_test(clang):
    protos, types = read_prototypes(clang, ["string", "stdio", "signal"])
    cases = [
        ("PURE(strlen, (R(0, STR)), NONE)", 0),
        ("EFFECT(memset, 0, (W(0, A(2))), RETURNS(ARG(0)))", 0),
        ("EFFECT(memset, 0, (W(0, A(2))), NONE)", 1),
        ("SYNC(signal, SIGACTION, -1, NONE)", 1),
        ("PURE(feof, (), NONE)", 0),
        ("PURE(strlen, (), NONE)", 1),
        ("PURE(strlen, (R(1, STR)), NONE)", 1),
        ("EFFECT(memset, 0, (W(1, A(2))), RETURNS(ARG(0)))", 1),
        ("OPAQUE(fgets, SET(AT(3), NEAR(0)), RETURNS(ARG(0)))", 1),
    ]
    failed = [row for row, want in cases
              if len(list(bad_rows(read_rows(clang, row), protos, types))) != want]
    for row in failed:
        print(f"self-test: wrong answer about: {row}", file=sys.stderr)
    return 1 if failed else 0


def main():
    clang, root = sys.argv[1:]
    if root == "--self-test":
        return self_test(clang)
    rows = {}
    for table in ("libc", "sync"):
        with open(f"{root}/src/log/{table}.def") as f:
            rows |= read_rows(clang, f.read())
    protos, types = read_prototypes(clang, HEADERS)
    complaints = list(bad_rows(rows, protos, types))
    if len(rows.keys() & protos.keys()) < CHECKED_AT_LEAST:
        complaints.append(f"only {len(rows.keys() & protos.keys())} of {len(rows)} functions "
                          "have a prototype in the headers")
    for c in complaints:
        print(f"src/log/libc.def: error: {c}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
