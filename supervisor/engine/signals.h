/* SPDX-License-Identifier: MIT */
/* Signals to the supervisor: which of them the command also gets, and which are passed on to it. */
#ifndef SUPERVISOR_SIGNALS_H
#define SUPERVISOR_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct engine_result;

/*
 * The origin of a signal. If signals_forward() passes the signal on, it puts the origin and the
 * first sender in the new signal's value (sigqueue(3)).
 */
enum signals_origin {
	SIGNALS_SENT = 0x73707200,   /* by kill(2), to the supervisor alone */
	SIGNALS_FROM_TERMINAL,       /* the terminal has sent it to the command as well */
	SIGNALS_FROM_TERMINAL_TO_US, /* a hang-up, which only the session leader gets: we are it */
};

/*
 * Returns who sent a signal, and to whom. The terminal sends its signals to the command, too. But
 * it sends a hang-up only to the leader of its session. If the supervisor was started in the
 * command's place, it is that leader; the others get the hang-up when the leader ends. *@sender is
 * the pid in the siginfo. If the signal was forwarded, *@sender is set to the pid of its first
 * sender.
 */
enum signals_origin signals_origin(int signal, int code, uint64_t value, int *sender);
/* Was the signal sent to the supervisor, and not to the command as well? */
bool signals_is_ours_alone(const struct engine_result *result, enum signals_origin origin);
/*
 * Passes a signal on to the command. If the terminal sent it and the command has its own session,
 * the command's process group gets it. After the terminal's hang-up SIGCONT is sent, as by the
 * kernel, so that a stopped process gets the hang-up.
 */
void signals_send(const struct engine_result *result, int signal, enum signals_origin origin);

/* Does @signal go to the command while it lives, and end the profiling otherwise? */
bool signals_is_control(int signal);
/* Is @signal a request to stop, which a terminal or a full-screen program sends on ^Z? */
bool signals_is_stop(int signal);

/* Call after engine_run(): passes on a signal that only we got. True: the command lives. */
bool signals_pass_on(const struct engine_result *result, const siginfo_t *info);

/* Sends @pid a signal that this process got in its place, with the signal's origin. */
void signals_forward(int pid, const siginfo_t *info);

/*
 * Waits for a command that outlives engine_run() (--duration). If a signal comes that only the
 * supervisor got, passes it on to the command. Returns 0 and the command's wait status, or -errno.
 */
int signals_join_command(const struct engine_result *result, int *ret_status);

/* Sets *@ret_set to the engine's signals, to be blocked before threads are created. */
void signals_handled(sigset_t *ret_set);

#endif
