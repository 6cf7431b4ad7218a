/* SPDX-License-Identifier: MIT */
/* The known figures, in the order of the summary. */
#include <string.h>

#include "profile/audit.h"
#include "profile/stats.h"

static const struct audit_key known[] = {
	{"samples", AUDIT_SUM, AUDIT_COUNT, false,
		"sampling instants that found a thread and were recorded"},
	{"period_ns", AUDIT_SAME, AUDIT_NS, false, "CPU time between two samples"},
	{"profiled_cpu_ns", AUDIT_SUM, AUDIT_NS, false, "CPU time that the samples stand for"},
	{"unattributed_cpu_ns", AUDIT_SUM, AUDIT_NS, false,
		"CPU time of threads without a sample: [unsampled]; with --user-only also that "
		"in system calls"},
	{"kernel_cpu_ns", AUDIT_SUM_OF_ALL, AUDIT_NS, false,
		"CPU time that the kernel charged to the profiled threads"},
	{"found_ratio", AUDIT_DERIVED, AUDIT_RATIO, false,
		"found_ns / kernel_cpu_ns: 1 within its noise when sampling is true"},
	{"found_ns", AUDIT_SUM_OF_ALL, AUDIT_NS, true,
		"planned weights of all samples, lost ones too"},
	{STATS_FOUND_SCATTER, AUDIT_SUM_OF_ALL, AUDIT_COUNT, true,
		"variance of found_ns, as it scatters from second to second, in us^2"},
	{"instants", AUDIT_SUM_OF_ALL, AUDIT_COUNT, false, "sampling instants of all CPUs"},
	{"late_instants", AUDIT_SUM_OF_ALL, AUDIT_COUNT, false,
		"instants that could not be used, mostly as they came too late"},
	{"throttled_instants", AUDIT_SUM, AUDIT_COUNT, true,
		"instants left out to stay within --max-cost or --max-cpu"},
	{"realtime", AUDIT_MIN_OF_ALL, AUDIT_COUNT, false,
		"1: the sampler had real-time priority, 0: it had not"},
	{STATS_EFFECTIVE_SAMPLES, AUDIT_EFFECTIVE, AUDIT_COUNT, false,
		"samples of equal weight that would tell as much"},
	{"wall_ns", AUDIT_SUM, AUDIT_NS, false, "time from start to end"},
	{"stops", AUDIT_SUM, AUDIT_COUNT, false, "stops of a thread"},
	{"stop_ns_p50", AUDIT_BY_STOPS, AUDIT_NS, false, "half of the stops were shorter"},
	{"stop_ns_p99", AUDIT_BY_STOPS, AUDIT_NS, false, "99 % of the stops were shorter"},
	{"stop_ns_max", AUDIT_MAX, AUDIT_NS, false, "the longest stop"},
	{"stopped_ns", AUDIT_SUM, AUDIT_NS, false, "all stops together"},
	{"cost_ns", AUDIT_SUM_OF_ALL, AUDIT_NS, false,
		"CPU time that sampling took from the target"},
	{"minor_faults", AUDIT_SUM, AUDIT_COUNT, true, "page faults without reading from a disk"},
	{"major_faults", AUDIT_SUM, AUDIT_COUNT, true, "page faults with it"},
	{"system_cpu_ns", AUDIT_SUM_OF_ALL, AUDIT_NS, true,
		"CPU time in the kernel, as it accounts for it at its ticks"},
	{"cost_pct", AUDIT_DERIVED, AUDIT_PERCENT, false, "cost_ns in percent of kernel_cpu_ns"},
	{"lost_samples", AUDIT_SUM, AUDIT_COUNT, false, "samples taken and lost"},
	{"truncated_stacks", AUDIT_SUM, AUDIT_COUNT, false,
		"samples whose stack goes on beyond what was copied of it"},
	{"unresolved_samples", AUDIT_SUM, AUDIT_COUNT, false,
		"samples at an address without a name"},
	{"processes", AUDIT_SUM, AUDIT_COUNT, false, "processes seen"},
	{"threads", AUDIT_SUM, AUDIT_COUNT, false, "threads seen"},
	{"recording", AUDIT_FILE, AUDIT_COUNT, true,
		"a number that all files of one --rotate have"},
	{"recording_file", AUDIT_FILE, AUDIT_COUNT, true, "which of these files it is"},
	{"continued_processes", AUDIT_FILE, AUDIT_COUNT, true,
		"processes that the file before has counted, too"},
	{"continued_threads", AUDIT_FILE, AUDIT_COUNT, true,
		"threads that the file before has counted, too"},
	{"descendants_left", AUDIT_MAX, AUDIT_COUNT, true,
		"live descendants of the processes of -p that were not profiled, at the start"},
	{"untraced_exits", AUDIT_SUM, AUDIT_COUNT, true,
		"first threads detached when they began to exit, as their parent has a pidfd: the "
		"CPU time of the exit is not counted"},
	{"chosen_threads", AUDIT_SUM, AUDIT_COUNT, true,
		"threads that --thread-name or --tid chose, of those seen"},
	{AUDIT_SYSCALL_CPU, AUDIT_SUM, AUDIT_NS, true,
		"CPU time in system calls that --user-only left out"},
	{"left_out_cpu_ns", AUDIT_SUM, AUDIT_NS, true, "CPU time of the other threads"},
	{"supervisor_cpu_ns", AUDIT_SUM, AUDIT_NS, false, "CPU time of the supervisor"},
	{"analyst_cpu_ns", AUDIT_SUM, AUDIT_NS, false, "CPU time of the analyst"},
	{"repaired_calls", AUDIT_SUM, AUDIT_COUNT, false,
		"system calls that a stop disturbed, and that were restarted"},
	{"unrepaired_eintr", AUDIT_SUM, AUDIT_COUNT, false,
		"system calls that failed with EINTR at a stop and were left so"},
	{"sprofil_counted", AUDIT_SUM, AUDIT_COUNT, true,
		"ticks counted in the buffers of programs that call sprofil"},
	{"sprofil_dropped", AUDIT_SUM, AUDIT_COUNT, true,
		"ticks that their tables gave no counter, by the rules of the call"},
	{"sprofil_faults", AUDIT_SUM, AUDIT_COUNT, true, "counters that could not be written"},
	{"sprofil_lost", AUDIT_SUM, AUDIT_COUNT, true,
		"ticks that could not be counted before a call, an exec or an end"},
	{"elapsed_ns", AUDIT_SUM, AUDIT_NS, true, "lifetimes of all threads together"},
	{"runqueue_ns", AUDIT_SUM, AUDIT_NS, true, "time that threads waited for a CPU"},
	{"blocked_ns", AUDIT_SUM, AUDIT_NS, true,
		"time that threads were blocked, with a location"},
	{"unattributed_runqueue_ns", AUDIT_SUM, AUDIT_NS, true,
		"waiting of threads not observed since"},
	{"unattributed_blocked_ns", AUDIT_SUM, AUDIT_NS, true,
		"blocked time of threads never observed blocked: [unsampled]"},
	{"looks", AUDIT_SUM, AUDIT_COUNT, true,
		"observations of blocked threads that found a location"},
	{"unsure_looks", AUDIT_SUM, AUDIT_COUNT, true,
		"observations without a stack: the thread ran meanwhile"},
	{"lost_looks", AUDIT_SUM, AUDIT_COUNT, true,
		"observations lost; their time goes to the next one"},
	{"guessed_stacks", AUDIT_SUM, AUDIT_COUNT, true, "blocked stacks with guessed frames"},
	{"unproved_stops", AUDIT_SUM, AUDIT_COUNT, true,
		"stops of a thread that had not been on the CPU: no sample"},
	{"busy_instants", AUDIT_SUM, AUDIT_COUNT, true,
		"instants at which the sampler was occupied with other CPUs"},
	{"questions", AUDIT_SUM, AUDIT_COUNT, true, "instants at which threads got a stop request"},
	{"question_ns_p50", AUDIT_BY_STOPS, AUDIT_NS, true, "half of these were shorter"},
	{"question_ns_p99", AUDIT_BY_STOPS, AUDIT_NS, true, "99 % of these were shorter"},
	{"question_ns_max", AUDIT_MAX, AUDIT_NS, true, "the longest one"},
	{"undelivered_pages", AUDIT_SUM, AUDIT_COUNT, true,
		"times that memory was done without, as its page was not delivered in time"},
	{"missed_stops", AUDIT_SUM, AUDIT_COUNT, true,
		"stop requests without a stop a second later"},
	{"unwatched_threads", AUDIT_SUM, AUDIT_COUNT, true,
		"threads not sampled, or not always, for want of descriptors or memory"},
	{"analyst_restarts", AUDIT_SUM, AUDIT_COUNT, true,
		"times that the analyst died and a fresh one went on"},
	{"incomplete_stacks", AUDIT_SUM, AUDIT_COUNT, true,
		"samples whose stack ends where unwind information is missing"},
	{"python_stacks", AUDIT_SUM, AUDIT_COUNT, true, "samples with frames of Python"},
	{"python_unmatched", AUDIT_SUM, AUDIT_COUNT, true,
		"samples whose frames of Python do not agree with the stack: native ones only"},
	{"java_stacks", AUDIT_SUM, AUDIT_COUNT, true, "samples with frames of Java"},
	{"java_unread", AUDIT_SUM, AUDIT_COUNT, true,
		"samples of Java for which memory of the program could not be read in time"},
	{"java_in_heap", AUDIT_SUM, AUDIT_COUNT, true,
		"samples of virtual threads with callers that were in the heap and not read"},
	{"guessed_frames", AUDIT_SUM, AUDIT_COUNT, true,
		"frames found by the frame pointer or by a search"},
	{"yielded_ns", AUDIT_SUM, AUDIT_NS, true,
		"time in which samples were rarer than asked, for --max-cpu"},
	{"bad_records", AUDIT_SUM, AUDIT_COUNT, true,
		"records, or lines of figures in them, that made no sense and were left out"},
};

const struct audit_key *audit_key_at(size_t index)
{
	return index < sizeof(known) / sizeof(*known) ? &known[index] : NULL;
}

const struct audit_key *audit_key_find(const char *key)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!strcmp(known[i].key, key))
			return &known[i];
	}
	return NULL;
}

enum audit_kind audit_kind_of(const char *key)
{
	const struct audit_key *entry = audit_key_find(key);
	const char *tail = strrchr(key, '_');

	if (entry)
		return entry->kind;
	if (tail && !strcmp(tail, "_max"))
		return AUDIT_MAX;
	if (tail && tail[1] == 'p' && tail[2] && strspn(tail + 2, "0123456789") == strlen(tail + 2))
		return AUDIT_BY_STOPS;
	return AUDIT_SUM;
}
