/* SPDX-License-Identifier: MIT */
/*
 * A session of their own for the sampling threads. If each session has its share of the CPUs
 * (autogroup, sched(7)) and real-time priority is not permitted, they would otherwise be late:
 * their share would be that of one more thread of the target.
 */
#ifndef TOOLS_SESSION_H
#define TOOLS_SESSION_H

#include <stdbool.h>

/*
 * Divides this process in two if that helps. The parent never returns: for the shell it stands for
 * both, passes on its signals (engine_forward()), and stops and ends as the child does. True: this
 * is the child, which must trace, start the command and the analyst, and then leave the session
 * (engine_options.own_session). It ends if the parent is killed. False: nothing has changed. Call
 * while there is one thread, with the signals of engine_signals() blocked.
 */
bool session_divide(bool no_realtime);

#endif
