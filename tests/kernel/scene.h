/* SPDX-License-Identifier: MIT */
/*
 * The engine on a scripted kernel: engine_run() with the options of a test; then the tasks go on
 * without a tracer until nothing happens any more. This must hold after any run:
 *
 *	no thread is left stopped that nobody stopped
 *	processes end as in a run without the supervisor, if the test wants it (@same)
 */
#ifndef TESTS_KERNEL_SCENE_H
#define TESTS_KERNEL_SCENE_H

#include <stdbool.h>

#include "supervisor/engine/engine.h"
#include "tests/kernel/kernel.h"

enum { SCENE_ENDS = 32 };

struct scene {
	/* Adds the tasks; called before each run. */
	void (*build)(struct kernel *kernel);
	/* The test's own check of the run; NULL: none. */
	void (*check)(struct kernel *kernel, const struct engine_result *result);
	bool same;       /* processes end as in a run without the supervisor */
	bool same_calls; /* as many of their calls fail with EINTR as without the supervisor */
	const int *pids;
	size_t pids_n;
	size_t pids_found; /* the last ones, which a search found: may be left out */
	const struct step *command; /* program of the launched child, if options.argv is set */
	unsigned long dies_at;      /* as kernel.dies_at */
	struct engine_options options;
	/* How processes end without a supervisor: filled by the first run, if @same. */
	struct kernel_end was[SCENE_ENDS];
	size_t was_n;
	/* Result of the last run. */
	struct engine_result result;
	char said[4096]; /* what the engine said to the user */
	size_t said_bytes;
};

/* Plays @scene, a struct scene, once. This is a script_play of explore.h. */
void scene_play(struct kernel *kernel, void *scene);
/* Did the engine say a line with @text? */
bool scene_said(const struct scene *scene, const char *text);
/* Returns how often @text is in what the engine said. */
unsigned scene_says(const struct scene *scene, const char *text);
/* Returns the figure in the audit's line "KEY FIGURE"; the run fails if there is no such line. */
unsigned long scene_figure(struct kernel *k, const char *key);

#endif
