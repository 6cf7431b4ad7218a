/* SPDX-License-Identifier: MIT */
/*
 * --listen and --push: opens the port, and starts sprofil-server and sprofil-push. Only these two
 * processes, in sandboxes, read what comes from the network.
 */
#ifndef TOOLS_FRONT_SERVE_FRONT_H
#define TOOLS_FRONT_SERVE_FRONT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/command_line.h"
#include "supervisor/engine/engine.h"

struct serve_front {
	const char *program; /* for messages */
	const char *listen;  /* --listen as given; NULL: not given */
	char *url;           /* --push: the store's address; NULL: not given */
	const char *every;   /* --push-every as given; NULL: not given */
	uint64_t push_ns;    /* --push-every */
	/* the password was visible in the command line until it was overwritten */
	bool password_shown;
	bool quiet, verbose, on_demand;
	char address[80];            /* the server's URL; "": it does not listen */
	bool port_chosen;            /* the kernel chose the port: the user must be told */
	bool reachable;              /* other machines can reach the port */
	struct engine_server server; /* valid after serve_front_begin() */
	pid_t server_pid, push_pid;
};

#define SERVE_FRONT_DEFAULT(name)                 \
	((struct serve_front){.program = (name),  \
		.push_ns = UINT64_C(15000000000), \
		.server = {.request_fd = -1, .pieces_fd = -1}})

struct option_set serve_front_options(struct serve_front *front);
bool serve_front_is_given(const struct serve_front *front);
/* After the last option: refuses options without effect, warns of a visible password. */
void serve_front_check(const struct serve_front *front);

/*
 * Opens the port, and starts sprofil-server and, with --push, sprofil-push. Does nothing if neither
 * option was given. @name: what is profiled. In a divided program (own_session_divide()), call this
 * function in the child, which starts all other processes. False: it failed, after a message.
 */
bool serve_front_begin(struct serve_front *front, const char *name, struct engine_options *engine);

/* Prints the server's address, if it listens. Call once there is something to serve. */
void serve_front_print(const struct serve_front *front);

/*
 * Call after the end of the engine and the analyst, with the signals of signals_handled() blocked.
 * Waits for the last answers: at most 10 s for the server; sprofil-push limits its own time.
 *
 * While the command lives, signals are passed on to it. Otherwise a signal to end
 * (signals_is_control(), but not SIGUSR2) ends the wait and kills both processes. @ordered: a
 * signal to end has come before this call. False: with --push, a profile did not reach the store.
 */
bool serve_front_join(struct serve_front *front, const struct engine_result *result, bool ordered);

#endif
