/* SPDX-License-Identifier: MIT */
#include "tests/kernel/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run in which the supervisor does not end by itself is ended after this time. */
#define DURATION_NS UINT64_C(2000000000)

static void say(void *context, enum say_kind kind, const char *line)
{
	struct scene *scene = context;
	int n;

	(void)kind;
	if (scene->said_bytes >= sizeof(scene->said) - 1)
		return;
	n = snprintf(scene->said + scene->said_bytes, sizeof(scene->said) - scene->said_bytes,
		"%s\n", line);
	scene->said_bytes += (size_t)n;
}

bool scene_said(const struct scene *scene, const char *text)
{
	return strstr(scene->said, text) != NULL;
}

unsigned scene_says(const struct scene *scene, const char *text)
{
	unsigned n = 0;

	for (const char *at = scene->said; (at = strstr(at, text)) != NULL; at++)
		n++;
	return n;
}

/* Runs the same tasks without a supervisor, in the first order. */
static void run_alone(struct scene *scene)
{
	struct kernel *k = kernel_new(NULL);

	scene->build(k);
	kernel_run_out(k);
	scene->was_n = kernel_ends(k, scene->was, SCENE_ENDS);
	kernel_free(k);
}

static void compare(const struct scene *scene, struct kernel *k, const struct kernel_end *is,
	const struct kernel_end *was)
{
	if (is->status != was->status)
		kernel_fail(k, "process %d ends with 0x%x instead of 0x%x", was->pid,
			(unsigned)is->status, (unsigned)was->status);
	else if (is->marks != was->marks)
		kernel_fail(k, "process %d does %u of %u things", was->pid, is->marks, was->marks);
	else if (is->execs != was->execs)
		kernel_fail(k, "process %d has %u of %u images", was->pid, is->execs, was->execs);
	else if (scene->same_calls && is->interrupted_calls != was->interrupted_calls)
		kernel_fail(k, "process %d sees EINTR %u times instead of %u", was->pid,
			is->interrupted_calls, was->interrupted_calls);
	for (int s = 1; s < 65; s++)
		if (is->delivered[s] != was->delivered[s])
			kernel_fail(k, "process %d gets signal %d %u times instead of %u", was->pid,
				s, is->delivered[s], was->delivered[s]);
}

static void check_end(struct scene *scene, struct kernel *k)
{
	struct kernel_end is[SCENE_ENDS];
	size_t n;

	for (size_t i = 0; i < k->tasks; i++) {
		const struct task *t = &k->task[i];

		if (t->state == TASK_TRACED)
			kernel_fail(k, "task %d is left in a stop", t->tid);
		else if (t->state == TASK_STOPPED && !t->group->stop_signal)
			kernel_fail(k, "task %d is left stopped", t->tid);
	}
	if (!scene->same || k->broken)
		return;
	if (!scene->was_n)
		run_alone(scene);
	n = kernel_ends(k, is, SCENE_ENDS);
	if (n != scene->was_n)
		kernel_fail(k, "%zu processes instead of %zu", n, scene->was_n);
	for (size_t i = 0; i < n && !k->broken; i++)
		compare(scene, k, &is[i], &scene->was[i]);
}

void scene_play(struct kernel *k, void *context)
{
	struct scene *scene = context;
	struct engine_options options = scene->options;

	scene->said_bytes = 0;
	scene->said[0] = '\0';
	if (scene->build)
		scene->build(k);
	k->command = scene->command;
	k->dies_at = scene->dies_at;
	options.pids = scene->pids;
	options.pids_n = scene->pids_n;
	options.pids_given = scene->pids_n - scene->pids_found;
	if (!options.period_ns)
		options.period_ns = 1000000;
	if (!options.duration_ns)
		options.duration_ns = DURATION_NS;
	options.say = say;
	options.context = scene;
	kernel_in_use = k;
	engine_run(&options, &scene->result);
	kernel_run_analysts(k);
	kernel_in_use = NULL;
	if (scene->result.analyst_fd >= 0)
		(void)close(scene->result.analyst_fd);
	if (!k->traced_once)
		kernel_fail(k, "no thread traced anything");
	kernel_run_out(k);
	check_end(scene, k);
	if (scene->check && !k->broken)
		scene->check(k, &scene->result);
}

unsigned long scene_figure(struct kernel *k, const char *key)
{
	const char *at = k->records.audit;
	size_t bytes = strlen(key);

	while (at && (strncmp(at, key, bytes) != 0 || at[bytes] != ' ')) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		kernel_fail(k, "the audit has no %s", key);
	return at ? strtoul(at + bytes, NULL, 10) : 0;
}
