/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/self_audit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The 5 bits below the leading one select the step: 1000 ns = 2^9 * 1.953 is octave 9, step 30. */
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

struct figure {
	const char *key;
	uint64_t value;
};

struct page {
	char *to;
	size_t room, n;
};

static int print(struct page *page, const struct figure *figure, size_t figures)
{
	for (size_t i = 0; i < figures; i++) {
		int r = snprintf(page->to + page->n, page->room - page->n, "%s %" PRIu64 "\n",
			figure[i].key, figure[i].value);

		if (r < 0 || (size_t)r >= page->room - page->n)
			return -ENOSPC;
		page->n += (size_t)r;
	}
	return 0;
}

static int print_wall(struct page *page, const struct self_audit *audit)
{
	const struct figure figures[] = {
		{"elapsed_ns", audit->elapsed_ns},
		{"runqueue_ns", audit->waited.queue_ns},
		{"blocked_ns", audit->waited.blocked_ns},
		{"unattributed_runqueue_ns", audit->unattributed.queue_ns},
		{"unattributed_blocked_ns", audit->unattributed.blocked_ns},
		{"looks", audit->looks},
		{"unsure_looks", audit->unsure_looks},
		{"lost_looks", audit->lost_looks},
	};

	return print(page, figures, sizeof(figures) / sizeof(*figures));
}

static int print_file(struct page *page, const struct self_audit *audit)
{
	const struct figure figures[] = {
		{"recording", audit->recording},
		{"recording_file", audit->recording_file},
		{"continued_processes", audit->continued_processes},
		{"continued_threads", audit->continued_threads},
	};

	return print(page, figures, sizeof(figures) / sizeof(*figures));
}

static int print_calls(struct page *page, const struct session_figures *calls)
{
	const struct figure figures[] = {
		{"sprofil_counted", calls->counted},
		{"sprofil_dropped", calls->dropped},
		{"sprofil_faults", calls->faults},
		{"sprofil_lost", calls->lost},
	};

	return print(page, figures, sizeof(figures) / sizeof(*figures));
}

int self_audit_print(
	const struct self_audit *audit, uint64_t supervisor_cpu_ns, char *to, size_t room)
{
	const struct figure figures[] = {
		{"period_ns", audit->period_ns},
		{"found_ns", audit->found_ns},
		{"instants", audit->instants},
		{"late_instants", audit->late_instants},
		{"throttled_instants", audit->throttled_instants},
		{"unproved_stops", audit->unproved_stops},
		{"realtime", audit->realtime},
		{"kernel_cpu_ns", audit->kernel_ns},
		{"wall_ns", audit->ended_ns - audit->began_ns},
		{"stops", audit->stops},
		{"stop_ns_p50", audit_histogram_quantile(&audit->stop, 500)},
		{"stop_ns_p99", audit_histogram_quantile(&audit->stop, 990)},
		{"stop_ns_max", audit->stop.max_ns},
		{"stopped_ns", audit->stopped_ns},
		{"cost_ns", audit->cost_ns},
		{"lost_samples", audit->lost_samples},
		{"missed_stops", audit->missed_stops},
		{"unwatched_threads", audit->unwatched_threads},
		{"processes", audit->processes},
		{"threads", audit->threads},
		{"analyst_restarts", audit->analyst_restarts},
		{"repaired_calls", audit->repaired_calls},
		{"unrepaired_eintr", audit->unrepaired_eintr},
		{"supervisor_cpu_ns", supervisor_cpu_ns},
	};
	const struct figure choice[] = {
		{"chosen_threads", audit->chosen_threads},
		{"left_out_cpu_ns", audit->left_out_ns},
	};
	const struct figure in_kernel[] = {
		{"minor_faults", audit->in_kernel.minor_faults},
		{"major_faults", audit->in_kernel.major_faults},
		{"system_cpu_ns", audit->in_kernel.system_ns},
	};
	const struct figure yielded = {"yielded_ns", audit->yielded_ns};
	const struct figure undelivered = {"undelivered_pages", audit->undelivered_pages};
	struct page page = {to, room, 0};
	int r = print(&page, figures, sizeof(figures) / sizeof(*figures));

	if (r == 0 && audit->yielded_ns)
		r = print(&page, &yielded, 1);
	if (r == 0 && audit->undelivered_pages)
		r = print(&page, &undelivered, 1);
	if (r == 0 && audit->all_closed && !audit->chooses)
		r = print(&page, in_kernel, sizeof(in_kernel) / sizeof(*in_kernel));
	if (r == 0 && audit->chooses)
		r = print(&page, choice, sizeof(choice) / sizeof(*choice));
	if (r == 0 && audit->recording)
		r = print_file(&page, audit);
	if (r == 0 && audit->wall)
		r = print_wall(&page, audit);
	if (r == 0 && (audit->calls.counted || audit->calls.dropped || audit->calls.lost))
		r = print_calls(&page, &audit->calls);
	return r < 0 ? r : (int)page.n;
}
