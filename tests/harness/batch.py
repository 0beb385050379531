"""Several generated programs in one source, so that they are compiled and linked once: main() executes the program that
the number of its arguments selects.

The names that a program declares at file scope get its number as a suffix. A #line directive keeps its line numbers, in
a file of its own. A program's locals and members of the same name are renamed with them, which changes nothing. If a
name were missed, the source would not compile.
"""
import re

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#[^\n]*|[A-Za-z_]\w*|\s+|.""",
                   re.S | re.M | re.X)
POINTER = re.compile(r"\(\*(const)?$") # before the name of a pointer to a function
TAGS = ("struct", "union", "enum")


def file_scope_names(text):
    """The identifiers that the program declares outside of functions: what stands before one of [ = ; , ( ) there,
    outside of parameters and initializers; tags; constants of enumerations."""
    names, braces, parens, initializer = set(), 0, 0, False
    tokens = [t for t in TOKEN.findall(text) if not t.isspace() and t[0] not in "/#" or t == "/"]
    inside_enum = False
    for i, t in enumerate(tokens):
        after = tokens[i + 1] if i + 1 < len(tokens) else ""
        before = tokens[i - 1] if i else ""
        if t == "{":
            inside_enum = inside_enum or not braces and "enum" in tokens[max(0, i - 2):i]
            braces += 1
        elif t == "}":
            braces -= 1
            inside_enum = inside_enum and braces > 0
        elif t in ("(", ")"):
            parens += 1 if t == "(" else -1
        elif not braces and not parens and t in "=;,":
            initializer = t == "="
        elif not (t[0].isalpha() or t[0] == "_"):
            continue
        elif braces:
            if inside_enum and before in ("{", ","):
                names.add(t)
        elif before in TAGS and after in ("{", ";"):
            names.add(t)
        elif not initializer and (
                not parens and after in ("[", "=", ";", ",", "(") and "".join(tokens[i + 1:i + 3]) not in ("(*", "((")
                or parens == 1 and after in (")", "[") and POINTER.search("".join(tokens[i - 3:i]))):
            names.add(t)
    return names


def renamed(text, suffix):
    """The program with a suffix at each name of file scope."""
    names = file_scope_names(text)
    return "".join(t + suffix if t in names else t for t in TOKEN.findall(text))


def source_name(i):
    return "p%d/prog.c" % i


def arguments(i):
    """Those that choose a program. Only their number counts: reading argv would be an access to memory, which heddle follows."""
    return ["-"] * (i + 1)


def combined(texts):
    """One source for the programs."""
    out = ["#define _GNU_SOURCE"]
    for i, text in enumerate(texts):
        out += ['#line 1 "%s"' % source_name(i), renamed(text, "_p%d" % i)]
    out += ['#line 1 "main.c"', "int main(int argc, char **argv)", "{", "\t(void)argv;", "\tswitch (argc) {"]
    out += ["\tcase %d: return main_p%d();" % (1 + len(arguments(i)), i) for i, _ in enumerate(texts)]
    return "\n".join(out + ["\t}", "\treturn 99;", "}", ""])
