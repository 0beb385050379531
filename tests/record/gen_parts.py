"""The parts that gen.py builds the work of one thread from. Each takes the generator and returns
statements in which `c` is the thread's struct ctx; what they need is declared through g.decl().

A part leaves c->det independent of the schedule. It may wait only for what is certain to come.
"""
PARTS = {}


def part(function):
    PARTS[function.__name__.rstrip("_")] = function
    return function


# ---- plain computation --------------------------------------------------------------------------

@part
def arith(g):
    """integer expressions"""
    return "c->det = hash(%s);\nc->mix += %s;" % (g.det(3), g.mix(3))


@part
def arrays(g):
    """arrays on the stack, constant tables, tables written before the threads"""
    table, early = g.name("table"), g.name("early")
    n = g.pick(4, 16, 64)
    g.decl("static const %s %s[%d] = {%s};" % (
        g.pick("u32", "u64", "unsigned short"), table, n,
        ", ".join("%d" % g.num(0, 60000) for _ in range(n))))
    g.decl("static u32 %s[%d];" % (early, n))
    g.setup.append("for (u32 i = 0; i < %d; i++)\n\t%s[i] = i * %s;" % (n, early, g.const()))
    a = g.name("a")
    return """{
	u32 %(a)s[%(n)d];

	for (u32 i = 0; i < %(n)d; i++)
		%(a)s[i] = (u32)(%(table)s[i] + c->det * i);
	for (u32 i = 0; i < %(n)d; i++)
		c->det += %(a)s[(i * 7 + c->det) & %(m)d] ^ %(early)s[i];
}""" % dict(a=a, n=n, m=n - 1, table=table, early=early)


@part
def structs(g):
    """structs: pointers to them, in arguments and results, copied"""
    def make():
        g.decl("""
struct small { u32 a, b; double d; };
struct large { u64 v[6]; struct small s; unsigned char t[3]; };
static NOINLINE struct small small_of(struct large l, u32 k)
{
	l.v[k % 6] += l.s.a;
	return (struct small){(u32)l.v[(k + 1) % 6], l.t[k % 3], l.s.d + k % 16};
}
static NOINLINE struct large large_of(struct small s, const struct large *from)
{
	struct large l = *from;

	l.s = s;
	l.v[s.a % 6] ^= s.b;
	l.t[s.b % 3]++;
	return l;
}""")
    g.once("structs", make)
    s, l = g.name("s"), g.name("l")
    return """{
	struct large %(l)s = {.v = {c->det, %(k)s, c->id}, .t = {1, 2, 3}};
	struct small %(s)s = small_of(%(l)s, (u32)c->det);

	for (int i = 0; i < %(n)d; i++) {
		%(l)s = large_of(%(s)s, &%(l)s);
		%(s)s = small_of(%(l)s, %(s)s.a + (u32)i);
	}
	c->det ^= hash(%(l)s.v[%(i)d] + %(s)s.a) + %(l)s.t[1];
	c->d += %(s)s.d > 1e6 ? 1 : %(s)s.d;
}""" % dict(l=l, s=s, k=g.const(), n=g.num(1, 9), i=g.num(0, 5))


@part
def bitfields(g):
    """bit fields, in a local and under a lock"""
    t, v = g.name("bits"), g.name("bits_of")
    w = [g.num(1, 31) for _ in range(4)]
    g.decl("struct %s { u32 a : %d; signed int b : %d; u64 c : %d; u32 d : %d; };\n"
           "static struct %s %s;" % (t, w[0], w[1] + 1, w[2] + 20, w[3], t, v))
    lock = mutex_of(g)
    return """{
	struct %(t)s x = {.a = (u32)c->det & %(m)d, .c = c->id};

	x.b = (int)(c->det & 1) ? -1 : 0;
	x.c += c->det;
	x.d ^= x.a;
	c->det += x.a + (u64)x.c * 3 + x.d + (x.b < 0);
	pthread_mutex_lock(&%(lock)s);
	%(v)s.a++;
	%(v)s.c += x.c;
	%(v)s.d = (u32)(%(v)s.d + c->mix);
	c->mix ^= %(v)s.a + %(v)s.d;
	pthread_mutex_unlock(&%(lock)s);
}""" % dict(t=t, v=v, m=(1 << w[0]) - 1, lock=lock)


@part
def wide(g):
    """128-bit integers"""
    return """{
	unsigned __int128 w = (unsigned __int128)c->det * %s + %s;

	w = (w << %d) ^ (w >> %d) ^ (w %% %d);
	c->det += (u64)(w >> 64) ^ (u64)w;
}""" % (g.const(), g.const(), g.num(0, 127), g.num(1, 127), g.num(1, 1000000))


@part
def floats(g):
    """float and double, conversions, the mathematical library"""
    f = g.pick("sqrt(d)", "floor(d / 3)", "fabs(d - 7)", "fmod(d, 5.5)", "ldexp(d, -3)", "d / 7",
               "sin(d)", "pow(d, 0.5)", "(double)(float)d", "(double)(int)d", "fma(d, 0.25, 1)")
    return """{
	double d = (double)(c->det & 0xfffff) / 16 + %d;
	float f = (float)d;

	for (int i = 0; i < %d; i++)
		d = %s + (double)f * 0.25;
	c->d += d < 1e9 ? d : 1;
	c->det += (u64)(int64_t)(d < 1e9 && d > -1e9 ? d : 0) + (u64)(f > %d.5f);
}""" % (g.num(0, 9), g.num(1, 6), f, g.num(0, 40000))


@part
def vectors(g):
    """vectors of the compiler"""
    def make():
        g.decl("typedef u32 v4 __attribute__((vector_size(16)));")
    g.once("v4", make)
    return """{
	v4 x = {(u32)c->det, (u32)%s, c->id, (u32)%s}, y = {1, 2, 3, 4};

	for (int i = 0; i < %d; i++) {
		x = x * y + (x ^ (v4){7, 7, 7, 7});
		y = __builtin_shufflevector(x, y, 1, 4, 6, 3);
	}
	c->det += x[0] ^ y[c->det & 3] ^ (u64)x[3] << 9;
}""" % (g.const(), g.const(), g.num(1, 5))


@part
def switches(g):
    """switch statements, goto, loops with several ways out"""
    cases = "\n".join("case %d:\n\tc->det = %s;\n\t%s" % (
        k, g.det(), g.pick("break;", "break;", "__attribute__((fallthrough));"))
        for k in sorted(g.rng.sample(range(0, 40), g.num(2, 8))))
    again = g.name("again")
    return """{
	int left = %d;

%s:
	switch ((c->det >> 7) %% %d) {
%s
	case 1000:
	default:
		c->det ^= %s;
		break;
	}
	if (--left > 0 && (c->det & 3))
		goto %s;
	while (left-- > -20) {
		if ((c->det ^ (u64)left) %% 7 == 3)
			break;
		if (c->det & 1)
			continue;
		c->det += 2;
	}
}""" % (g.num(1, 6), again, g.num(3, 40), cases, g.const(), again)


@part
def recursion(g):
    """recursion, also mutual, with variables of each frame"""
    a, b = g.name("down"), g.name("across")
    g.decl("""
static u64 %(b)s(u32 n, const u64 *up);
static u64 %(a)s(u32 n, u64 x)
{
	u64 here[3] = {x, n, x ^ %(k)s};

	if (!n)
		return x;
	return n %% 3 ? %(a)s(n - 1, hash(x)) + here[n %% 3] : %(b)s(n - 1, here) ^ here[1];
}
static u64 %(b)s(u32 n, const u64 *up)
{
	return n ? %(a)s(n - 1, up[n %% 3]) * 3 : up[0];
}""" % dict(a=a, b=b, k=g.const()))
    return "c->det ^= %s(%d, c->det);" % (a, g.num(0, 60))


@part
def pointers(g):
    """function pointers: constant tables, tables set up early, one that changes under a lock"""
    f = [g.name("f") for _ in range(3)]
    for n in f:
        g.decl("static u64 %s(u64 x)\n{\n\treturn %s;\n}" % (
            n, g.expr(("x", "(x >> 3)"), 2)))
    table, early, now = g.name("calls"), g.name("calls"), g.name("call")
    lock = mutex_of(g)
    g.decl("static u64 (*const %s[3])(u64) = {%s};\nstatic u64 (*%s[2])(u64);\n"
           "static u64 (*%s)(u64) = %s;" % (table, ", ".join(f), early, now, f[0]))
    g.setup.append("%s[0] = %s;\n%s[1] = %s;" % (early, f[1], early, f[2]))
    return """c->det = %(t)s[c->det %% 3](c->det) + %(e)s[c->id & 1](c->det);
pthread_mutex_lock(&%(lock)s);
c->mix += %(n)s(c->mix);
%(n)s = %(t)s[c->id %% 3];
pthread_mutex_unlock(&%(lock)s);""" % dict(t=table, e=early, n=now, lock=lock)


@part
def varargs(g):
    """variable arguments, va_copy, va_list handed on"""
    def make():
        g.decl("""
static NOINLINE u64 sum_of(const char *kinds, ...)
{
	va_list ap, again;
	u64 sum = 0;

	va_start(ap, kinds);
	va_copy(again, ap);
	for (const char *k = kinds; *k; k++)
		sum = sum * 5 + (*k == 'i' ? va_arg(ap, u32) : *k == 'l' ? va_arg(ap, u64) :
			(u64)va_arg(ap, double));
	va_end(ap);
	if (*kinds == 'l')
		sum ^= va_arg(again, u64);
	va_end(again);
	return sum;
}
static NOINLINE size_t text_of(char *to, size_t n, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	int r = vsnprintf(to, n, format, ap);
	va_end(ap);
	return (size_t)r;
}""")
    g.once("varargs", make)
    kinds = "".join(g.pick("i", "l", "d") for _ in range(g.num(0, 12)))
    args = "".join({"i": ", (u32)c->det", "l": ", c->det + %s" % g.const(),
                    "d": ", (double)(c->det & 255)"}[k] for k in kinds)
    return """{
	char text[40];

	c->det += sum_of("%s"%s);
	c->det ^= text_of(text, sizeof text, "%%u-%%llx-%%.3f", c->id, (unsigned long long)c->det, 1.5);
	c->det += (unsigned char)text[%d];
}""" % (kinds, args, g.num(0, 5))


@part
def stack(g):
    """variable-length arrays and alloca"""
    return """{
	u32 n = 1 + (u32)(c->det %% %d);
	u32 v[n], *more = alloca(n * sizeof *more);

	for (u32 i = 0; i < n; i++) {
		v[i] = i * (u32)c->det;
		more[n - 1 - i] = v[i] ^ 5;
	}
	memmove(v, v + n / 2, (n - n / 2) * sizeof *v);
	c->det += v[n / 3] + more[n / 2];
}""" % g.pick(3, 20, 100)


@part
def unions(g):
    """unions, and bytes of other types"""
    return """{
	union { u64 l; u32 w[2]; unsigned char b[8]; double d; } x = {.l = c->det};

	x.w[%d] += %s;
	x.b[%d] ^= (unsigned char)c->id;
	c->det = x.l;
	x.d = (double)c->id;
	c->det += x.b[7] + x.w[1];
}""" % (g.num(0, 1), g.const(), g.num(0, 7))


@part
def tls(g):
    """thread-local variables, and pointers to them"""
    v, a, f = g.name("tls"), g.name("tls"), g.name("bump")
    g.decl("static __thread u64 %s = %s;\nstatic __thread u32 %s[5];\n"
           "static NOINLINE u64 %s(u64 *at, u64 by)\n{\n\treturn *at = *at * 3 + by;\n}"
           % (v, g.const(), a, f))
    return "%s += c->det;\n%s[c->det %% 5]++;\nc->det ^= %s(&%s, %s[%d]);" % (
        v, a, f, v, a, g.num(0, 4))


@part
def jumps(g):
    """setjmp and longjmp: in one function, from deeper ones, out of a callback of qsort"""
    def make():
        g.decl("""
static __thread jmp_buf *jump_to;
static NOINLINE void jump_from(u32 depth, int value)
{
	volatile u32 here = depth;

	if (!depth)
		longjmp(*jump_to, value);
	jump_from(depth - 1, value);
	here++;
}
static int compare_and_jump(const void *a, const void *b)
{
	if (*(const u32 *)a == 13 || *(const u32 *)b == 13)
		longjmp(*jump_to, 13);
	return *(const u32 *)a < *(const u32 *)b ? -1 : 1;
}""")
    g.once("jumps", make)
    from_sort = g.pick(True, False)
    jump = "qsort(v, 6, sizeof *v, compare_and_jump);" if from_sort else \
        "jump_from(%d, %d);" % (g.num(0, 5), g.num(1, 9))
    return """{
	jmp_buf buf;
	volatile u32 times = 0;

	jump_to = &buf;
	int r = %s(buf);
	times++;
	c->det = hash(c->det + (u64)r + times);
	if (times < %d) {
		u32 v[6] = {4, 8, (u32)c->id, 13, 5, 1};

		(void)v;
		%s
	}
	jump_to = NULL;
}""" % (g.pick("setjmp", "_setjmp"), g.num(1, 4), jump)


# ---- memory and the library ------------------------------------------------------------------------

@part
def heap(g):
    """heap blocks of one thread: lists, growing arrays"""
    def make():
        g.decl("struct cell { struct cell *next; u64 value; };")
    g.once("cells", make)
    return g.pick("""{
	struct cell *list = NULL;

	for (u32 i = 0; i < %d; i++) {
		struct cell *x = malloc(sizeof *x);

		*x = (struct cell){list, c->det + i};
		list = x;
	}
	while (list) {
		struct cell *next = list->next;

		c->det = hash(c->det ^ list->value);
		free(list);
		list = next;
	}
}""", """{
	u32 *v = NULL, room = 0;

	for (u32 i = 0; i < %d; i++) {
		if (i == room)
			v = realloc(v, (room = room * 2 + 1) * sizeof *v);
		v[i] = i ^ (u32)c->det;
	}
	c->det += room ? v[room / 2] : 0;
	free(v);
}""", """{
	u64 *v = calloc(%d + 1, sizeof *v);

	v[c->id %% 2] += c->det;
	c->det += v[0] + 2 * v[1];
	free(v);
}""") % g.num(1, 40)


@part
def heap_shared(g):
    """heap blocks that one thread makes and another one takes"""
    def make():
        g.decl("""
struct note { struct note *next; u64 value; char text[12]; };
static struct note *notes;
static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;
static NOINLINE void leave_note(u64 value)
{
	struct note *n = malloc(sizeof *n);

	n->value = value;
	snprintf(n->text, sizeof n->text, "%x", (u32)value);
	pthread_mutex_lock(&notes_lock);
	n->next = notes;
	notes = n;
	pthread_mutex_unlock(&notes_lock);
}
static NOINLINE u64 take_note(void)
{
	struct note *n;
	u64 value = 0;

	pthread_mutex_lock(&notes_lock);
	n = notes;
	if (n)
		notes = n->next;
	pthread_mutex_unlock(&notes_lock);
	if (n)
		value = n->value + strlen(n->text);
	free(n);
	return value;
}""")
        g.finish.append("while (notes)\n\tc->mix += take_note();")
    g.once("notes", make)
    return "for (int i = 0; i < %d; i++) {\n\tleave_note(%s);\n\tc->mix += take_note();\n}\n%s" % (
        g.num(1, 8), g.mix(), g.pick("leave_note(c->mix);", ""))


@part
def strings(g):
    """the library on strings and blocks"""
    return """{
	char a[64], b[64], *end;

	snprintf(a, sizeof a, "%%llu,%%s:%%d", (unsigned long long)c->det, "%s", (int)c->id);
	strcpy(b, a);
	%s
	c->det += strlen(b) + strtoul(a, &end, 10);
	c->det ^= (u64)(end - a) + (strcmp(a, b) < 0);
}""" % (g.pick("warp", "w", "", "a longer text"), "\n".join(g.rng.sample([
        'strncat(b, a, 10);', 'memmove(b + 1, b, strlen(b) + 1);', 'memset(b + 2, 120, 3);',
        'c->det += strchr(a, 44) ? (u64)(strchr(a, 44) - a) : 0;',
        'for (char *s = NULL, *w = strtok_r(b, ",:", &s); w; w = strtok_r(NULL, ",:", &s))\n'
        '\tc->det += strlen(w);', '{\n\tchar *d = strdup(a);\n\tc->det += (unsigned char)d[1];\n'
        '\tfree(d);\n}', '{\n\tunsigned long long v = 0;\n\tCHECK(sscanf(a, "%llu", &v) == 1);\n'
        '\tc->det += v;\n}', 'memcpy(b, a + 1, c->det % 30);\nb[63] = 0;',
        'c->det += (u64)(memcmp(a, b, 8) > 0);', 'c->det += (u64)strspn(a, "0123456789");'],
        g.num(1, 5))))


@part
def blocks(g):
    """copies of all sizes between locals, globals and the heap, under a lock"""
    t, v = g.name("block"), g.name("shared")
    n = g.pick(8, 24, 64, 72, 300, 5000)
    g.decl("static struct %s { unsigned char b[%d]; u64 n; } %s;" % (t, n, v))
    lock = mutex_of(g)
    return """{
	struct %(t)s *mine = malloc(sizeof *mine), copy;

	memset(mine, (int)(c->det & 63), sizeof *mine);
	mine->b[c->det %% %(n)d] = 77;
	pthread_mutex_lock(&%(lock)s);
	copy = %(v)s;
	memcpy(%(v)s.b, mine->b, c->mix %% %(n)d);
	%(v)s.n++;
	memmove(%(v)s.b + 1, %(v)s.b, (c->mix >> 8) %% (%(n)d - 1));
	pthread_mutex_unlock(&%(lock)s);
	c->mix += copy.b[c->mix %% %(n)d] + copy.n;
	copy = *mine;
	c->det += copy.b[%(n)d / 2] + copy.n;
	free(mine);
}""" % dict(t=t, v=v, n=n, lock=lock)


@part
def sorting(g):
    """qsort and bsearch with callbacks, which count, and may lock"""
    f, count = g.name("compare"), g.name("compared")
    lock = mutex_of(g)
    touch = g.pick("%s++;" % count,
                   "pthread_mutex_lock(&{0});\n\t{1}++;\n\tpthread_mutex_unlock(&{0});".format(
                       lock, count))
    thread = "__thread " if touch == "%s++;" % count else ""
    g.decl("static %su64 %s;\nstatic int %s(const void *a, const void *b)\n{\n"
           "\tu32 x = *(const u32 *)a, y = *(const u32 *)b;\n\n\t%s\n"
           "\treturn x < y ? -1 : x > y;\n}" % (thread, count, f, touch))
    n = g.num(2, 40)
    return """{
	u32 v[%(n)d], key, *found;

	for (u32 i = 0; i < %(n)d; i++)
		v[i] = (u32)hash(c->det + i) %% 1000;
	key = v[%(k)d];
	qsort(v, %(n)d, sizeof *v, %(f)s);
	found = bsearch(&key, v, %(n)d, sizeof *v, %(f)s);
	CHECK(found && *found == key);
	c->det += v[0] + 3 * v[%(n)d / 2] + key;
}""" % dict(n=n, k=g.num(0, n - 1), f=f)


@part
def files(g):
    """pipes, printing, the clock: calls that leave the program"""
    return g.pick("""{
	int fd[2];
	u64 in = c->det, out = 0;

	CHECK(!pipe(fd));
	CHECK(write(fd[1], &in, sizeof in) == sizeof in);
	CHECK(read(fd[0], &out, sizeof out) == sizeof out);
	close(fd[0]);
	close(fd[1]);
	c->det = hash(out);
}""", """{
	FILE *f = tmpfile();
	char line[40] = "";

	if (f) {
		fprintf(f, "%x\\n%d\\n", (u32)c->det, 7);
		rewind(f);
		CHECK(fgets(line, sizeof line, f));
		c->det += strtoul(line, NULL, 16);
		fclose(f);
	}
}""", """{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	c->mix += (u64)t.tv_nsec + (u64)time(NULL) + (u64)getpid();
}""", """printf("thread %u: %llx\\n", c->id, (unsigned long long)c->det);""",
                  """c->mix += (u64)rand();\nsched_yield();""",
                  """c->mix += getenv("HOME") ? strlen(getenv("HOME")) : 0;""",
                  """{
	errno = 0;
	CHECK(close(-1) == -1 && errno == EBADF);
	c->det += (u64)errno;
}""")


# ---- locks -------------------------------------------------------------------------------------------

def mutex_of(g, kind=None):
    """A mutex of some type: held only across code that does not wait."""
    kind = kind or g.pick("NORMAL", "NORMAL", "RECURSIVE", "ERRORCHECK", "ADAPTIVE_NP", "static")
    key = "mutex %s %d" % (kind, g.num(0, 1))

    def make():
        name = g.name("lock")
        if kind == "static":
            g.decl("static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;" % name)
            return name
        g.decl("static pthread_mutex_t %s;" % name)
        g.setup.append("""{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_%s);
	CHECK(!pthread_mutex_init(&%s, &a));
	pthread_mutexattr_destroy(&a);
}""" % (kind, name))
        return name
    return g.once(key, make)


def guarded(g):
    """A statement on data of its own that a lock must guard."""
    v = g.name("guarded")
    g.decl("static struct { u64 sum, last; u32 n; } %s;" % v)
    return "%s.sum += %s;\n%s.n++;\nc->mix ^= %s.last;\n%s.last = %s;" % (
        v, g.det(1), v, v, v, g.mix(1))


@part
def mutex(g):
    """mutexes of all types"""
    lock = mutex_of(g)
    return "for (int i = 0; i < %d; i++) {\npthread_mutex_lock(&%s);\n%s\n" \
        "pthread_mutex_unlock(&%s);\n}" % (g.num(1, 20), lock, guarded(g), lock)


@part
def mutex_odd(g):
    """locking twice, trylock, timedlock, unlocking what is not held"""
    body = guarded(g)
    r, e, n = mutex_of(g, "RECURSIVE"), mutex_of(g, "ERRORCHECK"), mutex_of(g, "NORMAL")
    return g.pick(
        "pthread_mutex_lock(&{r});\nCHECK(!pthread_mutex_lock(&{r}));\n{b}\n"
        "pthread_mutex_unlock(&{r});\nCHECK(!pthread_mutex_unlock(&{r}));",
        "CHECK(!pthread_mutex_lock(&{e}));\nCHECK(pthread_mutex_lock(&{e}) == EDEADLK);\n{b}\n"
        "CHECK(!pthread_mutex_unlock(&{e}));\nCHECK(pthread_mutex_unlock(&{e}) == EPERM);",
        "if (!pthread_mutex_trylock(&{n})) {{\n{b}\npthread_mutex_unlock(&{n});\n}} else\n"
        "\tc->mix++;",
        "{{\nstruct timespec until;\n\nclock_gettime(CLOCK_REALTIME, &until);\nuntil.tv_sec += 60;\n"
        "CHECK(!pthread_mutex_timedlock(&{n}, &until));\n{b}\npthread_mutex_unlock(&{n});\n}}",
        "{{\npthread_mutex_t *own = malloc(sizeof *own);\n\npthread_mutex_init(own, NULL);\n"
        "pthread_mutex_lock(own);\nCHECK(pthread_mutex_trylock(own) == EBUSY);\n"
        "pthread_mutex_unlock(own);\npthread_mutex_destroy(own);\nfree(own);\n}}",
        "pthread_mutex_lock(&{r});\npthread_mutex_lock(&{e});\n{b}\npthread_mutex_unlock(&{r});\n"
        "pthread_mutex_unlock(&{e});").format(r=r, e=e, n=n, b=body)


@part
def rwlock(g):
    """reader-writer locks"""
    lock = g.name("rwlock")
    body = guarded(g)
    v = body.split(".")[0]
    g.decl("static pthread_rwlock_t %s = PTHREAD_RWLOCK_INITIALIZER;" % lock)
    return """for (int i = 0; i < %(n)d; i++) {
	if ((c->det + (u64)i) %% %(k)d) {
		%(rd)s
			c->mix += %(v)s.sum + %(v)s.n;
			pthread_rwlock_unlock(&%(l)s);
		}
	} else {
		CHECK(!pthread_rwlock_wrlock(&%(l)s));
		%(body)s
		pthread_rwlock_unlock(&%(l)s);
	}
}""" % dict(n=g.num(1, 12), k=g.num(2, 5), v=v, l=lock, body=body, rd=g.pick(
        "{\nCHECK(!pthread_rwlock_rdlock(&%s));", "if (!pthread_rwlock_tryrdlock(&%s)) {") % lock)


@part
def spin(g):
    """spin locks"""
    lock = g.name("spin")
    g.decl("static pthread_spinlock_t %s;" % lock)
    g.setup.append("pthread_spin_init(&%s, 0);" % lock)
    take = g.pick("pthread_spin_lock(&%s);", "while (pthread_spin_trylock(&%s))\n\tsched_yield();")
    return "%s\n%s\npthread_spin_unlock(&%s);" % (take % lock, guarded(g), lock)


@part
def cond(g):
    """signals that nobody waits for, waits with a time limit"""
    lock, var = g.name("lock"), g.name("cond")
    g.decl("static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;\n"
           "static pthread_cond_t %s = PTHREAD_COND_INITIALIZER;" % (lock, var))
    return """pthread_mutex_lock(&%(l)s);
%(b)s
pthread_cond_%(s)s(&%(c)s);
if (c->det %% 4 == 1) {
	struct timespec until;
	int r;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += %(n)d;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %%= 1000000000;
	r = pthread_cond_timedwait(&%(c)s, &%(l)s, &until);
	CHECK(!r || r == ETIMEDOUT);
	c->mix += (u64)r;
}
pthread_mutex_unlock(&%(l)s);""" % dict(l=lock, c=var, b=guarded(g), n=g.pick(0, 1000, 300000),
                                        s=g.pick("signal", "broadcast"))


@part
def sem(g):
    """semaphores as locks, and tried ones"""
    s = g.name("sem")
    g.decl("static sem_t %s;" % s)
    g.setup.append("sem_init(&%s, 0, 1);" % s)
    return """while (sem_wait(&%(s)s))
	CHECK(errno == EINTR);
%(b)s
sem_post(&%(s)s);
if (!sem_trywait(&%(s)s)) {
	int value;

	sem_getvalue(&%(s)s, &value);
	c->mix += (u64)value;
	sem_post(&%(s)s);
}""" % dict(s=s, b=guarded(g))


@part
def once(g):
    """pthread_once"""
    o, f, v = g.name("once"), g.name("init"), g.name("value")
    g.decl("static pthread_once_t %s = PTHREAD_ONCE_INIT;\nstatic u64 %s, *%s_at;\n"
           "static void %s(void)\n{\n\t%s = hash(%s);\n\t%s_at = &%s;\n}" % (
               o, v, v, f, v, g.const(), v, v))
    return "pthread_once(&%s, %s);\nc->det ^= *%s_at;" % (o, f, v)


@part
def atomics(g):
    """C11 atomics of all sizes and orders"""
    a = g.name("atomic")
    t = g.pick("unsigned char", "unsigned short", "u32", "u64", "u64")
    order = g.pick("relaxed", "acq_rel", "seq_cst")
    g.decl("static _Atomic(%s) %s = 1;" % (t, a))
    return g.pick(
        "c->mix += atomic_fetch_{f}_explicit(&{a}, ({t})c->det, memory_order_{o});",
        "c->mix ^= atomic_exchange(&{a}, ({t})c->mix);",
        "for (int i = 0; i < {n}; i++)\n\tatomic_fetch_add_explicit(&{a}, 1, memory_order_{o});",
        "{{\n{t} was = atomic_load(&{a});\n\n"
        "while (!atomic_compare_exchange_weak(&{a}, &was, ({t})(was * 3 + 1)))\n\tc->mix++;\n}}",
        "{{\n{t} want = ({t})c->mix;\n\nif (!atomic_compare_exchange_strong(&{a}, &want, 5))\n"
        "\tc->mix += want;\n}}",
        "atomic_store_explicit(&{a}, ({t})c->mix, memory_order_release);\n"
        "atomic_thread_fence(memory_order_seq_cst);\n"
        "c->mix += atomic_load_explicit(&{a}, memory_order_acquire);").format(
            a=a, t=t, o=order, n=g.num(1, 30), f=g.pick("add", "sub", "or", "and", "xor"))


@part
def atomic_flags(g):
    """locks made of atomics, pointers published through atomics"""
    f, p = g.name("flag"), g.name("published")
    g.decl("static atomic_flag %s = ATOMIC_FLAG_INIT;\nstatic _Atomic(u64 *) %s;" % (f, p))
    return """while (atomic_flag_test_and_set_explicit(&%(f)s, memory_order_acquire))
	sched_yield();
%(b)s
atomic_flag_clear_explicit(&%(f)s, memory_order_release);
{
	u64 *old = atomic_load(&%(p)s);

	if (!old) {
		u64 *new = malloc(sizeof *new);

		*new = c->mix;
		if (!atomic_compare_exchange_strong(&%(p)s, &old, new))
			free(new);
		else
			old = new;
	}
	c->mix += *old;
}""" % dict(f=f, p=p, b=guarded(g))


@part
def race(g):
    """data races on plain variables (what they read goes to c->mix)"""
    v = g.name("racy")
    n = g.pick(1, 4, 32)
    g.decl("static struct { %su32 x; u32 a[%d]; double d; u64 *p; u64 aim[2]; } %s;" % (
        g.pick("", "volatile "), n, v))
    g.setup.append("%s.p = %s.aim;" % (v, v))
    return """for (u32 i = 0; i < %(k)d; i++) {
	%(v)s.x += i;
	%(v)s.a[(c->mix + i) %% %(n)d] ^= %(v)s.x;
	%(v)s.d = (double)(c->mix & 255) + %(v)s.d / 2;
	*%(v)s.p += %(v)s.a[i %% %(n)d];
	%(v)s.p = &%(v)s.aim[%(v)s.x & 1];
	c->mix = hash(c->mix + %(v)s.a[0] + *%(v)s.p);
	if (%(v)s.x %% 3 == 1)
		c->mix += bits_of(%(v)s.d);
}""" % dict(v=v, n=n, k=g.num(1, 50))


# ---- threads -----------------------------------------------------------------------------------------

@part
def create(g):
    """a thread that starts another and joins it"""
    f = g.name("child")
    body = g.work(2)
    end = g.pick("return (void *)(uintptr_t)(c->det & 0xff);",
                 "pthread_exit((void *)(uintptr_t)(c->det & 0xff));")
    g.decl("static void *%s(void *arg)\n{\n\tstruct ctx *c = arg;\n\n%s\n\tadd_up(c);\n\t%s\n}" % (
        f, body, end))
    return """if (c->depth < 2) {
	struct ctx child = {.det = hash(c->det), .mix = c->mix, .id = c->id, .depth = c->depth + 1};
	pthread_t t;
	void *result;

	CHECK(!pthread_create(&t, NULL, %s, &child));
	%s
	CHECK(!pthread_join(t, &result));
	c->det += (uintptr_t)result + child.det;
}""" % (f, "c->det = hash(c->det);")


@part
def detached(g):
    """threads that nobody joins"""
    f = g.name("alone")
    body = g.work(1)
    g.decl("""
static void *%s(void *arg)
{
	struct ctx *c = arg;

	%s
	%s
	add_up(c);
	free(c);
	pthread_mutex_lock(&total_lock);
	if (!--detached)
		pthread_cond_broadcast(&total_changed);
	pthread_mutex_unlock(&total_lock);
	return NULL;
}""" % (f, g.pick("pthread_detach(pthread_self());", "sched_yield();"), body))
    own = "pthread_detach(pthread_self())" in g.decls[-1]
    return """if (c->depth < 2) {
	struct ctx *child = malloc(sizeof *child);
	pthread_attr_t attr;
	pthread_t t;

	*child = (struct ctx){.det = hash(c->det), .mix = c->mix, .id = c->id, .depth = c->depth + 1};
	pthread_mutex_lock(&total_lock);
	detached++;
	pthread_mutex_unlock(&total_lock);
	pthread_attr_init(&attr);
	%s
	CHECK(!pthread_create(&t, &attr, %s, child));
	pthread_attr_destroy(&attr);
}""" % ("" if own else "pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);", f)


@part
def cancel(g):
    """a thread that is cancelled while it waits, with clean-up handlers"""
    f, h = g.name("endless"), g.name("cleanup")
    wait = g.pick("pthread_testcancel();\n\tsched_yield();", "usleep(100);",
                  "while (sem_wait(&never))\n\t\t;",
                  "pthread_mutex_lock(&never_lock);\n"
                  "\tpthread_cleanup_push(unlock_never, NULL);\n"
                  "\tpthread_cond_wait(&never_cond, &never_lock);\n"
                  "\tpthread_cleanup_pop(1);")

    def make():
        g.decl("""
static sem_t never;
static pthread_mutex_t never_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_cond = PTHREAD_COND_INITIALIZER;
static void unlock_never(void *arg)
{
	(void)arg;
	pthread_mutex_unlock(&never_lock);
}""")
        g.setup.append("sem_init(&never, 0, 0);")
    g.once("never", make)
    g.decl("""
static void %(h)s(void *arg)
{
	struct ctx *c = arg;

	c->det = hash(c->det + 1);
	add_up(c);
}
static void *%(f)s(void *arg)
{
	struct ctx *c = arg;

	pthread_cleanup_push(%(h)s, c);
	for (;;) {
	%(wait)s
	c->mix++;
	}
	pthread_cleanup_pop(0);
	return NULL;
}""" % dict(h=h, f=f, wait=wait))
    return """{
	struct ctx child = {.det = c->det, .id = c->id};
	pthread_t t;
	void *result;

	CHECK(!pthread_create(&t, NULL, %s, &child));
	%s
	pthread_cancel(t);
	CHECK(!pthread_join(t, &result));
	CHECK(result == PTHREAD_CANCELED);
	c->det += child.det;
}""" % (f, g.pick("", "usleep(200);", "sched_yield();"))


@part
def keys(g):
    """thread-specific data with a destructor"""
    k, d = g.name("key"), g.name("destroy")
    g.decl("""
static pthread_key_t %(k)s;
static void %(d)s(void *value)
{
	pthread_mutex_lock(&total_lock);
	total_mix += *(u64 *)value;
	pthread_mutex_unlock(&total_lock);
	free(value);
}""" % dict(k=k, d=d))
    g.setup.append("CHECK(!pthread_key_create(&%s, %s));" % (k, d))
    return """{
	u64 *v = pthread_getspecific(%(k)s);

	if (!v) {
		v = malloc(sizeof *v);
		*v = c->det;
		pthread_setspecific(%(k)s, v);
	}
	*v = *v * 3 + 1;
	c->mix += *v;
}""" % dict(k=k)


@part
def signals(g):
    """signal handlers: raised by the thread, or sent to it by itself"""
    def make():
        g.decl("""
static atomic_uint signals_seen;
static __thread volatile sig_atomic_t signals_here;
static atomic_int last_signal;
static void on_signal(int signo)
{
	int saved = errno;

	atomic_fetch_add(&signals_seen, 1);
	signals_here++;
	atomic_store(&last_signal, signo);
	errno = saved;
}""")
        g.setup.append("""{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	sigemptyset(&sa.sa_mask);
	CHECK(!sigaction(SIGUSR1, &sa, NULL));
	signal(SIGUSR2, on_signal);
}""")
    g.once("signals", make)
    return """{
	int before = signals_here;

	%s
	CHECK(signals_here == before + 1);
	c->mix += atomic_load(&signals_seen) + (u64)atomic_load(&last_signal);
	c->det++;
}""" % g.pick("raise(SIGUSR1);", "raise(SIGUSR2);", "pthread_kill(pthread_self(), SIGUSR1);")


@part
def statics(g):
    """static variables of functions, constructors, atexit"""
    f, v = g.name("counted"), g.name("made")
    lock = mutex_of(g)
    g.decl("""
static u64 %(v)s;
__attribute__((constructor)) static void make_%(v)s(void)
{
	%(v)s = hash(%(k)s);
}
static u64 %(f)s(u64 by)
{
	static u64 calls, sum = 7;

	calls++;
	sum += by;
	return sum ^ calls;
}""" % dict(v=v, f=f, k=g.const()))

    def at_exit():
        g.decl("""
static void last_words(void)
{
	total_det ^= total_mix;
}""")
        g.setup.append("atexit(last_words);")
    if g.rng.random() < 0.3:
        g.once("atexit", at_exit)
    return "c->det ^= %s;\npthread_mutex_lock(&%s);\nc->mix += %s(c->det);\n" \
        "pthread_mutex_unlock(&%s);" % (v, lock, f, lock)
