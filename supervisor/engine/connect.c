/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/connect.h"

#include "supervisor/calls/histogram.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/dump.h"
#include "supervisor/engine/engine_state.h"
#include "supervisor/engine/stops.h"
#include "supervisor/sample/ticks.h"

static void read_maps(void *context, struct process *process, const char *text)
{
	struct engine *engine = context;

	histogram_see_maps(engine->options->histogram, process, text);
}

static bool announce_maps(
	void *context, struct process *process, const char *text, size_t bytes, uint64_t now)
{
	struct engine *engine = context;

	return emit_maps(&engine->emitter, now, process, text, bytes);
}

static const struct maps_events maps_events = {read_maps, announce_maps};

static void turn_off(void *context, struct process *process)
{
	struct engine *engine = context;

	session_clear(&engine->sessions, process);
}

static void drain(void *context)
{
	lifecycle_drain(context);
}

static const struct restart_events restart_events = {turn_off, drain};

static void sessions_changed(void *context)
{
	struct engine *engine = context;

	engine->elapser.next_ns = 0;
	choice_see_sessions(engine);
	sampling_set_periods(engine);
}

/* The table counts CPU time from now on: what the threads used before is no reason for ticks. */
static void table_begins(void *context, const struct process *process)
{
	struct engine *engine = context;

	for (size_t i = 0; i < engine->target.tracees; i++) {
		struct tracee *t = engine->target.tracee[i];
		struct cpu_time cpu = {0};

		if (t->process != process || !t->sample)
			continue;
		(void)procfiles_read_cpu(&engine->files, t, &cpu);
		ticks_forget_all(t->sample, cpu.run_ns);
	}
}

static void see_threads(void *context, const struct process *process)
{
	cpu_account_read_all(context, process);
}

static const struct lifecycle_stops profile_stops = {stops_take, NULL, stops_overtaken};

static bool interrupt(void *context, struct tracee *t)
{
	return stops_ask(context, t);
}

static const struct lifecycle_stops dump_stops = {dump_stop, dump_group_stop, dump_again};

void connect_parts(struct engine *engine)
{
	const struct engine_options *options = engine->options;

	engine->target.couriers = &engine->couriers;
	procfiles_init(&engine->files, &engine->target, &engine->say);
	engine->maps = (struct maps_reader){.files = &engine->files,
		.stacks = options->max_stack > 0,
		.events = &maps_events,
		.context = engine};
	engine->restarter = (struct restarter){.target = &engine->target,
		.files = &engine->files,
		.events = &restart_events,
		.context = engine};
	engine->special.say = &engine->say;
	engine->life.stops = options->dump ? &dump_stops : &profile_stops;
	engine->sessions = (struct sessions){.target = &engine->target,
		.say = &engine->say,
		.streams = SAMPLING_HISTOGRAM,
		.changed = sessions_changed,
		.begins = table_begins,
		.see = see_threads,
		.interrupt = interrupt,
		.context = engine};
	engine->service.sessions = &engine->sessions;
	engine->service.answerer.files = &engine->files;
	engine->service.restrict_fast = options->restrict_fast;
	cost_init(&engine->bounds.cost, options->max_cost_ppm);
	engine->births.tracer.follow = options->follow;
}
