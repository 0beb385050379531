/*
 * Thread-specific data. A key is an index into one table of the process; each thread has a growing
 * array of values. Both carry the key's generation, so that the value of a deleted key does not
 * show through a new one with the same index.
 */
#include "model_thread.h"

struct model_specific {
	uint32_t generation; /* of the key when the value was set; 0 = none */
	void *value;
};

static struct {
	uint32_t generation; /* 0 = never used */
	bool used;
	void (*destructor)(void *);
} keys[PTHREAD_KEYS_MAX];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	__heddle_sync("pthread_key_create", key);
	for (unsigned k = 0; k < PTHREAD_KEYS_MAX; k++) {
		if (keys[k].used)
			continue;
		keys[k].used = true;
		keys[k].generation++;
		keys[k].destructor = destructor;
		*key = k;
		return 0;
	}
	return EAGAIN;
}

int pthread_key_delete(pthread_key_t key)
{
	__heddle_sync("pthread_key_delete", NULL);
	if (key >= PTHREAD_KEYS_MAX || !keys[key].used)
		return EINVAL;
	keys[key].used = false;
	return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
	struct model_thread *t = __m_self();

	if (key >= t->nspecific || !keys[key].used ||
		t->specific[key].generation != keys[key].generation)
		return NULL;
	return t->specific[key].value;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
	struct model_thread *t = __m_self();

	if (key >= PTHREAD_KEYS_MAX || !keys[key].used)
		return EINVAL;
	if (key >= t->nspecific) {
		unsigned n = key + 8;
		struct model_specific *s = __heddle_alloc(n * sizeof(*s), _Alignof(void *), true);
		if (!s)
			return ENOMEM;
		for (unsigned i = 0; i < t->nspecific; i++)
			s[i] = t->specific[i];
		if (t->specific)
			__heddle_free(t->specific);
		t->specific = s;
		t->nspecific = n;
	}
	t->specific[key].generation = keys[key].generation;
	t->specific[key].value = (void *)value;
	return 0;
}

/* One pass in the order of the keys; false if there was nothing to destroy. */
static bool destroy_pass(struct model_thread *t)
{
	bool any = false;

	for (unsigned k = 0; k < t->nspecific; k++) {
		void *value = pthread_getspecific(k);
		if (!value)
			continue;
		t->specific[k].value = NULL;
		if (keys[k].destructor) {
			keys[k].destructor(value);
			any = true;
		}
	}
	return any;
}

void __m_specific_destroy(struct model_thread *t)
{
	for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS; i++)
		if (!destroy_pass(t))
			break;
	if (t->specific)
		__heddle_free(t->specific);
	t->specific = NULL;
	t->nspecific = 0;
}
