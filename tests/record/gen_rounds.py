"""What the threads of a group do together. Each takes the generator and the number n of threads, and
returns statements that all of them go through; c->id is from 0 to n - 1. A round leaves what it
needs as it found it, so that it could run again.
"""
from gen_parts import guarded

ROUNDS = {}


def round_(function):
    ROUNDS["together_" + function.__name__] = function
    return function


@round_
def barrier(g, n):
    """barriers, several times, with work between them"""
    b, v = g.name("barrier"), g.name("phase")
    g.decl("static pthread_barrier_t %s;\nstatic u64 %s[2][%d];" % (b, v, n))
    g.setup.append("pthread_barrier_init(&%s, NULL, %d);" % (b, n))
    return """{
	int serial = 0;

	for (int i = 0; i < %(k)d; i++) {
		%(v)s[i & 1][c->id] = c->det;
		serial += pthread_barrier_wait(&%(b)s) == PTHREAD_BARRIER_SERIAL_THREAD;
		for (u32 j = 0; j < %(n)d; j++)
			c->det = hash(c->det + %(v)s[i & 1][j]);
	}
	pthread_barrier_wait(&%(b)s);
	c->mix += (u64)serial;
}""" % dict(b=b, v=v, n=n, k=g.num(1, 6))


@round_
def gate(g, n):
    """one opens a gate, with a condition variable, and the others wait for it"""
    s = g.name("gate")
    g.decl("static struct { pthread_mutex_t lock; pthread_cond_t opened; int open; u64 value; } %s = "
           "{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};" % s)
    late = g.pick("", "usleep(100);\n", "sched_yield();\n")
    return """if (c->id == %(who)d) {
	%(late)spthread_mutex_lock(&%(s)s.lock);
	%(s)s.open = 1;
	%(s)s.value = %(k)s;
	pthread_cond_broadcast(&%(s)s.opened);
	pthread_mutex_unlock(&%(s)s.lock);
} else {
	pthread_mutex_lock(&%(s)s.lock);
	while (!%(s)s.open)
		pthread_cond_wait(&%(s)s.opened, &%(s)s.lock);
	c->det += %(s)s.value;
	pthread_mutex_unlock(&%(s)s.lock);
}""" % dict(s=s, who=g.num(0, n - 1), k=g.const(), late=late)


@round_
def queue(g, n):
    """a bounded queue: each puts items in and takes as many out"""
    if n < 2:
        return barrier(g, n)
    q, room = g.name("queue"), g.num(1, 4)
    items = g.num(1, 12)
    g.decl("""
static struct {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	u64 item[%d];
	u32 head, count;
} %s = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0};
""" % (room, q))
    # the even ones put, the odd ones take; an odd one out of the middle does neither
    return """if (c->id / 2 * 2 + 1 < %(n)d) {
	for (int i = 0; i < %(items)d; i++) {
		pthread_mutex_lock(&%(q)s.lock);
		if (c->id %% 2 == 0) {
			while (%(q)s.count == %(room)d)
				pthread_cond_wait(&%(q)s.not_full, &%(q)s.lock);
			%(q)s.item[(%(q)s.head + %(q)s.count++) %% %(room)d] = c->mix + (u64)i;
			pthread_cond_%(wake)s(&%(q)s.not_empty);
		} else {
			while (!%(q)s.count)
				pthread_cond_wait(&%(q)s.not_empty, &%(q)s.lock);
			c->mix += %(q)s.item[%(q)s.head];
			%(q)s.head = (%(q)s.head + 1) %% %(room)d;
			%(q)s.count--;
			pthread_cond_%(wake)s(&%(q)s.not_full);
		}
		pthread_mutex_unlock(&%(q)s.lock);
	}
}""" % dict(q=q, n=n, room=room, items=items, wake=g.pick("signal", "broadcast"))


@round_
def ring(g, n):
    """a token goes round through semaphores"""
    s, v = g.name("ring"), g.name("token")
    g.decl("static sem_t %s[%d];\nstatic u64 %s;" % (s, n, v))
    g.setup.append("for (int i = 0; i < %d; i++)\n\tsem_init(&%s[i], 0, i == 0);" % (n, s))
    return """for (int i = 0; i < %(k)d; i++) {
	while (sem_wait(&%(s)s[c->id]))
		CHECK(errno == EINTR);
	%(v)s = hash(%(v)s + c->id);
	c->det += %(v)s;
	sem_post(&%(s)s[(c->id + 1) %% %(n)d]);
}""" % dict(s=s, v=v, n=n, k=g.num(1, 10))


@round_
def handshake(g, n):
    """threads that wait for each other on an atomic, in turn"""
    a, v = g.name("turn"), g.name("data")
    g.decl("static atomic_uint %s;\nstatic u64 %s;" % (a, v))
    turns = g.num(1, 6) * n
    # rings of the same atomic: turn t belongs to thread t % n; at the end it starts again at 0
    return """for (u32 t = c->id; t < %(turns)d; t += %(n)d) {
	while (atomic_load_explicit(&%(a)s, memory_order_acquire) != t)
		sched_yield();
	%(v)s = hash(%(v)s + t);
	c->det ^= %(v)s;
	atomic_store_explicit(&%(a)s, t + 1, memory_order_release);
}""" % dict(a=a, v=v, n=n, turns=turns)


@round_
def knock(g, n):
    """threads send signals to each other while they work"""
    if n < 2:
        return barrier(g, n)

    def make():
        g.decl("""
static atomic_uint knocks;
static __thread volatile sig_atomic_t knocked;
static void on_knock(int signo)
{
	(void)signo;
	knocked = knocked + 1;
	atomic_fetch_add(&knocks, 1);
}""")
        g.setup.append("""{
	struct sigaction sa = {.sa_handler = on_knock, .sa_flags = SA_RESTART};

	sigemptyset(&sa.sa_mask);
	CHECK(!sigaction(SIGRTMIN, &sa, NULL));
}""")
    g.once("knock", make)
    b, who = g.name("barrier"), g.name("whom")
    g.decl("static pthread_barrier_t %s;\nstatic pthread_t %s[%d];" % (b, who, n))
    g.setup.append("pthread_barrier_init(&%s, NULL, %d);" % (b, n))
    return """%(w)s[c->id] = pthread_self();
pthread_barrier_wait(&%(b)s);
for (int i = 0; i < %(k)d; i++) {
	CHECK(!pthread_kill(%(w)s[(c->id + 1) %% %(n)d], SIGRTMIN));
	%(body)s
	c->mix += (u64)knocked;
}
pthread_barrier_wait(&%(b)s);""" % dict(w=who, b=b, n=n, k=g.num(1, 5),
                                       body="c->det = hash(c->det + %s);" % g.const())


@round_
def writers(g, n):
    """readers and writers of one table, under a reader-writer lock"""
    l, t = g.name("rwlock"), g.name("table")
    g.decl("static pthread_rwlock_t %s = PTHREAD_RWLOCK_INITIALIZER;\nstatic u64 %s[16];" % (l, t))
    return """for (u32 i = 0; i < %(k)d; i++) {
	if ((i + c->id) %% %(m)d) {
		pthread_rwlock_rdlock(&%(l)s);
		for (int j = 0; j < 16; j++)
			c->mix += %(t)s[j];
	} else {
		pthread_rwlock_wrlock(&%(l)s);
		%(t)s[(c->det + i) %% 16] += c->id + 1;
		%(g)s
	}
	pthread_rwlock_unlock(&%(l)s);
}""" % dict(l=l, t=t, k=g.num(1, 15), m=g.num(2, 4), g=guarded(g))
