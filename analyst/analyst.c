/* SPDX-License-Identifier: MIT */
#include "analyst/analyst.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analyst/arrays.h"
#include "analyst/locations.h"
#include "analyst/processes.h"
#include "analyst/spaces.h"
#include "analyst/stacks.h"
#include "analyst/wallclock.h"
#include "proto/record.h"
#include "profile/profile.h"
#include "profile/stats.h"
#include "symbolizer/regular.h"

struct analyst {
	struct symbolizer *symbolizer;
	struct spaces spaces;
	struct profile *profile;
	struct locations locations;
	struct stacks stacks;
	bool per_process;
	struct processes processes;
	struct record_unsampled *unsampled; /* paths owned */
	size_t unsampleds, unsampled_room;
	uint64_t began_ns, last_ns; /* CLOCK_MONOTONIC of the records */
	uint32_t first_pid;
	char *main_path; /* what the first process runs, NULL not known */
	struct wallclock wallclock;
	uint64_t guessed_stacks;
	bool has_image, ended, first_ended, snapshot;
	uint32_t first_status; /* of the first process, once it has ended */
	uint64_t samples, bad_records, unresolved;
	double weight, weight_squared;
	uint64_t cpu_ns; /* used by the process that took the records in */
};

int analyst_new(const struct analyst_options *options, struct analyst **ret_analyst)
{
	const struct symbolizer_options symbols = {
		.size = sizeof(symbols),
		.working_on = options->working_on,
		.skip = options->skip,
		.context = options->context,
	};
	struct analyst *analyst = calloc(1, sizeof(*analyst));
	int r;

	if (!analyst)
		return -ENOMEM;
	r = profile_new(&analyst->profile);
	if (r == 0)
		r = symbolizer_new(&symbols, &analyst->symbolizer);
	if (r < 0) {
		analyst_free(analyst);
		return r;
	}
	analyst->spaces.symbolizer = analyst->symbolizer;
	analyst->spaces.live = options->live;
	analyst->per_process = options->per_process;
	analyst->locations =
		(struct locations){.profile = analyst->profile, .symbolizer = analyst->symbolizer};
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
	for (size_t i = 0; i < analyst->unsampleds; i++)
		free((char *)analyst->unsampled[i].path);
	free(analyst->unsampled);
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
	struct stat st;
	int fd = regular_open(-1, file, REGULAR_LINKS, &st);

	for (size_t i = 0; fd < 0 && file[0] == '/' && i < analyst->spaces.n; i++)
		fd = regular_open_of((int)analyst->spaces.list[i]->pid, file, REGULAR_LINKS, &st);
	return fd;
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
		analyst->guessed_stacks += guessed;
	}
	wallclock_values(&analyst->wallclock, sample, thread->blocked_guessed, values);
	analyst->samples += (uint64_t)values[VALUE_SAMPLES];
	return profile_add_sample(
		analyst->profile, (uint32_t)task, thread->blocked, thread->blocked_n, values);
}

static int take_sample(struct analyst *analyst, const struct record_sample *sample)
{
	struct image_space *image = spaces_get(&analyst->spaces, sample->pid);
	struct thread_name *thread = image ? spaces_find_thread(image, sample->tid) : NULL;
	int64_t values[VALUE_TYPES_MAX] = {1, (int64_t)sample->weight_ns};
	int stopped = -1;
	const uint32_t *stack;
	bool guessed;
	int task, n;

	if (!thread)
		return -ENOMEM;
	if (!image->space) {
		/* Its maps could not be read in time; an empty space says "[unknown]". */
		int r = space_new(analyst->symbolizer, 0, &image->space);

		if (r < 0)
			return r;
	}
	if (sample->flags & RECORD_SAMPLE_BLOCKED && !(sample->flags & RECORD_SAMPLE_DUMP))
		return take_blocked(analyst, image, thread, sample);
	if (sample->flags & RECORD_SAMPLE_DUMP) {
		stopped = profile_add_value_type(analyst->profile, PROFILE_STOPPED, "nanoseconds");
		if (stopped < 0)
			return stopped;
		values[stopped] = values[VALUE_CPU_NS];
		values[VALUE_CPU_NS] = 0;
		if (sample->flags & RECORD_SAMPLE_BLOCKED)
			values[stopped] = PROFILE_NOT_STOPPED;
		else if (sample->flags & RECORD_SAMPLE_STOPPED)
			values[stopped] = PROFILE_LEFT_STOPPED;
	}
	n = stacks_take(&analyst->stacks, image, thread, sample, &stack, &guessed);
	task = find_task(analyst, image, thread);
	if (n < 0 || task < 0)
		return -ENOMEM;
	analyst->samples++;
	analyst->weight += (double)sample->weight_ns;
	analyst->weight_squared += (double)sample->weight_ns * (double)sample->weight_ns;
	wallclock_values(&analyst->wallclock, sample, guessed, values);
	return profile_add_sample(analyst->profile, (uint32_t)task, stack, (size_t)n, values);
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

static int take_unsampled(struct analyst *analyst, const struct record_unsampled *unsampled)
{
	char *path = strdup(unsampled->path);

	if (path && analyst->unsampleds == analyst->unsampled_room) {
		size_t room = analyst->unsampled_room * 2 + 16;
		void *grown = reallocarray(analyst->unsampled, room, sizeof(*analyst->unsampled));

		if (grown) {
			analyst->unsampled = grown;
			analyst->unsampled_room = room;
		}
	}
	if (!path || analyst->unsampleds == analyst->unsampled_room) {
		free(path);
		return -ENOMEM;
	}
	analyst->unsampled[analyst->unsampleds++] = (struct record_unsampled){
		unsampled->cpu_ns, unsampled->queue_ns, unsampled->blocked_ns, path};
	return 0;
}

static int take(struct analyst *analyst, const struct record *rec)
{
	switch (rec->header.type) {
	case RECORD_START: return take_start(analyst, rec);
	case RECORD_PROCESS:
		if (rec->header.flags & RECORD_PROCESS_FORKED)
			return spaces_fork(
				&analyst->spaces, rec->as.process.pid, rec->as.process.parent);
		return spaces_get(&analyst->spaces, rec->as.process.pid) ? 0 : -ENOMEM;
	case RECORD_EXEC:
		analyst->has_image = true;
		if (!analyst->first_pid)
			analyst->first_pid = rec->as.exec.pid;
		if (rec->as.exec.pid == analyst->first_pid &&
			arrays_replace(&analyst->main_path, rec->as.exec.path) < 0)
			return -ENOMEM;
		return spaces_exec(&analyst->spaces, &rec->as.exec);
	case RECORD_MAPS:
		return spaces_maps(
			&analyst->spaces, &rec->as.maps, rec->header.flags & RECORD_MAPS_LAST);
	case RECORD_THREAD: return spaces_thread(&analyst->spaces, &rec->as.thread);
	case RECORD_SAMPLE: return take_sample(analyst, &rec->as.sample);
	case RECORD_EXIT:
		if (rec->as.exit.pid == analyst->first_pid) {
			analyst->first_ended = true;
			analyst->first_status = rec->as.exit.status;
		}
		return spaces_drop(&analyst->spaces, rec->as.exit.pid);
	case RECORD_UNSAMPLED: return take_unsampled(analyst, &rec->as.unsampled);
	case RECORD_AUDIT: return take_audit(analyst, rec->as.audit.text);
	case RECORD_END:
		analyst->ended = true;
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
	case RECORD_SAMPLE:
		return processes_sample(processes, rec->as.sample.pid, rec->as.sample.weight_ns);
	default: return 0;
	}
}

int analyst_record(struct analyst *analyst, const uint8_t *data, size_t bytes)
{
	struct record rec;
	int r = record_get(data, bytes, &rec);

	if (r < 0) {
		analyst->bad_records++;
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

static int add_unsampled_of(
	struct analyst *analyst, uint32_t task, uint32_t mapping, const struct record_unsampled *u)
{
	const struct record_sample times = {
		.weight_ns = u->cpu_ns, .queue_ns = u->queue_ns, .blocked_ns = u->blocked_ns};
	int64_t values[VALUE_TYPES_MAX] = {[VALUE_CPU_NS] = (int64_t)u->cpu_ns};

	wallclock_values(&analyst->wallclock, &times, false, values);
	return profile_add_unsampled_values(analyst->profile, task, mapping, values);
}

static int add_unsampled(struct analyst *analyst)
{
	for (size_t i = 0; i < analyst->unsampleds; i++) {
		const struct record_unsampled *u = &analyst->unsampled[i];
		const char *slash = strrchr(u->path, '/');
		const char *name = slash ? slash + 1 : u->path;
		int mapping = profile_mapping_of(analyst->profile, u->path);
		int task = profile_add_task(
			analyst->profile, &(struct task){.process = name, .thread = name});

		if (mapping < 0 || task < 0 ||
			add_unsampled_of(analyst, (uint32_t)task, (uint32_t)mapping, u) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int note_main(struct analyst *analyst)
{
	int mapping =
		analyst->main_path ? profile_mapping_of(analyst->profile, analyst->main_path) : 0;

	if (mapping >= 0)
		profile_set_main(analyst->profile, (uint32_t)mapping);
	return mapping < 0 ? mapping : 0;
}

static uint64_t own_cpu_ns(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
		(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

void analyst_note_cpu(struct analyst *analyst)
{
	analyst->cpu_ns = own_cpu_ns();
}

static int close_audit(struct analyst *analyst)
{
	struct profile *profile = analyst->profile;
	const struct {
		const char *key;
		uint64_t value;
	} figures[] = {
		{"samples", analyst->samples},
		{"unresolved_samples", analyst->unresolved},
		{"truncated_stacks", analyst->stacks.truncated},
		{"incomplete_stacks", analyst->stacks.incomplete},
		{"guessed_frames", analyst->stacks.guessed},
		{analyst->wallclock.recorded ? "guessed_stacks" : NULL, analyst->guessed_stacks},
		{"bad_records", analyst->bad_records},
		{"analyst_cpu_ns", analyst->cpu_ns + own_cpu_ns()},
		{STATS_EFFECTIVE_SAMPLES,
			(uint64_t)(stats_effective_samples(
					   analyst->weight, analyst->weight_squared) +
				0.5)},
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		int r = figures[i].key
			? profile_set_audit(profile, figures[i].key, figures[i].value)
			: 0;

		if (r < 0)
			return r;
	}
	return 0;
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
	analyst->unresolved = count_unresolved(analyst);
	r = add_unsampled(analyst);
	if (r == 0)
		r = processes_finish(&analyst->processes, analyst->profile);
	if (r == 0)
		r = note_main(analyst);
	if (r == 0)
		r = close_audit(analyst);
	(void)profile_audit(analyst->profile, "wall_ns", &wall);
	profile_set_time(analyst->profile, profile_realtime_ns(analyst->profile), wall);
	return r;
}
