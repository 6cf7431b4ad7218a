/* SPDX-License-Identifier: MIT */
#include "analyst/analyst.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/jit/jit_note.h"
#include "analyst/python/python_note.h"
#include "analyst/settle.h"
#include "analyst/take.h"
#include "base/array.h"
#include "opener/opener.h"
#include "profile/labels.h"
#include "profile/profile.h"
#include "proto/record.h"

/* analyst_open_file() tries the root folders of at most this many processes. */
#define OPEN_TRIES 64

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

/* Adds a note: "only threads whose name matches 'io-.*' were profiled". */
static int note_threads(struct profile *profile, const char *threads)
{
	char note[200];

	if (!threads)
		return 0;
	(void)snprintf(note, sizeof(note), "only %s were profiled", threads);
	if (strncmp(threads, "thread ", 7) == 0)
		(void)snprintf(note, sizeof(note), "only %s was profiled", threads);
	return profile_add_note(profile, note);
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
	analyst->options = *options;
	r = shares_init(&analyst->shares, options->per_process);
	if (r == 0)
		r = profile_new(&analyst->profile);
	if (r == 0)
		r = take_labels(analyst, options);
	if (r >= 0)
		r = note_threads(analyst->profile, options->threads);
	if (r >= 0)
		r = symbolizer_new(&symbols, &analyst->symbolizer);
	if (r < 0) {
		analyst_free(analyst);
		return r;
	}
	analyst->spaces.symbolizer = analyst->symbolizer;
	analyst->spaces.live = options->live;
	analyst->counts.user_only = options->user_only;
	analyst->locations = (struct locations){.profile = analyst->profile,
		.symbolizer = analyst->symbolizer,
		.opener = options->opener};
	analyst->runtimes =
		(struct runtimes){.options = options->runtimes, .locations = &analyst->locations};
	r = stacks_init(
		&analyst->stacks, &analyst->locations, options->frame_pointers, options->live);
	if (r < 0) {
		analyst_free(analyst);
		return r;
	}
	analyst->stacks.runtimes = &analyst->runtimes;
	analyst->stacks.jit_budget.rewritten = options->jit_map;
	analyst->stacks.stack_needs = options->stack_needs;
	analyst->stacks.context = options->context;
	*ret_analyst = analyst;
	return 0;
}

void analyst_free(struct analyst *analyst)
{
	if (!analyst)
		return;
	hold_release(&analyst->hold);
	processes_release(&analyst->processes);
	stacks_release(&analyst->stacks);
	runtimes_release(&analyst->runtimes);
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

bool analyst_has_image(const struct analyst *analyst)
{
	return analyst->has_image && !(analyst->end_flags & RECORD_END_REFUSED);
}

bool analyst_function_bounds(
	const struct analyst *analyst, uint32_t location, uint64_t *ret_start, uint64_t *ret_end)
{
	if (location >= analyst->locations.named || !analyst->locations.code[location].module)
		return false;
	return symbolizer_bounds(&analyst->locations.code[location], ret_start, ret_end);
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
		if (opened.fd >= 0 || i + 1 >= analyst->spaces.n || i + 1 == OPEN_TRIES)
			return opened.fd >= 0 ? opened.fd : opened.error;
	}
}

struct code_location analyst_code(const struct analyst *analyst, uint32_t location)
{
	const struct locations *locations = &analyst->locations;

	return location < locations->codes ? locations->code[location] : (struct code_location){0};
}

int analyst_name_new(struct analyst *analyst)
{
	int r = locations_name_new(&analyst->locations);

	return r < 0 ? r : spaces_name_jit(&analyst->spaces);
}

int analyst_factors(struct analyst *analyst, const float **ret_factor, size_t *ret_stacks)
{
	size_t stacks = profile_samples(analyst->profile);
	int r = array_grow(&analyst->factor, &analyst->factor_room, stacks + 1);

	if (r == 0)
		r = settle_factors(&analyst->shares, stacks, analyst->factor);
	*ret_factor = analyst->factor;
	*ret_stacks = stacks;
	return r;
}

int analyst_record(struct analyst *analyst, const uint8_t *data, size_t bytes)
{
	struct record rec;
	int r = record_get(data, bytes, &rec);

	if (r < 0) {
		analyst->counts.bad_records++;
		return r;
	}
	return hold_record(analyst, data, bytes, &rec);
}

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

static int note_early_end(struct analyst *analyst)
{
	char note[160];

	(void)snprintf(note, sizeof(note),
		"the supervisor ended early, after %.1f s; this profile goes up to then, its audit "
		"up to a second before",
		(double)(analyst->last_ns - analyst->began_ns) / 1e9);
	return profile_add_note(analyst->profile, note);
}

/* Appends " rank 3" to the names of all processes: pids on several machines may be equal. */
static int name_rank(const struct analyst *analyst)
{
	char mark[32];

	if (!analyst->options.rank || analyst->options.ranks < 2)
		return 0;
	(void)snprintf(mark, sizeof(mark), LABEL_RANK_MARK "%s", analyst->options.rank);
	return profile_mark_processes(analyst->profile, mark);
}

int analyst_finish(struct analyst *analyst)
{
	uint64_t wall = 0;
	int r = hold_flush(analyst);
	bool early = !analyst->ended && !analyst->snapshot;

	if (r < 0)
		return r;
	r = early ? note_early_end(analyst) : 0;
	if (early)
		shares_cover(&analyst->shares);
	if (r >= 0)
		r = locations_name_new(&analyst->locations);
	if (r >= 0)
		r = locations_note_losses(&analyst->locations);
	if (r >= 0)
		r = spaces_finish(&analyst->spaces);
	if (r < 0)
		return r;
	analyst->counts.unresolved = count_unresolved(analyst);
	r = settle_finish(&analyst->shares, &analyst->processes, &analyst->wallclock,
		analyst->profile, &analyst->counts.left_out_ns);
	if (r == 0)
		r = unsampled_finish(&analyst->unsampled, &analyst->wallclock, analyst->profile);
	if (r == 0)
		r = name_rank(analyst);
	if (r == 0 && !analyst->snapshot)
		r = jit_note_unnamed(analyst->profile);
	if (r == 0 && !analyst->snapshot)
		r = python_note(analyst->profile, analyst->runtimes.options.show != RUNTIMES_NOT);
	if (r == 0)
		r = note_main(analyst);
	if (r == 0 && analyst->labels)
		r = labels_give_all(analyst->profile, analyst->labels);
	if (r == 0)
		r = counts_close(
			&analyst->counts, &analyst->stacks, &analyst->wallclock, analyst->profile);
	if (r == 0)
		r = runtimes_close(&analyst->runtimes, analyst->profile);
	(void)profile_audit(analyst->profile, "wall_ns", &wall);
	profile_set_time(analyst->profile, profile_realtime_ns(analyst->profile), wall);
	return r;
}
