/* SPDX-License-Identifier: MIT */
#include "analyst/take.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/analyst.h"
#include "analyst/titles.h"
#include "base/text.h"
#include "profile/labels.h"
#include "profile/profile.h"
#include "profile/timeline.h"

/* Most bytes of a figure's line: a key of 63 bytes, a space, and a number of 20 digits. */
enum { AUDIT_LINE_MOST = 84 };

static int find_task(
	struct analyst *analyst, const struct image_space *image, struct thread_name *thread)
{
	uint64_t cpu_ns;

	if (thread->task >= 0)
		return thread->task;
	thread->task = profile_add_task(analyst->profile,
		&(struct task){.pid = image->pid,
			.tid = thread->tid,
			.process = image->name,
			.thread = thread->name[0] ? thread->name : image->name});
	if (thread->task >= 0 && thread->timed_task < 0 &&
		shares_thread_cpu(&analyst->shares, image->pid, thread->tid, &cpu_ns))
		(void)profile_add_task_cpu(analyst->profile, (uint32_t)thread->task, cpu_ns);
	thread->timed_task = thread->task;
	return thread->task;
}

/*
 * Adds a thread's CPU time to its last entry in the profile ("task"). A thread with a new name gets
 * a new task only at its next sample. Before its first sample a thread has no task; find_task()
 * then adds the time so far. @last: the thread has ended, and is forgotten.
 */
static int take_cpu(struct analyst *analyst, const struct record_cpu *cpu, bool last)
{
	const struct thread_name *thread =
		spaces_known_thread(&analyst->spaces, cpu->pid, cpu->tid);

	if (thread && thread->timed_task >= 0)
		(void)profile_add_task_cpu(
			analyst->profile, (uint32_t)thread->timed_task, cpu->cpu_ns);
	if (last)
		spaces_drop_thread(&analyst->spaces, cpu->pid, cpu->tid);
	return shares_cpu(&analyst->shares, cpu->pid, cpu->tid, cpu->cpu_ns, last);
}

static int note_time(struct analyst *analyst, const struct record_sample *sample, uint32_t stack)
{
	const uint64_t weight_ns[TIMELINE_STATES] = {
		[TIMELINE_RUNNING] = sample->weight_ns,
		[TIMELINE_QUEUED] = analyst->wallclock.recorded ? sample->queue_ns : 0,
		[TIMELINE_BLOCKED] = analyst->wallclock.recorded ? sample->blocked_ns : 0,
	};
	struct instant instant = {.sample = stack,
		.time_ns = profile_realtime_ns(analyst->profile) + analyst->last_ns -
			analyst->began_ns};
	int r = 0;

	for (int i = 0; i < TIMELINE_STATES && r >= 0 && !analyst->options.no_timeline; i++) {
		instant.state = (enum timeline_state)i;
		instant.weight_ns = weight_ns[i];
		/*
		 * The thread was blocked first, then in the run queue until the sample. So the
		 * blocked time ends earlier than the sample, by the time in the run queue.
		 */
		if (i == TIMELINE_BLOCKED && instant.time_ns > weight_ns[TIMELINE_QUEUED])
			instant.time_ns -= weight_ns[TIMELINE_QUEUED];
		r = timeline_add(analyst->profile, &instant);
	}
	return r;
}

static int take_blocked(struct analyst *analyst, struct image_space *image,
	struct thread_name *thread, const struct record_sample *sample)
{
	int64_t values[VALUE_TYPES_MAX] = {wallclock_ticks(&analyst->wallclock, thread, sample)};
	int task = find_task(analyst, image, thread), n;
	bool again = sample->flags & RECORD_SAMPLE_AGAIN, guessed;
	const uint32_t *stack;

	if (task < 0)
		return task;
	if (!again || !thread->blocked_n) {
		n = stacks_take(&analyst->stacks, image, thread, analyst->last_ns, sample, &stack,
			&guessed);
		if (n < 0 || wallclock_keep(thread, stack, (size_t)n, guessed) < 0)
			return -ENOMEM;
		analyst->counts.guessed_stacks += guessed;
	}
	wallclock_values(&analyst->wallclock, sample, thread->blocked_guessed, values);
	analyst->counts.samples += (uint64_t)values[VALUE_SAMPLES];
	n = profile_add_stack(analyst->profile, (uint32_t)task, thread->blocked, thread->blocked_n);
	if (n < 0)
		return n;
	profile_add_values(analyst->profile, (size_t)n, values);
	return note_time(analyst, sample, (uint32_t)n);
}

/* Sets the values of a stack of --dump: how long the thread was stopped. */
static int stopped_values(
	struct analyst *analyst, const struct record_sample *sample, int64_t *values)
{
	int stopped = profile_add_value_type(analyst->profile, PROFILE_STOPPED, "nanoseconds");

	if (stopped < 0)
		return stopped;
	values[stopped] = values[VALUE_CPU_NS];
	values[VALUE_CPU_NS] = 0;
	if (sample->flags & RECORD_SAMPLE_BLOCKED)
		values[stopped] = PROFILE_NOT_STOPPED;
	else if (sample->flags & RECORD_SAMPLE_STOPPED)
		values[stopped] = PROFILE_LEFT_STOPPED;
	return 0;
}

/* Adds a sample's weight to its thread's account (shares.h). Accounts are settled at the end. */
static int weigh(struct analyst *analyst, const struct record_sample *sample, uint32_t stack)
{
	double weight = (double)sample->weight_ns;

	analyst->counts.weight += weight;
	analyst->counts.weight_squared += weight * weight;
	return shares_sample(&analyst->shares, sample->pid, sample->tid, stack, sample->weight_ns);
}

/* --user-only leaves out samples in system calls. */
static bool is_left_out(const struct analyst *analyst, const struct record_sample *sample)
{
	return analyst->options.user_only && sample->syscall >= 0 &&
		!(sample->flags & RECORD_SAMPLE_DUMP);
}

/* For --dump: the label of the thread that holds the interpreter's lock; 0: none. -ENOMEM. */
static int lock_label(const struct analyst *analyst)
{
	const struct label held = {.key = RUNTIMES_LOCK, .text = RUNTIMES_LOCK_HELD};

	return analyst->runtimes.stack.holds_lock ? labels_add(analyst->profile, &held, 1) : 0;
}

static int take_sample(struct analyst *analyst, const struct record_sample *sample)
{
	struct image_space *image = spaces_get(&analyst->spaces, sample->pid);
	struct thread_name *thread = image ? spaces_find_thread(image, sample->tid) : NULL;
	int64_t values[VALUE_TYPES_MAX] = {1, (int64_t)sample->weight_ns};
	bool dump = sample->flags & RECORD_SAMPLE_DUMP, guessed;
	const uint32_t *stack;
	int task, n, labels;

	if (!thread)
		return -ENOMEM;
	if (!image->space) {
		/* The maps could not be read in time: an empty space gives "[unknown]". */
		int r = space_new(analyst->symbolizer, 0, &image->space);

		if (r < 0)
			return r;
	}
	if (analyst->spaces.live &&
		titles_sample(analyst->profile, analyst->locations.opener, image) < 0)
		return -ENOMEM;
	if (is_left_out(analyst, sample))
		return shares_sample(&analyst->shares, sample->pid, sample->tid, SHARES_LEFT_OUT,
			sample->weight_ns);
	if (sample->flags & RECORD_SAMPLE_BLOCKED && !dump)
		return take_blocked(analyst, image, thread, sample);
	if (dump) {
		int r = stopped_values(analyst, sample, values);

		if (r < 0)
			return r;
	}
	n = stacks_take(
		&analyst->stacks, image, thread, analyst->last_ns, sample, &stack, &guessed);
	task = find_task(analyst, image, thread);
	labels = dump ? lock_label(analyst) : 0;
	if (n < 0 || task < 0 || labels < 0)
		return -ENOMEM;
	analyst->counts.samples++;
	wallclock_values(&analyst->wallclock, sample, guessed, values);
	n = profile_add_labelled_stack(
		analyst->profile, (uint32_t)task, (uint32_t)labels, stack, (size_t)n);
	if (n < 0)
		return n;
	profile_add_values(analyst->profile, (size_t)n, values);
	if (dump)
		return 0;
	if (note_time(analyst, sample, (uint32_t)n) < 0)
		return -ENOMEM;
	return weigh(analyst, sample, (uint32_t)n);
}

/*
 * Takes a line with a figure: "instants 4711". -EBADMSG: the line has another form, or the profile
 * has no room for a figure; -ENOMEM.
 */
static int take_figure(struct analyst *analyst, const char *line, size_t bytes)
{
	char text[AUDIT_LINE_MOST + 1], key[64], digits[21], more;
	int r;

	if (bytes > AUDIT_LINE_MOST)
		return -EBADMSG;
	memcpy(text, line, bytes);
	text[bytes] = '\0';
	if (sscanf(text, "%63[^ ]%*1[ ]%20[0-9]%c", key, digits, &more) != 2)
		return -EBADMSG;
	r = profile_set_audit(analyst->profile, key, strtoull(digits, NULL, 10));
	return r == 0 || r == -ENOMEM ? r : -EBADMSG;
}

/* One figure a line. Lines of another form are left out and counted. */
static int take_audit(struct analyst *analyst, const char *text)
{
	while (*text) {
		size_t bytes = strcspn(text, "\n");
		int r = take_figure(analyst, text, bytes);

		if (r == -ENOMEM)
			return r;
		analyst->counts.bad_records += r < 0;
		text += bytes + (text[bytes] == '\n');
	}
	counts_second(&analyst->counts, analyst->profile);
	return counts_put(&analyst->counts, analyst->profile);
}

/* Takes a record of figures, then calls @tell, unless that is NULL. */
static int take_figures(
	struct analyst *analyst, const struct record *rec, void (*tell)(void *context))
{
	if (take_audit(analyst, rec->as.audit.text) < 0)
		return -ENOMEM;
	if (tell)
		tell(analyst->options.context);
	return 0;
}

static int take_start(struct analyst *analyst, const struct record *rec)
{
	const struct record_start *start = &rec->as.start;
	char note[160];
	int r;

	analyst->began_ns = rec->header.time_ns;
	profile_set_time(analyst->profile, start->realtime_ns, 0);
	profile_set_period(analyst->profile, start->period_ns);
	r = wallclock_begin(&analyst->wallclock, analyst->profile, start);
	if (r < 0)
		return r;
	r = profile_set_command_args(analyst->profile, start->command, start->command_bytes);
	if (r < 0 || !start->restarts)
		return r;
	(void)snprintf(note, sizeof(note),
		"an analyst died; the %" PRIu64
		" samples (%.3f s of CPU time) that it had are lost",
		start->lost_samples, (double)start->lost_ns / 1e9);
	return profile_add_note(analyst->profile, note);
}

static int detect_runtime(struct analyst *analyst, uint32_t pid)
{
	struct image_space *image = spaces_get(&analyst->spaces, pid);

	return image ? runtimes_detect(&analyst->runtimes, image) : -ENOMEM;
}

static int take_maps(struct analyst *analyst, const struct record *rec)
{
	bool last = rec->header.flags & RECORD_MAPS_LAST;
	int r = spaces_maps(&analyst->spaces, &rec->as.maps, last);

	return r < 0 || !last ? r : detect_runtime(analyst, rec->as.maps.pid);
}

static int take_object(struct analyst *analyst, const struct record_object *object)
{
	struct image_space *image = spaces_get(&analyst->spaces, object->pid);

	return image ? runtimes_object(&analyst->runtimes, image, object) : -ENOMEM;
}

static int take_process(struct analyst *analyst, const struct record_process *process, bool forked)
{
	if (shares_process(&analyst->shares, process->pid, forked ? process->parent : 0) < 0)
		return -ENOMEM;
	if (forked && spaces_fork(&analyst->spaces, process->pid, process->parent) < 0)
		return -ENOMEM;
	if (forked)
		return detect_runtime(analyst, process->pid);
	return spaces_get(&analyst->spaces, process->pid) ? 0 : -ENOMEM;
}

static int take_exec(struct analyst *analyst, const struct record_exec *exec)
{
	analyst->has_image = true;
	if (!analyst->first_pid)
		analyst->first_pid = exec->pid;
	else if (exec->pid == analyst->first_pid)
		analyst->main_changed = true;
	if (exec->pid == analyst->first_pid && text_replace(&analyst->main_path, exec->path) < 0)
		return -ENOMEM;
	if (shares_exec(&analyst->shares, exec->pid, exec->path) < 0)
		return -ENOMEM;
	return spaces_exec(&analyst->spaces, exec);
}

static int take_exit(struct analyst *analyst, const struct record_exit *exit)
{
	if (exit->pid == analyst->first_pid) {
		analyst->first_ended = true;
		analyst->first_status = exit->status;
	}
	if (shares_exit(&analyst->shares, exit->pid) < 0)
		return -ENOMEM;
	return spaces_drop(&analyst->spaces, exit->pid);
}

static int take_by_type(struct analyst *analyst, const struct record *rec)
{
	switch (rec->header.type) {
	case RECORD_START: return take_start(analyst, rec);
	case RECORD_PROCESS:
		return take_process(
			analyst, &rec->as.process, rec->header.flags & RECORD_PROCESS_FORKED);
	case RECORD_EXEC: return take_exec(analyst, &rec->as.exec);
	case RECORD_MAPS: return take_maps(analyst, rec);
	case RECORD_THREAD: return spaces_thread(&analyst->spaces, &rec->as.thread);
	case RECORD_RUNTIME:
		return runtimes_take(&analyst->runtimes, rec->header.time_ns, &rec->as.runtime);
	case RECORD_OBJECT: return take_object(analyst, &rec->as.object);
	case RECORD_SAMPLE: {
		int r;

		runtimes_sample_begins(&analyst->runtimes, rec->header.time_ns);
		r = take_sample(analyst, &rec->as.sample);
		runtimes_sample_over(&analyst->runtimes);
		return r;
	}
	case RECORD_CPU:
		return take_cpu(analyst, &rec->as.cpu, rec->header.flags & RECORD_CPU_LAST);
	case RECORD_EXIT: return take_exit(analyst, &rec->as.exit);
	case RECORD_UNSAMPLED: return unsampled_take(&analyst->unsampled, &rec->as.unsampled);
	case RECORD_AUDIT: return take_figures(analyst, rec, analyst->options.second);
	case RECORD_SNAPSHOT: return take_figures(analyst, rec, analyst->options.snapshot);
	case RECORD_SERVE: return take_figures(analyst, rec, analyst->options.serve);
	case RECORD_END:
		analyst->ended = true;
		analyst->end_flags = rec->header.flags;
		return take_audit(analyst, rec->as.audit.text) < 0 ? -ENOMEM : 1;
	default: return 0;
	}
}

/* Adds a record to the facts about its process (--per-process). */
static int take_apart(struct analyst *analyst, const struct record *rec)
{
	struct processes *processes = &analyst->processes;

	switch (rec->header.type) {
	case RECORD_EXEC: return processes_exec(processes, &rec->as.exec);
	case RECORD_EXIT: return processes_exit(processes, &rec->as.exit);
	case RECORD_THREAD: return processes_thread(processes, &rec->as.thread);
	case RECORD_CPU: return processes_cpu(processes, &rec->as.cpu);
	case RECORD_SAMPLE:
		if (rec->as.sample.flags & (RECORD_SAMPLE_BLOCKED | RECORD_SAMPLE_DUMP))
			return 0;
		return processes_sample(processes, rec->as.sample.pid, rec->as.sample.weight_ns,
			is_left_out(analyst, &rec->as.sample));
	default: return 0;
	}
}

int take_probe(struct analyst *analyst, uint64_t time_ns, const struct record_sample *sample)
{
	struct image_space *image;
	struct thread_name *thread;

	/* Most targets have no runtime that unwinds its own code. */
	if (!analyst->runtimes.steps || is_left_out(analyst, sample))
		return 0;
	image = spaces_get(&analyst->spaces, sample->pid);
	if (!image)
		return -ENOMEM;
	if (!image->space || !runtimes_steps(image))
		return 0;
	thread = spaces_find_thread(image, sample->tid);
	if (!thread)
		return -ENOMEM;
	if (sample->flags & RECORD_SAMPLE_AGAIN && thread->blocked_n)
		return 0;
	return stacks_probe(&analyst->stacks, image, time_ns, sample);
}

int take_memory(struct analyst *analyst, uint64_t time_ns, const struct record_memory *memory)
{
	struct image_space *image = spaces_get(&analyst->spaces, memory->pid);

	return image ? runtimes_memory(image, time_ns, memory) : -ENOMEM;
}

int take_record(struct analyst *analyst, const struct record *rec)
{
	analyst->last_ns = rec->header.time_ns;
	if (!analyst->began_ns)
		analyst->began_ns = rec->header.time_ns;
	if (analyst->options.per_process && take_apart(analyst, rec) < 0)
		return -ENOMEM;
	return take_by_type(analyst, rec);
}
