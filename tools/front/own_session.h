/* SPDX-License-Identifier: MIT */
/*
 * Divides the program into the process that the shell knows and the one that traces, in a session
 * of its own. This is for two purposes:
 *
 *	time	If each session has its share of the CPUs (autogroup, sched(7)) and real-time
 *		priority is not permitted, the sampling threads would be late: their share would be
 *		that of one more thread of the target.
 *	safety	A tracer that is suspended (^Z, SIGSTOP) holds the threads of its target. Of a
 *		divided program only the process that the shell knows is suspended.
 */
#ifndef TOOLS_FRONT_OWN_SESSION_H
#define TOOLS_FRONT_OWN_SESSION_H

#include <stdbool.h>

#include "supervisor/engine/engine.h"
#include "tools/front/terminal_relay.h"

/*
 * Divides this process in two; if it starts a command, only where the tracer would otherwise be
 * late (see "time" above). The parent never returns: it represents both to the shell, passes on its
 * signals (signals_forward()), and ends as the child does. It also stops as the child does, and the
 * child stops when its command does. If it attaches to processes instead, only the parent stops,
 * and profiling goes on. True: this is the child. It must trace, start the command and the analyst,
 * and then leave the session (engine_options.own_session). It ends if the parent is killed. False:
 * nothing has changed. Call while there is one thread, with the signals of signals_handled()
 * blocked.
 *
 * @relay, if it is not NULL and used: this process is divided in any case, and the parent relays
 * between our terminal and the command's.
 */
bool own_session_divide(const struct engine_options *options, struct terminal_relay *relay);

#endif
