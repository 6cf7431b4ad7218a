/* SPDX-License-Identifier: MIT */
/*
 * The state of the engine: its parts, each declared in the header of the .c file that works with
 * that part, and what several files share.
 */
#ifndef SUPERVISOR_ENGINE_STATE_H
#define SUPERVISOR_ENGINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/calls/service.h"
#include "supervisor/calls/session.h"
#include "supervisor/engine/birth.h"
#include "supervisor/engine/blocked_scan.h"
#include "supervisor/engine/bounds.h"
#include "supervisor/engine/choice.h"
#include "supervisor/engine/elapse.h"
#include "supervisor/engine/engine.h"
#include "supervisor/engine/lifecycle.h"
#include "supervisor/engine/reader.h"
#include "supervisor/engine/rotate.h"
#include "supervisor/engine/runtime_records.h"
#include "supervisor/engine/sampling.h"
#include "supervisor/engine/serving.h"
#include "supervisor/engine/timing.h"
#include "supervisor/os/courier.h"
#include "supervisor/os/launch.h"
#include "supervisor/os/say.h"
#include "supervisor/os/watchdog.h"
#include "supervisor/output/emit.h"
#include "supervisor/output/self_audit.h"
#include "supervisor/target/maps.h"
#include "supervisor/target/procfiles.h"
#include "supervisor/target/restart.h"
#include "supervisor/target/special.h"
#include "supervisor/target/stack.h"
#include "supervisor/target/target.h"

struct engine {
	const struct engine_options *options;
	struct engine_result *result;
	struct say say;
	struct target target;
	struct couriers couriers;
	struct procfiles files;
	struct maps_reader maps;
	struct restarter restarter;
	struct special special;
	struct launch launch;
	struct births births;
	struct lifecycle life;
	struct choice choice;
	struct sessions sessions;
	struct service service;
	struct elapser elapser;
	struct sampling sampling;
	struct bounds bounds;
	struct blocked_scan blocked_scan;
	struct stack_copy stack; /* of the stopped thread */
	struct runtime_records runtimes;
	struct self_audit audit;
	struct emitter emitter;
	struct reader reader;
	struct rotation rotation;
	struct serving serving;
	uint64_t period_ns;
	bool counting; /* samples are taken and CPU time is counted */
	struct timing timing;
	struct watchdog watchdog;
	int signal_fd;
};

#endif
