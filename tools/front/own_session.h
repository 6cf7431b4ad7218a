/* SPDX-License-Identifier: MIT */
/*
 * Divides the program into two processes: the one that the shell knows, and the tracer, which gets
 * a session of its own. There are two purposes:
 *
 * 	time	If each session has a share of the CPUs (autogroup, sched(7)) and real-time priority
 * 		is not permitted, sampling threads in the target's session would be late: these
 * 		threads would compete for the target's share like one more thread of the target.
 * 	safety	A suspended tracer (^Z, SIGSTOP) holds its target's threads. Of a divided program,
 * 		only the process that the shell knows is suspended.
 */
#ifndef TOOLS_FRONT_OWN_SESSION_H
#define TOOLS_FRONT_OWN_SESSION_H

#include <stdbool.h>

#include "supervisor/engine/engine.h"
#include "tools/front/terminal_relay.h"

/*
 * Divides this process. With a command, does so only if the tracer would otherwise be late ("time"
 * above), or if @relay is used.
 *
 * The parent never returns. It represents both processes to the shell: it passes on the signals
 * that it gets (signals_forward()), and stops and ends as the child does. The child stops when its
 * command stops. If the target is attached processes, only the parent stops, and profiling goes on.
 *
 * Returns true in the child. The child must trace, start the command and the analyst, and then
 * leave the session (engine_options.own_session). The child is killed if the parent ends first.
 * Returns false if the process was not divided. Call it with one thread, as it forks, and with the
 * signals of signals_handled() blocked.
 *
 * @relay, if used: the parent relays between our terminal and the command's. May be NULL.
 */
bool own_session_divide(const struct engine_options *options, struct terminal_relay *relay);

#endif
