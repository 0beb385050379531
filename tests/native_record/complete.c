/*
 * Fails to link if a function of log/sync.def has no wrapper. Those of heddle/heddle.h stand under
 * their own names.
 */
#define OWN_NAME(name) __asm__(".set __heddle_" #name ", " #name);
OWN_NAME(__heddle_user_atomic_begin)
OWN_NAME(__heddle_user_atomic_end)
OWN_NAME(__heddle_user_epoch)
OWN_NAME(__heddle_user_assert)
OWN_NAME(__heddle_user_assume)
OWN_NAME(__heddle_user_input)

__asm__(".pushsection .data.rel.ro, \"aw\"");
#define SYNC(name, kind, object, ...) __asm__(".quad __heddle_" #name);
#include "log/sync.def"
__asm__(".popsection");
