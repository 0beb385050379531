/* The scenarios that target.c runs by name; reader.c knows what each leaves in the log. */
#ifndef TESTS_NATIVE_RECORD_TARGET_H
#define TESTS_NATIVE_RECORD_TARGET_H

/* SCENARIO(name): functions void scenario_NAME(void), called as traced code. */
#define SCENARIOS(X) \
	X(values) X(bulk) X(heap) X(locks) X(waits) X(once) X(jumps) X(foreign) X(vararg) X(context) \
	X(threads) X(storm) X(results) X(detached) X(cancel) X(cancel_async) X(thread_exit) \
	X(main_thread_exit) X(robust) \
	X(signals) X(signal_storm) X(signal_jump) X(signal_old) X(signal_fork) X(crash) X(divide) \
	X(kill_self) X(raised) \
	X(exit) X(exit_now) X(exit_quick) X(abort) X(exec) X(exec_fails) X(fork) X(fork_native) \
	X(endless) X(environment)

#define DECLARE(name) void scenario_##name(void);
SCENARIOS(DECLARE)
#undef DECLARE

#endif
