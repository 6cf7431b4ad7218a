/* SPDX-License-Identifier: MIT */
#include "profile/audit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model.h"
#include "profile/stats.h"

static const struct audit_key known[] = {
	{"samples", AUDIT_SUM, AUDIT_COUNT, false, "ticks that became samples"},
	{"period_ns", AUDIT_SAME, AUDIT_NS, false, "CPU time of a tick"},
	{"profiled_cpu_ns", AUDIT_SUM, AUDIT_NS, false, "CPU time that the samples stand for"},
	{"unattributed_cpu_ns", AUDIT_SUM, AUDIT_NS, false,
		"CPU time of threads that were never met: [unsampled]; with --user-only also "
		"that in system calls"},
	{"kernel_cpu_ns", AUDIT_SUM_OF_ALL, AUDIT_NS, false,
		"CPU time that the kernel charged to the profiled threads"},
	{"found_ratio", AUDIT_DERIVED, AUDIT_RATIO, false,
		"found_ns / kernel_cpu_ns: 1 within its noise when sampling is true"},
	{"found_ns", AUDIT_SUM_OF_ALL, AUDIT_NS, true,
		"planned weights of all samples, lost ones too"},
	{STATS_FOUND_SCATTER, AUDIT_SUM_OF_ALL, AUDIT_COUNT, true,
		"variance of found_ns, as it scatters from second to second, in us^2"},
	{"instants", AUDIT_SUM_OF_ALL, AUDIT_COUNT, false,
		"planned moments at which a CPU was looked at"},
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
	{"cost_pct", AUDIT_DERIVED, AUDIT_PERCENT, false, "that in percent of kernel_cpu_ns"},
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
	{"chosen_threads", AUDIT_SUM, AUDIT_COUNT, true,
		"threads that --thread-name or --tid chose, of those seen"},
	{AUDIT_SYSCALL_CPU, AUDIT_SUM, AUDIT_NS, true,
		"CPU time in system calls that --user-only left out"},
	{"left_out_cpu_ns", AUDIT_SUM, AUDIT_NS, true, "CPU time of the other threads"},
	{"supervisor_cpu_ns", AUDIT_SUM, AUDIT_NS, false, "CPU time of the supervisor"},
	{"analyst_cpu_ns", AUDIT_SUM, AUDIT_NS, false, "CPU time of the analyst"},
	{"repaired_calls", AUDIT_SUM, AUDIT_COUNT, false,
		"system calls that a stop disturbed, and that were mended"},
	{"unrepaired_eintr", AUDIT_SUM, AUDIT_COUNT, false,
		"system calls that failed with EINTR at a stop and were left so"},
	{"sprofil_counted", AUDIT_SUM, AUDIT_COUNT, true,
		"ticks counted in the buffers of programs that call sprofil"},
	{"sprofil_dropped", AUDIT_SUM, AUDIT_COUNT, true,
		"ticks that their tables gave no counter, by the rules of the call"},
	{"sprofil_faults", AUDIT_SUM, AUDIT_COUNT, true, "counters that could not be written"},
	{"sprofil_lost", AUDIT_SUM, AUDIT_COUNT, true,
		"ticks that could not be counted before a call changed the table"},
	{"elapsed_ns", AUDIT_SUM, AUDIT_NS, true, "lifetimes of all threads together"},
	{"runqueue_ns", AUDIT_SUM, AUDIT_NS, true, "time that threads waited for a CPU"},
	{"blocked_ns", AUDIT_SUM, AUDIT_NS, true, "time that threads were blocked, with a place"},
	{"unattributed_runqueue_ns", AUDIT_SUM, AUDIT_NS, true,
		"waiting of threads nobody saw since"},
	{"unattributed_blocked_ns", AUDIT_SUM, AUDIT_NS, true,
		"blocked time of threads nobody saw blocked: [unsampled]"},
	{"looks", AUDIT_SUM, AUDIT_COUNT, true, "looks at blocked threads that found a place"},
	{"unsure_looks", AUDIT_SUM, AUDIT_COUNT, true,
		"looks thrown away because the thread ran meanwhile"},
	{"lost_looks", AUDIT_SUM, AUDIT_COUNT, true, "looks lost; their time goes to the next one"},
	{"guessed_stacks", AUDIT_SUM, AUDIT_COUNT, true, "blocked stacks with guessed frames"},
	{"unproved_stops", AUDIT_SUM, AUDIT_COUNT, true,
		"stops of a thread that had not been on the CPU: no sample"},
	{"busy_instants", AUDIT_SUM, AUDIT_COUNT, true,
		"instants that found the sampler taken by other CPUs"},
	{"questions", AUDIT_SUM, AUDIT_COUNT, true, "instants at which threads were asked"},
	{"question_ns_p50", AUDIT_BY_STOPS, AUDIT_NS, true, "half of these were shorter"},
	{"question_ns_p99", AUDIT_BY_STOPS, AUDIT_NS, true, "99 % of these were shorter"},
	{"question_ns_max", AUDIT_MAX, AUDIT_NS, true, "the longest one"},
	{"undelivered_pages", AUDIT_SUM, AUDIT_COUNT, true,
		"times that memory was done without, as its page was not delivered in time"},
	{"missed_stops", AUDIT_SUM, AUDIT_COUNT, true,
		"stops that had not come a second after they were asked for"},
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
		"time in which ticks were rarer than asked, for --max-cpu"},
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

static enum audit_kind kind_of(const char *key)
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

/* Sums over the samples. */
struct sums {
	uint64_t samples, cpu_ns, unsampled_ns, unresolved;
};

static uint64_t positive(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

static struct sums sum_up(const struct profile *profile)
{
	struct sums sums = {0};

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);
		uint64_t count = positive(sample.value[VALUE_SAMPLES]);
		uint64_t cpu_ns = positive(sample.value[VALUE_CPU_NS]);

		sums.samples += count;
		if (profile_is_unsampled(profile, &sample))
			sums.unsampled_ns += cpu_ns;
		else
			sums.cpu_ns += cpu_ns;
		if (sample.n && !profile_location(profile, sample.location[0]).lines)
			sums.unresolved += count;
	}
	return sums;
}

struct audit_times audit_times(const struct profile *profile)
{
	struct sums sums = sum_up(profile);

	return (struct audit_times){sums.cpu_ns, sums.unsampled_ns};
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Counts the distinct pids of the tasks, or their distinct pairs of pid and tid (@threads). False:
 * no task has one, or out of memory.
 */
static bool count_tasks(const struct profile *profile, bool threads, uint64_t *ret_value)
{
	uint64_t *id = calloc(profile->tasks + 1, sizeof(*id));
	size_t n = 0, different = 0;

	if (!id)
		return false;
	for (size_t i = 0; i < profile->tasks; i++) {
		const struct task_item *task = &profile->task[i];

		if (threads ? task->tid : task->pid)
			id[n++] = (uint64_t)task->pid << 32 | (threads ? task->tid : 0);
	}
	qsort(id, n, sizeof(*id), compare_ids);
	for (size_t i = 0; i < n; i++)
		different += !i || id[i] != id[i - 1];
	free(id);
	if (different)
		*ret_value = different;
	return different > 0;
}

static bool derive_found_ratio(const struct profile *profile, uint64_t *ret_value)
{
	uint64_t found, kernel;

	if (!profile_audit(profile, "found_ns", &found) ||
		!profile_audit(profile, "kernel_cpu_ns", &kernel) || !kernel)
		return false;
	*ret_value = (uint64_t)((double)found / (double)kernel * AUDIT_RATIO_ONE + 0.5);
	return true;
}

bool audit_cost(const struct profile *profile, double *ret_share)
{
	uint64_t cost, kernel;

	if (!profile_audit(profile, "cost_ns", &cost) ||
		!profile_audit(profile, "kernel_cpu_ns", &kernel) || !kernel)
		return false;
	*ret_share = (double)cost / (double)kernel;
	return true;
}

static bool derive_cost(const struct profile *profile, uint64_t *ret_value)
{
	double share;

	if (!audit_cost(profile, &share))
		return false;
	*ret_value = (uint64_t)(share * 100 * AUDIT_RATIO_ONE + 0.5);
	return true;
}

/*
 * The share of instants that find a thread; 0: unknown, for example with samples of wall-clock
 * time.
 */
static double hit_share(const struct profile *profile, uint64_t instants)
{
	size_t named = profile_default_value(profile);
	uint64_t samples = 0;

	if (!instants ||
		(named != SIZE_MAX && !strcmp(profile_value_type(profile, named).type, "wall")))
		return 0;
	(void)audit_figure(profile, "samples", &samples);
	return (double)samples / (double)instants;
}

/*
 * The number of samples expected for @kernel ns of CPU time, if each has the mean weight of those
 * found, or one period if that is unknown. 0: unknown.
 */
static double expected_samples(const struct profile *profile, uint64_t found, uint64_t kernel)
{
	uint64_t effective = 0;

	if (!profile_audit(profile, STATS_EFFECTIVE_SAMPLES, &effective))
		(void)audit_figure(profile, "samples", &effective);
	if (found && effective)
		return (double)effective * (double)kernel / (double)found;
	return profile->period_ns ? (double)kernel / (double)profile->period_ns : 0;
}

bool audit_found(const struct profile *profile, struct audit_found *ret_found)
{
	uint64_t found, kernel, instants = 0, threads = 0, late, realtime, scatter_us2;
	double off;

	if (!profile_audit(profile, "found_ns", &found) ||
		!profile_audit(profile, "kernel_cpu_ns", &kernel) || !kernel)
		return false;
	(void)profile_audit(profile, "instants", &instants);
	*ret_found = (struct audit_found){
		.ratio = (double)found / (double)kernel, .late = -1, .realtime = -1};
	(void)audit_figure(profile, "threads", &threads);
	/*
	 * The instants of several threads are treated as a Poisson process. A single thread has
	 * exactly one instant in each period, which makes the error smaller.
	 */
	ret_found->error = stats_found_error(expected_samples(profile, found, kernel),
		threads == 1 ? hit_share(profile, instants) : 0);
	if (profile_audit(profile, STATS_FOUND_SCATTER, &scatter_us2))
		ret_found->error =
			fmax(ret_found->error, sqrt((double)scatter_us2) * 1e3 / (double)kernel);
	ret_found->says_nothing = ret_found->error * STATS_95_PERCENT >= 1;
	if (instants && profile_audit(profile, "late_instants", &late))
		ret_found->late = (double)late / (double)instants;
	if (profile_audit(profile, "realtime", &realtime))
		ret_found->realtime = realtime > 0;
	off = ret_found->ratio > 1 ? ret_found->ratio - 1 : 1 - ret_found->ratio;
	ret_found->is_off = off > 3 * ret_found->error && off > 0.02;
	return true;
}

/* Derives a figure from the model or from other figures. False: unknown. */
static bool derive(const struct profile *profile, const char *key, uint64_t *ret_value)
{
	uint64_t value, kernel;

	if (!strcmp(key, "found_ratio"))
		return derive_found_ratio(profile, ret_value);
	if (!strcmp(key, "cost_pct"))
		return derive_cost(profile, ret_value);
	if (!strcmp(key, "period_ns"))
		value = profile->period_ns;
	else if (!strcmp(key, "wall_ns"))
		value = profile->duration_ns;
	else if (!strcmp(key, "processes") || !strcmp(key, "threads"))
		return count_tasks(profile, key[0] == 't', ret_value);
	else if (!strcmp(key, "samples")) {
		*ret_value = sum_up(profile).samples;
		return true;
	} else if (!strcmp(key, "unresolved_samples")) {
		*ret_value = sum_up(profile).unresolved;
		return true;
	} else if (!strcmp(key, "profiled_cpu_ns")) {
		value = sum_up(profile).cpu_ns;
	} else if (!strcmp(key, "unattributed_cpu_ns")) {
		value = sum_up(profile).unsampled_ns;
	} else {
		return false;
	}
	/* A value of 0 means "unknown", except for a CPU time if the kernel's figure is known. */
	if (!value && !(strstr(key, "_cpu_ns") && profile_audit(profile, "kernel_cpu_ns", &kernel)))
		return false;
	*ret_value = value;
	return true;
}

bool audit_figure(const struct profile *profile, const char *key, uint64_t *ret_value)
{
	return profile_audit(profile, key, ret_value) || derive(profile, key, ret_value);
}

bool audit_stopped(const struct profile *profile, double *ret_share)
{
	uint64_t stopped, running = 0;

	if (!profile_audit(profile, "kernel_cpu_ns", &running))
		(void)audit_figure(profile, "profiled_cpu_ns", &running);
	if (!profile_audit(profile, "stopped_ns", &stopped) || !(running + stopped))
		return false;
	*ret_share = (double)stopped / ((double)running + (double)stopped);
	return true;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t mean_by_stops(
	const struct profile *into, const struct profile *from, uint64_t a, uint64_t b)
{
	uint64_t stops_a = 0, stops_b = 0;

	(void)profile_audit(into, "stops", &stops_a);
	(void)profile_audit(from, "stops", &stops_b);
	if (!stops_a && !stops_b)
		return a > b ? a : b;
	return (uint64_t)(((double)a * (double)stops_a + (double)b * (double)stops_b) /
			((double)stops_a + (double)stops_b) +
		0.5);
}

/*
 * The effective sample size of both profiles. A profile's sum of w^2 follows from its sum of w and
 * its effective size; the sums can be added.
 */
static uint64_t effective_of_both(const struct profile *into, const struct profile *from)
{
	const struct profile *both[2] = {into, from};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < 2; i++) {
		struct sums sums = sum_up(both[i]);
		double weight = (double)sums.cpu_ns;
		uint64_t effective = sums.samples;

		(void)profile_audit(both[i], STATS_EFFECTIVE_SAMPLES, &effective);
		if (!effective)
			continue;
		if (weight <= 0)
			weight = (double)effective;
		sum += weight;
		squares += weight * weight / (double)effective;
	}
	return (uint64_t)(stats_effective_samples(sum, squares) + 0.5);
}

/*
 * Which file of a recording (--rotate) a profile is, and how many of its processes and threads the
 * previous file has counted already.
 */
struct of_file {
	uint64_t recording, number, processes, threads;
};

static void forget(struct profile *profile, const char *key)
{
	for (size_t i = 0; i < profile->audits; i++) {
		if (strcmp(pool_at(&profile->strings, profile->audit[i].key), key))
			continue;
		memmove(&profile->audit[i], &profile->audit[i + 1],
			(profile->audits - i - 1) * sizeof(*profile->audit));
		profile->audits--;
		return;
	}
}

static int merge_figure(
	struct profile *into, const struct profile *from, const char *key, bool empty)
{
	uint64_t a = 0, b = 0;
	bool has_a = audit_figure(into, key, &a), has_b = audit_figure(from, key, &b);

	switch (kind_of(key)) {
	case AUDIT_SUM: return profile_set_audit(into, key, sum_of(a, b));
	case AUDIT_MAX: return profile_set_audit(into, key, a > b ? a : b);
	case AUDIT_BY_STOPS: return profile_set_audit(into, key, mean_by_stops(into, from, a, b));
	case AUDIT_EFFECTIVE: return profile_set_audit(into, key, effective_of_both(into, from));
	case AUDIT_SAME:
		if (has_b && (empty || (has_a && a == b)))
			return profile_set_audit(into, key, b);
		forget(into, key);
		return 0;
	case AUDIT_SUM_OF_ALL:
		if ((has_a || empty) && has_b)
			return profile_set_audit(into, key, sum_of(a, b));
		forget(into, key);
		return 0;
	case AUDIT_MIN_OF_ALL:
		if ((has_a || empty) && has_b)
			return profile_set_audit(into, key, has_a && a < b ? a : b);
		forget(into, key);
		return 0;
	case AUDIT_DERIVED: forget(into, key); return 0;
	case AUDIT_FILE: return 0; /* Merged by merge_files(). */
	}
	return -EINVAL;
}

static bool is_weighted(const char *key)
{
	enum audit_kind kind = kind_of(key);

	return kind == AUDIT_BY_STOPS || kind == AUDIT_SUM_OF_ALL || kind == AUDIT_MIN_OF_ALL ||
		kind == AUDIT_SAME;
}

static struct of_file file_of(const struct profile *profile)
{
	struct of_file file = {0};

	(void)profile_audit(profile, "recording", &file.recording);
	(void)profile_audit(profile, "recording_file", &file.number);
	(void)profile_audit(profile, "continued_processes", &file.processes);
	(void)profile_audit(profile, "continued_threads", &file.threads);
	return file;
}

static int set_file(struct profile *profile, const struct of_file *file)
{
	int r = profile_set_audit(profile, "recording", file->recording);

	if (r >= 0)
		r = profile_set_audit(profile, "recording_file", file->number);
	if (r >= 0)
		r = profile_set_audit(profile, "continued_processes", file->processes);
	return r < 0 ? r : profile_set_audit(profile, "continued_threads", file->threads);
}

static int subtract(struct profile *profile, const char *key, uint64_t value)
{
	uint64_t sum;

	if (!profile_audit(profile, key, &sum) || sum < value)
		return 0;
	return profile_set_audit(profile, key, sum - value);
}

/*
 * A process that lives through several files of a recording is counted in each of them. The merged
 * profile counts it once: what the later file continues is subtracted, and the merged profile
 * stands for the earlier file. It remembers only the recording merged last.
 */
static int merge_files(struct profile *into, const struct of_file *a, const struct of_file *b)
{
	const struct of_file *later = a->number > b->number ? a : b;
	int r;

	if (!b->recording)
		return 0;
	if (a->recording != b->recording)
		return set_file(into, b);
	if (a->number == b->number)
		return 0;
	r = subtract(into, "processes", later->processes);
	if (r >= 0)
		r = subtract(into, "threads", later->threads);
	return r < 0 ? r : set_file(into, later == a ? b : a);
}

/*
 * Two passes: the first merges the figures that are weighted by other figures or depend on their
 * presence, the second changes those others.
 */
int audit_merge(struct profile *into, const struct profile *from)
{
	bool empty = !into->samples && !into->audits;
	const struct of_file a = file_of(into), b = file_of(from);

	for (int round = 0; round < 2; round++) {
		/*
		 * Merges the figures that only @into has. Backwards, because forget() removes an
		 * element.
		 */
		for (size_t i = into->audits; i-- > 0;) {
			const char *key = pool_at(&into->strings, into->audit[i].key);
			uint64_t ignored;
			int error;

			if (is_weighted(key) != !round || profile_audit(from, key, &ignored))
				continue;
			error = merge_figure(into, from, key, empty);
			if (error < 0)
				return error;
		}
		for (size_t i = 0; i < from->audits; i++) {
			const char *key = pool_at(&from->strings, from->audit[i].key);
			int error = 0;

			if (is_weighted(key) == !round)
				error = merge_figure(into, from, key, empty);
			if (error < 0)
				return error;
		}
	}
	return merge_files(into, &a, &b);
}
