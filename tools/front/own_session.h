/* SPDX-License-Identifier: MIT */
/*
 * Divides the program into the process that the shell knows and the one that traces, in its own
 * session. Two purposes:
 *
 * 	time	If each session has a share of the CPUs (autogroup, sched(7)) and real-time priority
 * 		is not permitted, the sampling threads would be late: they would compete for the
 * 		target's share like one more of its threads.
 * 	safety	A suspended tracer (^Z, SIGSTOP) holds its target's threads. Of a divided program,
 * 		only the process that the shell knows is suspended.
 */
#ifndef TOOLS_FRONT_OWN_SESSION_H
#define TOOLS_FRONT_OWN_SESSION_H

#include <stdbool.h>

#include "supervisor/engine/engine.h"
#include "tools/front/terminal_relay.h"

/*
 * Divides this process; with a command, only where the tracer would otherwise be late ("time"
 * above), or if @relay is used.
 *
 * The parent never returns: it represents both processes to the shell, passes on its signals
 * (signals_forward()), and stops and ends as the child does; the child stops with its command. With
 * attached processes only the parent stops, and profiling goes on.
 *
 * True: this is the child. It must trace, start command and analyst, and then leave the session
 * (engine_options.own_session). It ends if the parent is killed. False: nothing has changed. Call
 * with one thread, and the signals of signals_handled() blocked.
 *
 * @relay, if used: the parent relays between our terminal and the command's. May be NULL.
 */
bool own_session_divide(const struct engine_options *options, struct terminal_relay *relay);

#endif
