/* SPDX-License-Identifier: MIT */
#include "supervisor/output/self_audit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The 5 bits below the leading one are the step: 1000 ns = 2^9 * 1.953 is in octave 9, step 30. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned octave, step;

	if (ns < 1)
		ns = 1;
	octave = 63 - (unsigned)__builtin_clzll(ns);
	if (octave >= AUDIT_OCTAVES)
		return AUDIT_OCTAVES * AUDIT_STEPS - 1;
	step = (unsigned)((octave >= 5 ? ns >> (octave - 5) : ns << (5 - octave)) & 31);
	return octave * AUDIT_STEPS + step;
}

static uint64_t middle_of(unsigned bucket)
{
	uint64_t octave = bucket / AUDIT_STEPS, step = bucket % AUDIT_STEPS;
	uint64_t low = ((UINT64_C(32) + step) << octave) / 32;
	uint64_t high = ((UINT64_C(33) + step) << octave) / 32;

	return (low + high) / 2;
}

void audit_histogram_add(struct audit_histogram *histogram, uint64_t ns)
{
	histogram->count[bucket_of(ns)]++;
	histogram->total++;
	if (ns > histogram->max_ns)
		histogram->max_ns = ns;
}

uint64_t audit_histogram_quantile(const struct audit_histogram *histogram, unsigned per_mille)
{
	uint64_t below = 0, want = (histogram->total * per_mille + 999) / 1000;

	if (!histogram->total)
		return 0;
	if (per_mille >= 1000)
		return histogram->max_ns;
	for (unsigned i = 0; i < AUDIT_OCTAVES * AUDIT_STEPS; i++) {
		below += histogram->count[i];
		if (below >= want && below) {
			uint64_t ns = middle_of(i);

			return ns < histogram->max_ns ? ns : histogram->max_ns;
		}
	}
	return histogram->max_ns;
}

int self_audit_print(
	const struct self_audit *audit, uint64_t supervisor_cpu_ns, char *to, size_t room)
{
	bool calls = audit->calls.counted || audit->calls.dropped || audit->calls.lost;
	bool closed = audit->all_closed && !audit->chooses;
	const struct {
		const char *key;
		uint64_t value;
		bool shown;
	} figures[] = {
		{"period_ns", audit->period_ns, true},
		{"found_ns", audit->found_ns, true},
		{"instants", audit->instants, true},
		{"late_instants", audit->late_instants, true},
		{"throttled_instants", audit->throttled_instants, true},
		{"unproved_stops", audit->unproved_stops, true},
		{"busy_instants", audit->busy_instants, true},
		{"questions", audit->question->total, true},
		{"question_ns_p50", audit_histogram_quantile(audit->question, 500), true},
		{"question_ns_p99", audit_histogram_quantile(audit->question, 990), true},
		{"question_ns_max", audit->question->max_ns, true},
		{"realtime", audit->realtime, true},
		{"kernel_cpu_ns", audit->kernel_ns, true},
		{"wall_ns", audit->ended_ns - audit->began_ns, true},
		{"stops", audit->stops, true},
		{"stop_ns_p50", audit_histogram_quantile(&audit->stop, 500), true},
		{"stop_ns_p99", audit_histogram_quantile(&audit->stop, 990), true},
		{"stop_ns_max", audit->stop.max_ns, true},
		{"stopped_ns", audit->stopped_ns, true},
		{"cost_ns", audit->cost_ns, true},
		{"lost_samples", audit->lost_samples, true},
		{"missed_stops", audit->missed_stops, true},
		{"unwatched_threads", audit->unwatched_threads, true},
		{"processes", audit->processes, true},
		{"threads", audit->threads, true},
		{"analyst_restarts", audit->analyst_restarts, true},
		{"repaired_calls", audit->repaired_calls, true},
		{"unrepaired_eintr", audit->unrepaired_eintr, true},
		{"supervisor_cpu_ns", supervisor_cpu_ns, true},
		{"yielded_ns", audit->yielded_ns, audit->yielded_ns},
		{"undelivered_pages", audit->undelivered_pages, audit->undelivered_pages},
		{"minor_faults", audit->in_kernel.minor_faults, closed},
		{"major_faults", audit->in_kernel.major_faults, closed},
		{"system_cpu_ns", audit->in_kernel.system_ns, closed},
		{"chosen_threads", audit->chosen_threads, audit->chooses},
		{"untraced_exits", audit->untraced_exits, audit->untraced_exits},
		{"descendants_left", audit->descendants_left, audit->descendants_left},
		{"left_out_cpu_ns", audit->left_out_ns, audit->chooses},
		{"recording", audit->recording, audit->recording},
		{"recording_file", audit->recording_file, audit->recording},
		{"continued_processes", audit->continued_processes, audit->recording},
		{"continued_threads", audit->continued_threads, audit->recording},
		{"elapsed_ns", audit->elapsed_ns, audit->wall},
		{"runqueue_ns", audit->waited.queue_ns, audit->wall},
		{"blocked_ns", audit->waited.blocked_ns, audit->wall},
		{"unattributed_runqueue_ns", audit->unattributed.queue_ns, audit->wall},
		{"unattributed_blocked_ns", audit->unattributed.blocked_ns, audit->wall},
		{"looks", audit->looks, audit->wall},
		{"unsure_looks", audit->unsure_looks, audit->wall || audit->unsure_looks},
		{"lost_looks", audit->lost_looks, audit->wall},
		{"sprofil_counted", audit->calls.counted, calls},
		{"sprofil_dropped", audit->calls.dropped, calls},
		{"sprofil_faults", audit->calls.faults, calls},
		{"sprofil_lost", audit->calls.lost, calls},
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		int r = figures[i].shown ? snprintf(to + n, room - n, "%s %" PRIu64 "\n",
						   figures[i].key, figures[i].value)
					 : 0;

		if (r < 0 || (size_t)r >= room - n)
			return -ENOSPC;
		n += (size_t)r;
	}
	return (int)n;
}
