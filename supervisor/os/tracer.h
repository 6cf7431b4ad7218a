/* SPDX-License-Identifier: MIT */
/*
 * The only file that calls ptrace(2). All functions act on one thread by its tid, never block, and
 * return 0 or -errno. -ESRCH is normal: the thread is dead or not in a ptrace-stop; the next result
 * of waiter_peek() tells which.
 */
#ifndef SUPERVISOR_TRACER_H
#define SUPERVISOR_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/arch.h"

struct tracer_options {
	bool follow; /* trace children too */
	bool exits;  /* stop the thread when it begins to exit: PTRACE_EVENT_EXIT */
};

/* Makes the calling thread the tracer of @tid, which continues to run. */
int tracer_seize(int tid, const struct tracer_options *options);
/* Changes the options of a stopped thread. A new thread or process has those of its creator. */
int tracer_set_options(int tid, const struct tracer_options *options);

/* Requests a stop, which comes later and is reported by wait. */
int tracer_interrupt(int tid);
/* Does thread @tid exist, possibly as a zombie? Checked with signal 0. */
bool tracer_lives(int tid);

/* Resumes a stopped thread, with @signal delivered (0: none). */
int tracer_resume(int tid, int signal);

/* Like tracer_resume(), but the thread stops again at the entry or exit of its next call. */
int tracer_resume_to_call(int tid, int signal);

/* Leaves a thread in its group-stop; the end of that stop will be reported. */
int tracer_listen(int tid);

/* For a stopped thread; may run in the stop window. -EPROTO: registers of an unknown size. */
int tracer_get_snapshot(int tid, struct arch_snapshot *ret_snapshot);

/*
 * tracer_get_raw() reads the registers of a stopped thread, to modify them; tracer_set_raw() writes
 * them back. Must not be called in the stop window.
 */
int tracer_get_raw(int tid, struct arch_raw *ret_raw);
int tracer_set_raw(int tid, const struct arch_raw *raw);

/*
 * Reads the arguments of the call that a stopped thread has just left, on machines where no
 * register keeps the first argument.
 *
 * The kernel tells the arguments only at a seccomp stop (PTRACE_GET_SYSCALL_INFO). It recognizes
 * such a stop by the stop's signal information, so this is changed for a moment. If the supervisor
 * dies in that moment, the changed information stays. So call only at a trap, or at a signal that
 * will not reach the program: then the program does not see it. -ENOTSUP: Linux is older than 5.3.
 */
int tracer_get_arguments(int tid, uint64_t ret_argument[6]);

/*
 * aarch64, at the exit of a call: tells the kernel that the thread is in no call. Otherwise the
 * kernel may take the value of register 0 for the call's result, and restart the call.
 */
int tracer_forget_call(int tid);

/* Reads PTRACE_GETEVENTMSG: the new tid at a birth, the former tid at an exec. */
int tracer_get_message(int tid, uint64_t *ret_message);

/*
 * Detaches a stopped thread. Threads that run are detached by the kernel when the tracing thread
 * ends.
 */
int tracer_detach(int tid);

#endif
