/* SPDX-License-Identifier: MIT */
#include "analyst/analyst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyst/arrays.h"
#include "analyst/counts.h"
#include "analyst/jit_note.h"
#include "analyst/locations.h"
#include "analyst/processes.h"
#include "analyst/shares.h"
#include "analyst/spaces.h"
#include "analyst/stacks.h"
#include "analyst/times.h"
#include "analyst/unsampled.h"
#include "analyst/wallclock.h"
#include "opener/opener.h"
#include "proto/record.h"
#include "profile/labels.h"
#include "profile/profile.h"
#include "profile/timeline.h"

/* Processes in whose root a file is looked for. */
#define OPEN_TRIES 64

struct analyst {
	struct symbolizer *symbolizer;
	struct spaces spaces;
	struct profile *profile; /* its CPU values are weights until analyst_finish() */
	struct shares shares;
	float *factor; /* by stack, for a view */
	size_t factor_room;
	struct locations locations;
	struct stacks stacks;
	bool per_process, no_timeline;
	uint32_t labels; /* of all samples */
	struct processes processes;
	const char *rank;
	void (*snapshot_now)(void *context);
	void (*serve_now)(void *context);
	void (*second)(void *context);
	void *context;
	struct unsampled unsampled;
	uint64_t began_ns, last_ns; /* CLOCK_MONOTONIC of the records */
	uint32_t first_pid;
	char *main_path; /* what the first process runs, NULL not known */
	struct wallclock wallclock;
	struct counts counts;
	bool has_image, ended, first_ended, snapshot;
	uint16_t end_flags;
	uint32_t first_status; /* of the first process, once it has ended */
};

/* Which rank of a job this is, and where: a number and a text. */
static int take_labels(struct analyst *analyst, const struct analyst_options *options)
{
	struct label label[2];
	size_t n = 0;
	int set;

	if (options->rank)
		label[n++] = (struct label){
			.key = LABEL_RANK, .number = strtoll(options->rank, NULL, 10), .unit = ""};
	if (options->host)
		label[n++] = (struct label){.key = LABEL_HOST, .text = options->host};
	set = labels_add(analyst->profile, label, n);
	analyst->labels = set < 0 ? 0 : (uint32_t)set;
	return set < 0 ? set : 0;
}

int analyst_new(const struct analyst_options *options, struct analyst **ret_analyst)
{
	const struct symbolizer_options symbols = {
		.size = sizeof(symbols),
		.working_on = options->working_on,
		.skip = options->skip,
		.context = options->context,
		.opener = options->opener,
	};
	struct analyst *analyst = calloc(1, sizeof(*analyst));
	int r;

	if (!analyst)
		return -ENOMEM;
	r = shares_init(&analyst->shares, options->per_process);
	if (r == 0)
		r = profile_new(&analyst->profile);
	if (r == 0)
		r = take_labels(analyst, options);
	if (r == 0)
		r = symbolizer_new(&symbols, &analyst->symbolizer);
	if (r < 0) {
		analyst_free(analyst);
		return r;
	}
	analyst->spaces.symbolizer = analyst->symbolizer;
	analyst->spaces.live = options->live;
	analyst->per_process = options->per_process;
	analyst->no_timeline = options->no_timeline;
	analyst->rank = options->rank && options->ranks > 1 ? options->rank : "";
	analyst->snapshot_now = options->snapshot;
	analyst->serve_now = options->serve;
	analyst->second = options->second;
	analyst->context = options->context;
	analyst->locations = (struct locations){.profile = analyst->profile,
		.symbolizer = analyst->symbolizer,
		.opener = options->opener};
	r = stacks_init(
		&analyst->stacks, &analyst->locations, options->frame_pointers, options->live);
	if (r < 0) {
		analyst_free(analyst);
		return r;
	}
	*ret_analyst = analyst;
	return 0;
}

void analyst_free(struct analyst *analyst)
{
	if (!analyst)
		return;
	processes_release(&analyst->processes);
	stacks_release(&analyst->stacks);
	spaces_release(&analyst->spaces);
	locations_release(&analyst->locations);
	symbolizer_free(analyst->symbolizer);
	profile_free(analyst->profile);
	unsampled_release(&analyst->unsampled);
	shares_release(&analyst->shares);
	free(analyst->factor);
	free(analyst->main_path);
	free(analyst);
}

struct profile *analyst_profile(struct analyst *analyst)
{
	return analyst->profile;
}

const struct processes *analyst_processes(const struct analyst *analyst)
{
	return &analyst->processes;
}

bool analyst_has_image(const struct analyst *analyst)
{
	return analyst->has_image;
}

uint16_t analyst_end_flags(const struct analyst *analyst)
{
	return analyst->end_flags;
}

uint32_t analyst_first_pid(const struct analyst *analyst)
{
	return analyst->first_pid;
}

bool analyst_process(const struct analyst *analyst, size_t index, uint32_t *ret_pid)
{
	if (index >= analyst->spaces.n)
		return false;
	*ret_pid = analyst->spaces.list[index]->pid;
	return true;
}

bool analyst_first_exit(const struct analyst *analyst, uint32_t *ret_status)
{
	*ret_status = analyst->first_status;
	return analyst->first_ended;
}

bool analyst_function_bounds(
	const struct analyst *analyst, uint32_t location, uint64_t *ret_start, uint64_t *ret_end)
{
	if (location >= analyst->locations.named || !analyst->locations.place[location].module)
		return false;
	return symbolizer_bounds(&analyst->locations.place[location], ret_start, ret_end);
}

int analyst_open_file(const struct analyst *analyst, const char *file)
{
	struct opened opened;
	uint32_t pid = 0;

	for (size_t i = 0;; i++) {
		if (i < analyst->spaces.n)
			pid = analyst->spaces.list[i]->pid;
		(void)opener_ask_path(
			analyst->locations.opener, OPENING_SOURCE, pid, file, &opened);
		if (opened.fd >= 0 || i + 1 >= analyst->spaces.n || i == OPEN_TRIES)
			return opened.fd >= 0 ? opened.fd : opened.error;
	}
}

const uint8_t *analyst_code(const struct analyst *analyst, uint32_t location, uint64_t svma,
	size_t *ret_bytes, unsigned *ret_machine)
{
	const struct locations *locations = &analyst->locations;

	if (location >= locations->places || !locations->place[location].module)
		return NULL;
	return symbolizer_code(
		&(struct place){locations->place[location].module, svma}, ret_bytes, ret_machine);
}

const char *analyst_function_at(
	const struct analyst *analyst, uint32_t location, uint64_t svma, uint64_t *ret_offset)
{
	const struct locations *locations = &analyst->locations;

	if (location >= locations->places || !locations->place[location].module)
		return NULL;
	return symbolizer_function_at(locations->symbolizer,
		&(struct place){locations->place[location].module, svma}, ret_offset);
}

struct opener *analyst_opener(const struct analyst *analyst)
{
	return analyst->locations.opener;
}

void analyst_times(const struct analyst *analyst, uint64_t *ret_began_ns, uint64_t *ret_last_ns)
{
	*ret_began_ns = analyst->began_ns;
	*ret_last_ns = analyst->last_ns;
}

void analyst_set_snapshot(struct analyst *analyst, bool snapshot)
{
	analyst->snapshot = snapshot;
}

int analyst_name_new(struct analyst *analyst)
{
	int r = locations_name_new(&analyst->locations);

	return r < 0 ? r : spaces_name_jit(&analyst->spaces);
}

int analyst_factors(struct analyst *analyst, const float **ret_factor, size_t *ret_stacks)
{
	size_t stacks = profile_samples(analyst->profile);
	int r = arrays_grow((void **)&analyst->factor, &analyst->factor_room, stacks + 1,
		sizeof(*analyst->factor));

	if (r == 0)
		r = times_factors(&analyst->shares, stacks, analyst->factor);
	*ret_factor = analyst->factor;
	*ret_stacks = stacks;
	return r;
}

static int find_task(
	struct analyst *analyst, const struct image_space *image, struct thread_name *thread)
{
	if (thread->task < 0)
		thread->task = profile_add_task(analyst->profile,
			&(struct task){.pid = image->pid,
				.tid = thread->tid,
				.process = image->name,
				.thread = thread->name[0] ? thread->name : image->name});
	return thread->task;
}

/* What a stack weighs at the moment of a sample, for the time line. */
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

	for (int i = 0; i < TIMELINE_STATES && r >= 0 && !analyst->no_timeline; i++) {
		instant.state = (enum timeline_state)i;
		instant.weight_ns = weight_ns[i];
		/* It was woken up, and then waited for its CPU. */
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
		n = stacks_take(&analyst->stacks, image, thread, sample, &stack, &guessed);
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

/* The value that tells for how long a thread was stopped for its stack. */
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

/* A tick: its weight is the thread's, until the time of the thread is shared out. */
static int weigh(struct analyst *analyst, const struct record_sample *sample, uint32_t stack)
{
	double weight = (double)sample->weight_ns;

	analyst->counts.weight += weight;
	analyst->counts.weight_squared += weight * weight;
	return shares_sample(&analyst->shares, sample->pid, sample->tid, stack, sample->weight_ns);
}

static int take_sample(struct analyst *analyst, const struct record_sample *sample)
{
	struct image_space *image = spaces_get(&analyst->spaces, sample->pid);
	struct thread_name *thread = image ? spaces_find_thread(image, sample->tid) : NULL;
	int64_t values[VALUE_TYPES_MAX] = {1, (int64_t)sample->weight_ns};
	bool dump = sample->flags & RECORD_SAMPLE_DUMP, guessed;
	const uint32_t *stack;
	int task, n;

	if (!thread)
		return -ENOMEM;
	if (!image->space) {
		/* Its maps could not be read in time; an empty space says "[unknown]". */
		int r = space_new(analyst->symbolizer, 0, &image->space);

		if (r < 0)
			return r;
	}
	if (sample->flags & RECORD_SAMPLE_BLOCKED && !dump)
		return take_blocked(analyst, image, thread, sample);
	if (dump) {
		int r = stopped_values(analyst, sample, values);

		if (r < 0)
			return r;
	}
	n = stacks_take(&analyst->stacks, image, thread, sample, &stack, &guessed);
	task = find_task(analyst, image, thread);
	if (n < 0 || task < 0)
		return -ENOMEM;
	analyst->counts.samples++;
	wallclock_values(&analyst->wallclock, sample, guessed, values);
	n = profile_add_stack(analyst->profile, (uint32_t)task, stack, (size_t)n);
	if (n < 0)
		return n;
	profile_add_values(analyst->profile, (size_t)n, values);
	if (dump)
		return 0;
	if (note_time(analyst, sample, (uint32_t)n) < 0)
		return -ENOMEM;
	return weigh(analyst, sample, (uint32_t)n);
}

/* Lines "key value\n". A line of another form is left out. */
static int take_audit(struct analyst *analyst, const char *text)
{
	char key[64];
	uint64_t value;
	int used;

	while (sscanf(text, "%63s %" SCNu64 "\n%n", key, &value, &used) == 2) {
		int r = profile_set_audit(analyst->profile, key, value);

		if (r < 0)
			return r;
		text += used;
	}
	return counts_tell(&analyst->counts, analyst->profile);
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

static int take_process(struct analyst *analyst, const struct record_process *process, bool forked)
{
	if (shares_process(&analyst->shares, process->pid, forked ? process->parent : 0) < 0)
		return -ENOMEM;
	if (forked)
		return spaces_fork(&analyst->spaces, process->pid, process->parent);
	return spaces_get(&analyst->spaces, process->pid) ? 0 : -ENOMEM;
}

static int take_exec(struct analyst *analyst, const struct record_exec *exec)
{
	analyst->has_image = true;
	if (!analyst->first_pid)
		analyst->first_pid = exec->pid;
	if (exec->pid == analyst->first_pid && arrays_replace(&analyst->main_path, exec->path) < 0)
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

static int take(struct analyst *analyst, const struct record *rec)
{
	const struct record_cpu *cpu = &rec->as.cpu;

	switch (rec->header.type) {
	case RECORD_START: return take_start(analyst, rec);
	case RECORD_PROCESS:
		return take_process(
			analyst, &rec->as.process, rec->header.flags & RECORD_PROCESS_FORKED);
	case RECORD_EXEC: return take_exec(analyst, &rec->as.exec);
	case RECORD_MAPS:
		return spaces_maps(
			&analyst->spaces, &rec->as.maps, rec->header.flags & RECORD_MAPS_LAST);
	case RECORD_THREAD: return spaces_thread(&analyst->spaces, &rec->as.thread);
	case RECORD_SAMPLE: return take_sample(analyst, &rec->as.sample);
	case RECORD_CPU:
		return shares_cpu(&analyst->shares, cpu->pid, cpu->tid, cpu->cpu_ns,
			rec->header.flags & RECORD_CPU_LAST);
	case RECORD_EXIT: return take_exit(analyst, &rec->as.exit);
	case RECORD_UNSAMPLED: return unsampled_take(&analyst->unsampled, &rec->as.unsampled);
	case RECORD_AUDIT:
		if (take_audit(analyst, rec->as.audit.text) < 0)
			return -ENOMEM;
		if (analyst->second)
			analyst->second(analyst->context);
		return 0;
	case RECORD_SNAPSHOT:
		if (take_audit(analyst, rec->as.audit.text) < 0)
			return -ENOMEM;
		if (analyst->snapshot_now)
			analyst->snapshot_now(analyst->context);
		return 0;
	case RECORD_SERVE:
		if (take_audit(analyst, rec->as.audit.text) < 0)
			return -ENOMEM;
		if (analyst->serve_now)
			analyst->serve_now(analyst->context);
		return 0;
	case RECORD_END:
		analyst->ended = true;
		analyst->end_flags = rec->header.flags;
		return take_audit(analyst, rec->as.audit.text) < 0 ? -ENOMEM : 1;
	default: return 0;
	}
}

/* The same, for profiles of each process. */
static int take_apart(struct analyst *analyst, const struct record *rec)
{
	struct processes *processes = &analyst->processes;

	switch (rec->header.type) {
	case RECORD_EXEC: return processes_exec(processes, &rec->as.exec);
	case RECORD_EXIT: return processes_exit(processes, &rec->as.exit);
	case RECORD_CPU: return processes_cpu(processes, &rec->as.cpu);
	case RECORD_SAMPLE:
		if (rec->as.sample.flags & (RECORD_SAMPLE_BLOCKED | RECORD_SAMPLE_DUMP))
			return 0;
		return processes_sample(processes, rec->as.sample.pid, rec->as.sample.weight_ns);
	default: return 0;
	}
}

int analyst_record(struct analyst *analyst, const uint8_t *data, size_t bytes)
{
	struct record rec;
	int r = record_get(data, bytes, &rec);

	if (r < 0) {
		analyst->counts.bad_records++;
		return r;
	}
	analyst->last_ns = rec.header.time_ns;
	if (!analyst->began_ns)
		analyst->began_ns = rec.header.time_ns;
	if (analyst->per_process && take_apart(analyst, &rec) < 0)
		return -ENOMEM;
	return take(analyst, &rec);
}

/* Samples at places without a name. */
static uint64_t count_unresolved(const struct analyst *analyst)
{
	const struct profile *profile = analyst->profile;
	uint64_t n = 0;

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);

		if (sample.n && locations_is_nameless(&analyst->locations, sample.location[0]))
			n += (uint64_t)sample.value[VALUE_SAMPLES];
	}
	return n;
}

static int note_main(struct analyst *analyst)
{
	int mapping =
		analyst->main_path ? profile_mapping_of(analyst->profile, analyst->main_path) : 0;

	if (mapping >= 0)
		profile_set_main(analyst->profile, (uint32_t)mapping);
	return mapping < 0 ? mapping : 0;
}

void analyst_note_cpu(struct analyst *analyst)
{
	counts_note_cpu(&analyst->counts);
}

/* Without the supervisor's last word the audit's figures are as last heard, up to a second ago. */
static int note_early_end(struct analyst *analyst)
{
	char note[160];

	(void)snprintf(note, sizeof(note),
		"the supervisor ended early, after %.1f s; this profile goes up to then, its audit "
		"up to a second before",
		(double)(analyst->last_ns - analyst->began_ns) / 1e9);
	return profile_add_note(analyst->profile, note);
}

/* "solver rank 3": pids of several machines tell nothing, and may be equal. */
static int name_rank(const struct analyst *analyst)
{
	char mark[32];

	if (!analyst->rank[0])
		return 0;
	(void)snprintf(mark, sizeof(mark), " rank %s", analyst->rank);
	return profile_mark_processes(analyst->profile, mark);
}

int analyst_finish(struct analyst *analyst)
{
	uint64_t wall = 0;
	int r = analyst->ended || analyst->snapshot ? 0 : note_early_end(analyst);

	if (r >= 0)
		r = locations_name_new(&analyst->locations);
	if (r >= 0)
		r = locations_note_losses(&analyst->locations);
	if (r >= 0)
		r = spaces_finish(&analyst->spaces);
	if (r < 0)
		return r;
	analyst->counts.unresolved = count_unresolved(analyst);
	r = times_finish(
		&analyst->shares, &analyst->processes, &analyst->wallclock, analyst->profile);
	if (r == 0)
		r = unsampled_finish(&analyst->unsampled, &analyst->wallclock, analyst->profile);
	if (r == 0)
		r = name_rank(analyst);
	if (r == 0 && !analyst->snapshot)
		r = jit_note_unnamed(analyst->profile);
	if (r == 0)
		r = note_main(analyst);
	if (r == 0 && analyst->labels)
		r = labels_give_all(analyst->profile, analyst->labels);
	if (r == 0)
		r = counts_close(
			&analyst->counts, &analyst->stacks, &analyst->wallclock, analyst->profile);
	(void)profile_audit(analyst->profile, "wall_ns", &wall);
	profile_set_time(analyst->profile, profile_realtime_ns(analyst->profile), wall);
	return r;
}
