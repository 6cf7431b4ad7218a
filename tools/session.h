/* SPDX-License-Identifier: MIT */
/*
 * A session of their own for the threads that sample. Where each session has its share of the CPUs
 * (autogroup, sched(7)) and real time is not permitted, they would come too late: their share would
 * be that of one more thread of the target.
 */
#ifndef TOOLS_SESSION_H
#define TOOLS_SESSION_H

#include <stdbool.h>

/*
 * Divides this process in two where that helps. The parent never returns: it stands for both before
 * the shell, passes on its signals (engine_forward()), stops and ends as the other one does. True:
 * this is the child, which is to trace, start the command and the analyst, and leave the session
 * then (engine_options.own_session). It ends if the parent is killed. False: all is as it was.
 * To be called while there is one thread, with the signals of engine_signals() blocked.
 */
bool session_divide(bool no_realtime);

#endif
