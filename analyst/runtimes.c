/* SPDX-License-Identifier: MIT */
#include "analyst/runtimes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyst/base/locations.h"
#include "analyst/counts.h"
#include "analyst/spaces.h"
#include "base/array.h"
#include "profile/profile.h"
#include "proto/request.h"
#include "symbolizer/symbolizer.h"

static const struct runtime *const all[] = {&python_runtime, &hotspot_runtime};

void image_runtime_free(struct image_runtime *runtime)
{
	if (!runtime)
		return;
	runtime->runtime->free(runtime->state);
	peek_release(&runtime->peek);
	free(runtime);
}

void runtimes_release(struct runtimes *runtimes)
{
	free(runtimes->frame);
	free(runtimes->stack.location);
	free(runtimes->stack.group);
	free(runtimes->hidden);
	*runtimes = (struct runtimes){0};
}

/*
 * Sends the runtime's table to the supervisor once. If the supervisor cannot take the table now,
 * the next sample tries again.
 */
static void request_table(struct runtimes *runtimes, struct image_runtime *runtime)
{
	uint8_t requests[RUNTIME_REQUEST_BYTES];

	if (runtime->asked || runtime->runtime->step || !runtimes->options.request)
		return;
	runtime_table_put(requests, &runtime->table);
	runtime->asked =
		runtimes->options.request(runtimes->options.context, requests, sizeof(requests));
}

static int note_problem(
	struct runtimes *runtimes, const struct image_space *image, const char *problem)
{
	char note[256];

	(void)snprintf(note, sizeof(note), "%s: %s", image->name, problem);
	return profile_add_note(runtimes->locations->profile, note);
}

/* Steps with an empty frame, to request the memory that every stack needs. --dump waits for it. */
static int begin_steps(struct runtimes *runtimes, struct image_runtime *runtime)
{
	const struct unwind_runtime_frame nowhere = {0};
	struct unwind_runtime_caller caller;
	int r = runtime->runtime->step(runtime->state, &runtime->peek, 0, &nowhere, &caller);

	runtimes->steps = true;
	peek_send(&runtime->peek);
	return r < 0 ? r : 0;
}

static int set(struct runtimes *runtimes, struct image_space *image, const struct runtime *runtime,
	void *state, const struct runtime_table *table)
{
	image->runtime = calloc(1, sizeof(*image->runtime));
	if (!image->runtime) {
		runtime->free(state);
		return -ENOMEM;
	}
	*image->runtime =
		(struct image_runtime){.runtime = runtime, .state = state, .table = *table};
	image->runtime->table.pid = image->pid;
	image->runtime->peek = (struct peek){.pid = image->pid,
		.request = runtimes->options.request,
		.context = runtimes->options.context};
	if (runtime->step)
		return begin_steps(runtimes, image->runtime);
	runtimes->found = true;
	request_table(runtimes, image->runtime);
	return 0;
}

/* Tells the supervisor where a Go program's threads keep the pointer to their goroutine. */
static void detect_go(struct runtimes *runtimes, struct image_space *image)
{
	const struct runtimes_options *options = &runtimes->options;
	struct request request = {.type = REQUEST_GO, .index = image->pid};
	uint8_t bytes[REQUEST_BYTES];

	if (image->go_reported || !options->request || !image->space)
		return;
	request.value = space_go(image->space);
	image->go_reported = true;
	if (!request.value || request.value > REQUEST_GO_MOST)
		return;
	request_put(bytes, &request);
	image->go_reported = options->request(options->context, bytes, sizeof(bytes));
}

static int detect(struct runtimes *runtimes, struct image_space *image)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct runtime_table table;
		void *state = NULL;
		int r;

		if (!all[i]->step && runtimes->options.show == RUNTIMES_NOT)
			continue;
		r = all[i]->detect(runtimes->locations, image->space, &table, &state);

		if (r > 0)
			return set(runtimes, image, all[i], state, &table);
		if (r == -ENOTSUP)
			r = note_problem(runtimes, image, state);
		if (r < 0)
			return r;
	}
	return 0;
}

int runtimes_detect(struct runtimes *runtimes, struct image_space *image)
{
	detect_go(runtimes, image);
	return !image->runtime && image->space ? detect(runtimes, image) : 0;
}

int runtimes_take(struct runtimes *runtimes, uint64_t time_ns, const struct record_runtime *record)
{
	size_t bytes = (size_t)record->frames * RECORD_FRAME_WORDS * 8;

	runtimes->pending.tid = 0;
	if (array_grow(&runtimes->frame, &runtimes->frame_room, bytes + 1) < 0)
		return -ENOMEM;
	if (bytes)
		memcpy(runtimes->frame, record->frame, bytes);
	runtimes->pending = *record;
	runtimes->pending.frame = runtimes->frame;
	runtimes->pending_ns = time_ns;
	return 0;
}

int runtimes_object(
	struct runtimes *runtimes, struct image_space *image, const struct record_object *object)
{
	(void)runtimes;
	if (!image->runtime || image->runtime->runtime->step ||
		image->runtime->table.id != object->id)
		return 0;
	return image->runtime->runtime->object(image->runtime->state, object);
}

void runtimes_sample_begins(struct runtimes *runtimes, uint64_t time_ns)
{
	if (runtimes->pending_ns != time_ns)
		runtimes->pending.tid = 0;
	runtimes->stack.holds_lock = runtimes->stack.waits_for_lock = false;
}

void runtimes_sample_over(struct runtimes *runtimes)
{
	runtimes->pending.tid = 0;
}

static bool is_own(const struct image_runtime *runtime, const struct unwind_frame *frame)
{
	return runtime->runtime->is_own(runtime->state, frame);
}

/*
 * Hides frames of the interpreter that the language's frames stand for. These are the ones called
 * by a function of the language, and the ones that directly called the language's outermost
 * function. Frames further out, at the beginning of a thread, stay.
 */
static void hide(struct runtimes *runtimes, const struct image_runtime *runtime,
	const struct unwind_result *result)
{
	const struct runtime_stack *stack = &runtimes->stack;
	size_t group = 0, i = 0;

	while (i < result->n) {
		size_t begin = i;
		bool fold;

		if (group < stack->groups && stack->group[group].frame == i) {
			group++;
			i++;
			continue;
		}
		while (i < result->n && is_own(runtime, &result->frame[i]) &&
			!(group < stack->groups && stack->group[group].frame == i))
			i++;
		if (i == begin) {
			i++;
			continue;
		}
		fold = group < stack->groups ||
			(group && stack->group[group - 1].frame + 1 == begin);
		for (size_t k = begin; k < i; k++)
			runtimes->hidden[k] = fold;
	}
}

int runtimes_merge(struct runtimes *runtimes, struct image_space *image,
	const struct record_sample *sample, const struct unwind_result *result)
{
	struct image_runtime *runtime = image->runtime;
	const struct record_runtime *record = &runtimes->pending;
	const struct runtime_sample of = {.record = record,
		.frame = result->frame,
		.n = result->n,
		.truncated = result->end == UNWIND_TRUNCATED,
		.in_call = sample->syscall >= 0 || sample->flags & RECORD_SAMPLE_BLOCKED,
		.piece = {{sample->stack_base, sample->stack, sample->stack_bytes},
			{sample->outer_base, sample->outer, sample->outer_bytes}}};
	int r;

	runtimes->stack.groups = runtimes->stack.locations = 0;
	if (!runtime || runtime->runtime->step)
		return 0;
	request_table(runtimes, runtime);
	if (record->tid != sample->tid || record->pid != sample->pid ||
		record->id != runtime->table.id || record->flags & RECORD_RUNTIME_UNKNOWN)
		return 0;
	r = runtime->runtime->merge(runtime->state, &of, &runtimes->stack);
	if (r < 0)
		return r;
	runtimes->merged += r > 0 && runtimes->stack.locations;
	runtimes->unmatched += r == 0;
	if (r == 0 && runtimes->options.show != RUNTIMES_ONLY)
		return 0;
	if (array_grow(&runtimes->hidden, &runtimes->hidden_room, result->n) < 0)
		return -ENOMEM;
	memset(runtimes->hidden, 0, result->n);
	if (runtimes->stack.groups && !runtimes->options.own_frames)
		hide(runtimes, runtime, result);
	return runtimes->stack.locations > 0;
}

bool runtimes_steps(const struct image_space *image)
{
	return image->runtime && image->runtime->runtime->step;
}

int runtimes_step(struct runtimes *runtimes, struct image_space *image, uint64_t now_ns,
	const struct unwind_runtime_frame *frame, struct unwind_runtime_caller *ret_caller)
{
	struct image_runtime *runtime = image->runtime;
	const char *problem;
	int r;

	if (!runtimes_steps(image))
		return 0;
	r = runtime->runtime->step(runtime->state, &runtime->peek, now_ns, frame, ret_caller);
	problem = runtime->said ? NULL : runtime->runtime->problem(runtime->state);
	if (r < 0 || !problem)
		return r;
	runtime->said = true;
	return note_problem(runtimes, image, problem) < 0 ? -ENOMEM : r;
}

int runtimes_memory(struct image_space *image, uint64_t time_ns, const struct record_memory *memory)
{
	return runtimes_steps(image) ? peek_answer(&image->runtime->peek, time_ns, memory) : 0;
}

/* The struct peek of the next process, from index *@at on, that has one. NULL: no more. */
static struct peek *next_peek(
	const struct runtimes *runtimes, const struct spaces *spaces, size_t *at)
{
	while (runtimes->steps && *at < spaces->n) {
		struct image_space *image = spaces->list[(*at)++];

		if (runtimes_steps(image))
			return &image->runtime->peek;
	}
	return NULL;
}

bool runtimes_waiting(const struct runtimes *runtimes, const struct spaces *spaces)
{
	const struct peek *peek;
	size_t at = 0;

	while ((peek = next_peek(runtimes, spaces, &at)))
		if (peek->waiting)
			return true;
	return false;
}

void runtimes_each(const struct runtimes *runtimes, const struct spaces *spaces,
	void (*act)(struct peek *peek))
{
	struct peek *peek;
	size_t at = 0;

	while ((peek = next_peek(runtimes, spaces, &at)))
		act(peek);
}

int runtimes_close(const struct runtimes *runtimes, struct profile *profile)
{
	const struct audit_figure figures[] = {
		{runtimes->found ? "python_stacks" : NULL, runtimes->merged},
		{runtimes->found ? "python_unmatched" : NULL, runtimes->unmatched},
		{runtimes->steps ? "java_stacks" : NULL, runtimes->stepped},
		{runtimes->steps ? "java_unread" : NULL, runtimes->forced},
		{runtimes->steps ? "java_in_heap" : NULL, runtimes->gaps},
	};

	return counts_set_audit(profile, figures, sizeof(figures) / sizeof(*figures));
}
