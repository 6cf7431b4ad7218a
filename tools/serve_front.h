/* SPDX-License-Identifier: MIT */
/*
 * What sprofrun and sprofserve do for --listen and --push: they open the port, start sprofil-server
 * and sprofil-push, and give them their descriptors. Nothing of HTTP is read here.
 */
#ifndef TOOLS_SERVE_FRONT_H
#define TOOLS_SERVE_FRONT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/engine/engine.h"

struct serve_front {
	const char *program;      /* for messages */
	const char *listen;       /* --listen; NULL none */
	char *url;                /* --push; NULL none */
	const char *every;        /* --push-every as it was given; NULL not */
	uint64_t push_ns;         /* --push-every */
	bool password_shown;      /* in the command line, until it was overwritten */
	bool quiet, verbose, on_demand;
	char address[80];            /* where it listens, as an URL; empty: nowhere */
	bool port_chosen;            /* by the kernel: nobody else knows it */
	bool reachable;              /* from other machines */
	struct engine_server server; /* for the engine, when begun */
	pid_t server_pid, push_pid;
};

#define SERVE_FRONT_DEFAULT(name)                 \
	((struct serve_front){.program = (name),  \
		.push_ns = UINT64_C(15000000000), \
		.server = {.request_fd = -1, .pieces_fd = -1}})

/* For a table of struct option. */
enum {
	SERVE_OPTION_LISTEN = 2048,
	SERVE_OPTION_PUSH,
	SERVE_OPTION_PUSH_FROM,
	SERVE_OPTION_PUSH_EVERY
};
/* clang-format off */
#define SERVE_OPTIONS_LONG \
	{"listen", required_argument, NULL, SERVE_OPTION_LISTEN}, \
	{"push", required_argument, NULL, SERVE_OPTION_PUSH}, \
	{"push-from", required_argument, NULL, SERVE_OPTION_PUSH_FROM}, \
	{"push-every", required_argument, NULL, SERVE_OPTION_PUSH_EVERY}

/* Lines of --help. */
#define SERVE_HELP_PUSH \
	"      --push URL           send profiles to a store (Pyroscope's /ingest)\n" \
	"      --push-from FILE     the same; the URL, which may hold a password, is in FILE\n" \
	"      --push-every TIME    how often (default 15s)\n"
/* clang-format on */

/* Takes an option of the above. False: it is none of them. */
bool serve_front_take(struct serve_front *front, int option, char *value);
bool serve_front_is_given(const struct serve_front *front);
/* After the last option: refuses what has no effect, and warns of a password that can be seen. */
void serve_front_check(const struct serve_front *front);

/*
 * Begins to listen, and starts who serves. @name is what is profiled. To be called after
 * session_divide(), by the parent of all. False, and a message, when that cannot be.
 */
bool serve_front_begin(struct serve_front *front, const char *name, struct engine_options *engine);

/* There is something to serve from now on: says where, if it listens. */
void serve_front_tell(const struct serve_front *front);

/*
 * The engine and the analyst have ended: waits for the last answers, a few seconds at most. An
 * order to end (engine_is_order()) that is not for a command which lives on ends this wait, and
 * those that are waited for. @ordered: one came while the analyst was waited for. The signals of
 * engine_signals() must be blocked.
 */
void serve_front_join(
	struct serve_front *front, const struct engine_result *result, bool ordered);

#endif
