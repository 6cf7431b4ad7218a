/* SPDX-License-Identifier: MIT */
/*
 * The only file that calls ptrace(2). All functions act on one thread by its tid, never block, and
 * return 0 or -errno. -ESRCH (dead, or not in a ptrace-stop) is daily life: the next wait tells.
 */
#ifndef SUPERVISOR_TRACER_H
#define SUPERVISOR_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/arch.h"

struct tracer_options {
	bool follow; /* trace children too */
};

/* Makes the calling thread the tracer of @tid, which goes on running. */
int tracer_seize(int tid, const struct tracer_options *options);

/* Asks for a stop. It comes when the thread gets to it; wait tells. */
int tracer_interrupt(int tid);
/* Is there a thread @tid, be it a zombie? A signal that is none asks. */
bool tracer_lives(int tid);

/* Lets a stopped thread go on, with @signal delivered (0: none). The one place that resumes. */
int tracer_resume(int tid, int signal);

/* The same, and it stops again where it enters or leaves its next system call. */
int tracer_resume_to_call(int tid, int signal);

/* Leaves a thread in its group-stop, but hears of its end. */
int tracer_listen(int tid);

/* Registers of a stopped thread. May run in the stop window. -EPROTO: a size we do not know. */
int tracer_get_snapshot(int tid, struct arch_snapshot *ret_snapshot);

/* The same registers as they are, to change some and put them back. Not in the stop window. */
int tracer_get_raw(int tid, struct arch_raw *ret_raw);
int tracer_set_raw(int tid, const struct arch_raw *raw);

/*
 * Arguments of the call that a stopped thread has just left, where a register does not keep the
 * first. The kernel keeps it, and tells it at stops for seccomp only, which it knows by the signal
 * information of the stop; so that is made to look like one, and put back. Only for a trap, and for
 * a signal that will not reach the program: should we die here nobody sees the difference.
 * -ENOTSUP: before Linux 5.3.
 */
int tracer_get_arguments(int tid, uint64_t ret_argument[6]);

/* aarch64: whatever register 0 holds at the exit of a call, it is no result. */
int tracer_forget_call(int tid);

/* The number that comes with a ptrace event: a new tid, a former tid, an exit status. */
int tracer_get_message(int tid, uint64_t *ret_message);

/* Lets a stopped thread go for good. A running one is let go by the end of the tracing thread. */
int tracer_detach(int tid);

#endif
