/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/figures.h"

#include "base/clock.h"
#include "supervisor/engine/cpu_account.h"
#include "supervisor/engine/engine_state.h"

static void add_open_accounts(const struct target *target, struct self_audit *audit, uint64_t now)
{
	for (size_t i = 0; i < target->tracees; i++) {
		const struct account *a = &target->tracee[i]->account;
		const struct wall *wall = &target->tracee[i]->wall;
		struct waiting owed = wall_owes(wall);

		waiting_add(&audit->unattributed, &owed);
		audit->elapsed_ns += wall->begin_ns ? now - wall->begin_ns : 0;
		*(target->tracee[i]->left_out ? &audit->left_out_ns : &audit->kernel_ns) +=
			a->seen.run_ns > a->start_ns ? a->seen.run_ns - a->start_ns : 0;
	}
}

static struct session_figures calls_since(
	const struct session_figures *now, const struct session_figures *before)
{
	return (struct session_figures){.counted = now->counted - before->counted,
		.dropped = now->dropped - before->dropped,
		.faults = now->faults - before->faults,
		.lost = now->lost - before->lost};
}

bool figures_print(const struct engine *engine, uint64_t now, char ret_text[FIGURES_BYTES])
{
	struct self_audit audit = engine->audit;
	const struct target *target = &engine->target;
	const struct sample_figures *figures = &engine->sampling.sampler.figures;
	const struct rotation *before = &engine->rotation;

	audit.descendants_left = engine->options->descendants_left;
	audit.all_closed = !engine->counting;
	if (engine->counting)
		add_open_accounts(target, &audit, now);
	for (size_t i = 0; i < target->images; i++)
		waiting_add(&audit.unattributed, &target->image[i]->waited);
	audit.instants = figures->instants - before->sampled.instants;
	audit.late_instants = figures->late - before->sampled.late;
	audit.throttled_instants = figures->throttled - before->sampled.throttled;
	audit.busy_instants = figures->busy - before->sampled.busy;
	audit.question = &engine->sampling.question;
	audit.unproved_stops = figures->unproved - before->sampled.unproved;
	audit.cost_ns = engine->bounds.cost.total_ns > before->cost_ns
		? engine->bounds.cost.total_ns - before->cost_ns
		: 0;
	audit.repaired_calls = engine->restarter.repaired - before->repaired;
	audit.unrepaired_eintr = engine->restarter.unrepaired - before->unrepaired;
	audit.undelivered_pages = engine->couriers.given_up - before->undelivered;
	audit.unwatched_threads += engine->files.unwatched;
	audit.calls = calls_since(&engine->sessions.figures, &before->calls);
	audit.ended_ns = now;
	ret_text[0] = '\0';
	return self_audit_print(&audit, clock_read(CLOCK_PROCESS_CPUTIME_ID) - before->cpu_ns,
		       ret_text, FIGURES_BYTES) >= 0;
}

void figures_snapshot(struct engine *engine)
{
	char text[FIGURES_BYTES];
	uint64_t now = clock_now();

	cpu_account_report_all(engine, now);
	if (!figures_print(engine, now, text) ||
		!emit_audit(&engine->emitter, now, RECORD_SNAPSHOT, 0, text))
		say_line(&engine->say, SAY_WARNING,
			"no snapshot was written: the analyst is busy, or gone");
}
