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

bool figures_print(const struct engine *engine, uint64_t now, char ret_text[FIGURES_BYTES])
{
	struct self_audit audit = engine->audit;
	const struct target *target = &engine->target;
	const struct rotation *before = &engine->rotation;
	const struct sample_figures *sampled = &engine->sampling.sampler.figures;
	const struct audit_histogram *question = &engine->sampling.question;
	const struct session_figures *calls = &engine->sessions.figures;
	uint64_t counted = calls->counted - before->calls.counted;
	uint64_t dropped = calls->dropped - before->calls.dropped;
	uint64_t lost = calls->lost - before->calls.lost, cost = engine->bounds.cost.total_ns;
	uint64_t undelivered = engine->couriers.given_up - before->undelivered;
	uint64_t left = engine->options->descendants_left;
	bool called = counted || dropped || lost, closed = !engine->counting && !audit.chooses;

	if (engine->counting)
		add_open_accounts(target, &audit, now);
	for (size_t i = 0; i < target->images; i++)
		waiting_add(&audit.unattributed, &target->image[i]->waited);
	const struct audit_figure figures[] = {
		{"period_ns", audit.period_ns, true},
		{"found_ns", audit.found_ns, true},
		{"instants", sampled->instants - before->sampled.instants, true},
		{"late_instants", sampled->late - before->sampled.late, true},
		{"throttled_instants", sampled->throttled - before->sampled.throttled, true},
		{"unproved_stops", sampled->unproved - before->sampled.unproved, true},
		{"busy_instants", sampled->busy - before->sampled.busy, true},
		{"questions", question->total, true},
		{"question_ns_p50", audit_histogram_quantile(question, 500), true},
		{"question_ns_p99", audit_histogram_quantile(question, 990), true},
		{"question_ns_max", question->max_ns, true},
		{"realtime", audit.realtime, true},
		{"kernel_cpu_ns", audit.kernel_ns, true},
		{"wall_ns", now - audit.began_ns, true},
		{"stops", audit.stops, true},
		{"stop_ns_p50", audit_histogram_quantile(&audit.stop, 500), true},
		{"stop_ns_p99", audit_histogram_quantile(&audit.stop, 990), true},
		{"stop_ns_max", audit.stop.max_ns, true},
		{"stopped_ns", audit.stopped_ns, true},
		{"cost_ns", cost > before->cost_ns ? cost - before->cost_ns : 0, true},
		{"lost_samples", audit.lost_samples, true},
		{"missed_stops", audit.missed_stops, true},
		{"unwatched_threads", audit.unwatched_threads + engine->files.unwatched, true},
		{"processes", audit.processes, true},
		{"threads", audit.threads, true},
		{"analyst_restarts", audit.analyst_restarts, true},
		{"repaired_calls", engine->restarter.repaired - before->repaired, true},
		{"unrepaired_eintr", engine->restarter.unrepaired - before->unrepaired, true},
		{"supervisor_cpu_ns", clock_read(CLOCK_PROCESS_CPUTIME_ID) - before->cpu_ns, true},
		{"yielded_ns", audit.yielded_ns, audit.yielded_ns},
		{"undelivered_pages", undelivered, undelivered},
		{"minor_faults", audit.in_kernel.minor_faults, closed},
		{"major_faults", audit.in_kernel.major_faults, closed},
		{"system_cpu_ns", audit.in_kernel.system_ns, closed},
		{"chosen_threads", audit.chosen_threads, audit.chooses},
		{"untraced_exits", audit.untraced_exits, audit.untraced_exits},
		{"descendants_left", left, left},
		{"left_out_cpu_ns", audit.left_out_ns, audit.chooses},
		{"recording", audit.recording, audit.recording},
		{"recording_file", audit.recording_file, audit.recording},
		{"continued_processes", audit.continued_processes, audit.recording},
		{"continued_threads", audit.continued_threads, audit.recording},
		{"elapsed_ns", audit.elapsed_ns, audit.wall},
		{"runqueue_ns", audit.waited.queue_ns, audit.wall},
		{"blocked_ns", audit.waited.blocked_ns, audit.wall},
		{"unattributed_runqueue_ns", audit.unattributed.queue_ns, audit.wall},
		{"unattributed_blocked_ns", audit.unattributed.blocked_ns, audit.wall},
		{"looks", audit.looks, audit.wall},
		{"unsure_looks", audit.unsure_looks, audit.wall || audit.unsure_looks},
		{"lost_looks", audit.lost_looks, audit.wall},
		{"sprofil_counted", counted, called},
		{"sprofil_dropped", dropped, called},
		{"sprofil_faults", calls->faults - before->calls.faults, called},
		{"sprofil_lost", lost, called},
	};

	ret_text[0] = '\0';
	return audit_print(figures, sizeof(figures) / sizeof(*figures), ret_text, FIGURES_BYTES) >=
		0;
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
