/* SPDX-License-Identifier: MIT */
/*
 * The Callgrind format, version 1 (Valgrind's manual, "Callgrind Format Specification"):
 *
 *   ob=(1) /usr/bin/demo
 *   fl=(1) src/main.c
 *   fn=(1) main
 *   12 4000000                  line, own cost
 *   cob=(2) /usr/lib/libfoo.so
 *   cfi=(2) foo.c
 *   cfn=(2) foo_read
 *   calls=15 40                 samples in which it was called, line of the callee
 *   12 60000000                 line of the call, cost of the callee
 *
 * A name is written where its number is first used. Inlined functions are separate functions.
 *
 * Some readers take a function's inclusive cost from the calls to it, others from its own cost and
 * its calls. Both must find the function's total, which counts each sample once. So a function that
 * is called while it runs already gets a second name, as Callgrind itself names levels of
 * recursion: the second level of f is "f'2". The stack f, f, f (root first) is written as f, f'2.
 * The stack f, g, f, g, f, h is written as f, g, f'2, h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/text.h"
#include "view/export/exporters.h"
#include "view/frames.h"

/* A function of the file: an index of frames->places, a source file, and a level of recursion. */
struct grind_function {
	uint32_t place, level; /* @level: 1, and 1 more in each recursive call */
	const char *file;
	uint32_t line; /* first line of the function; 0: unknown */
};

enum { NO_CALLEE = UINT32_MAX };

struct grind_cost {
	uint32_t function, line; /* @function: an index */
	uint32_t callee;         /* an index; NO_CALLEE: cost of the line itself, not of a call */
	int64_t weight, samples;
};

/* A frame of the current stack as written. */
struct grind_step {
	const struct frame *frame;
	uint32_t level;
	uint32_t before; /* index + 1 of the function's previous step in @path; 0: none */
};

struct grind {
	struct frames *frames;
	struct grind_step *path;
	size_t steps, path_room;
	uint32_t *at; /* by place: index + 1 of its last step in @path; 0: none */
	struct grind_function *function;
	size_t functions, function_room;
	struct table function_table;
	struct grind_cost *cost;
	size_t costs, cost_room;
	struct table cost_table;
	struct pool name[3]; /* by enum grind_name; ids are the format's numbers */
	size_t named[3];     /* by enum grind_name: number of names already written */
	int64_t all;         /* sum of all samples, for the head */
	FILE *out;
};

enum grind_name { GRIND_OBJECT, GRIND_FILE, GRIND_FUNCTION };

static bool function_equal(const void *items, uint32_t index, const void *key)
{
	const struct grind_function *a = (const struct grind_function *)items + index, *b = key;

	return a->place == b->place && a->file == b->file && a->level == b->level;
}

static int function_of(struct grind *g, const struct grind_step *step)
{
	const struct frame *frame = step->frame;
	struct grind_function key = {
		.place = frame->place, .level = step->level, .file = frames_file(g->frames, frame)};
	uint64_t hash = table_mix(table_mix(key.place, key.level), (uintptr_t)key.file);

	if (frame->function != FRAMES_NO_FUNCTION)
		key.line = profile_function(g->frames->profile, frame->function).line;
	return table_intern(&g->function_table, hash, function_equal, &g->function,
		&g->function_room, &g->functions, &key);
}

static bool cost_equal(const void *items, uint32_t index, const void *key)
{
	const struct grind_cost *a = (const struct grind_cost *)items + index, *b = key;

	return a->function == b->function && a->line == b->line && a->callee == b->callee;
}

static int add_cost(struct grind *g, const struct grind_cost *cost)
{
	uint64_t hash =
		table_mix(table_mix(cost->function, (uint64_t)cost->line << 32 | cost->callee), 0);
	size_t before = g->costs;
	int index = table_intern(
		&g->cost_table, hash, cost_equal, &g->cost, &g->cost_room, &g->costs, cost);

	if (index < 0 || g->costs > before)
		return index < 0 ? index : 0;
	sum_add(&g->cost[index].weight, cost->weight);
	g->cost[index].samples += cost->samples;
	return 0;
}

static int push(struct grind *g, const struct frame *frame)
{
	uint32_t before = g->at[frame->place];

	if (array_grow(&g->path, &g->path_room, g->steps + 1) < 0)
		return -ENOMEM;
	g->path[g->steps++] = (struct grind_step){
		.frame = frame,
		.level = before ? g->path[before - 1].level + 1 : 1,
		.before = before,
	};
	g->at[frame->place] = (uint32_t)g->steps;
	return 0;
}

static void pop_to(struct grind *g, size_t steps)
{
	while (g->steps > steps) {
		const struct grind_step *step = &g->path[--g->steps];

		g->at[step->frame->place] = step->before;
	}
}

/*
 * Makes the path of the last stack taken, root first. When a function recurs, the path is cut back
 * to the last step of this function. But if another function would lose its only step, nothing is
 * cut, and the function gets another step, of the next level. 0 or -ENOMEM.
 */
static int make_path(struct grind *g)
{
	size_t kept = 0; /* steps up to the last one of level 1: these are never removed */
	int error = 0;

	for (size_t i = g->frames->n; i-- > 0 && !error;) {
		const struct frame *frame = &g->frames->frame[i];
		uint32_t at = g->at[frame->place];

		if (at > kept) {
			pop_to(g, at);
			g->path[at - 1].frame = frame;
			continue;
		}
		error = push(g, frame);
		if (!error && !at)
			kept = g->steps;
	}
	return error;
}

static int add_sample(struct grind *g, size_t index, int64_t weight)
{
	int64_t samples = profile_sample(g->frames->profile, index).value[VALUE_SAMPLES];
	struct grind_cost cost = {.callee = NO_CALLEE, .weight = weight};
	int error = make_path(g);

	/*
	 * The format wants the number of calls, which is unknown. The number of samples is written
	 * instead: at least 1, because the function was called.
	 */
	cost.samples = samples > 0 ? samples : 1;
	for (size_t i = g->steps; i-- > 0 && !error;) {
		int function = function_of(g, &g->path[i]);

		cost.function = (uint32_t)function;
		cost.line = g->path[i].frame->line;
		error = function < 0 ? function : add_cost(g, &cost);
		cost.callee = cost.function;
	}
	pop_to(g, 0); /* steps borrow this sample's frames */
	return error;
}

static int compare_costs(const void *a, const void *b)
{
	const struct grind_cost *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	/*
	 * Callees descend, so a function's own costs come first: NO_CALLEE is greater than any
	 * index.
	 */
	if (x->callee != y->callee)
		return x->callee > y->callee ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Writes "fn=(1) main" the first time, later "fn=(1)". 0 or -ENOMEM. */
static int put_name(struct grind *g, const char *key, enum grind_name kind, const char *text)
{
	char *clean = text_clean(text[0] ? text : "???", false);
	int id = clean ? pool_add_text(&g->name[kind], clean) : -ENOMEM;

	if (id >= 0) {
		fprintf(g->out, "%s=(%d)", key, id);
		if ((size_t)id > g->named[kind]) {
			g->named[kind] = (size_t)id;
			fprintf(g->out, " %s", clean);
		}
		fputc('\n', g->out);
	}
	free(clean);
	return id < 0 ? id : 0;
}

static int put_function(struct grind *g, uint32_t index, const char *const keys[3])
{
	const struct grind_function *function = &g->function[index];
	const struct place *place = &g->frames->places.place[function->place];
	char *name = NULL;
	int error = put_name(g, keys[0], GRIND_OBJECT, place->object);

	if (!error)
		error = put_name(g, keys[1], GRIND_FILE, function->file);
	if (!error && function->level > 1 &&
		asprintf(&name, "%s'%" PRIu32, place->function, function->level) < 0)
		return -ENOMEM;
	if (!error)
		error = put_name(g, keys[2], GRIND_FUNCTION, name ? name : place->function);
	free(name);
	return error;
}

static int put_costs(struct grind *g)
{
	static const char *const caller[] = {"ob", "fl", "fn"},
				 *const callee[] = {"cob", "cfi", "cfn"};
	uint32_t last = NO_CALLEE;
	int error = 0;

	if (g->costs)
		qsort(g->cost, g->costs, sizeof(*g->cost), compare_costs);
	for (size_t i = 0; i < g->costs && !error; i++) {
		const struct grind_cost *cost = &g->cost[i];

		if (cost->function != last) {
			fputc('\n', g->out);
			error = put_function(g, cost->function, caller);
		}
		last = cost->function;
		if (cost->callee != NO_CALLEE && !error) {
			error = put_function(g, cost->callee, callee);
			fprintf(g->out, "calls=%" PRId64 " %" PRIu32 "\n", cost->samples,
				g->function[cost->callee].line);
		}
		fprintf(g->out, "%" PRIu32 " %" PRId64 "\n", cost->line, cost->weight);
	}
	return error;
}

/* The event's name, a single word, is "ns" for time, else the value type's. */
static int put_head(struct grind *g)
{
	struct value_type type = frames_value_type(g->frames);
	bool is_ns = !strcmp(type.unit, "nanoseconds");
	char *event = text_clean(is_ns || !type.type[0] ? "ns" : type.type, true);
	char *what = text_clean(type.type, false), *unit = text_clean(type.unit, false);

	if (!event || !what || !unit) {
		free(event);
		free(what);
		free(unit);
		return -ENOMEM;
	}
	for (char *p = event; *p; p++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *p))
			*p = '_';
	}
	fprintf(g->out,
		"# callgrind format\nversion: 1\ncreator: sprofil " SPROFIL_VERSION
		"\ncmd: %s\npart: 1\n"
		"desc: Calls: counted in samples, not in calls\n"
		"positions: line\nevent: %s : %s, %s\nevents: %s\nsummary: %" PRId64 "\n\n",
		g->frames->title, event, what, unit, event, g->all);
	free(event);
	free(what);
	free(unit);
	return 0;
}

static int collect(struct grind *g)
{
	int error = 0;

	for (size_t i = 0; i < profile_samples(g->frames->profile) && !error; i++) {
		int64_t weight;

		error = frames_take(g->frames, i, &weight);
		if (error || !weight)
			continue;
		/*
		 * A sample without a stack has no function to which add_sample() adds, but belongs
		 * to the total.
		 */
		sum_add(&g->all, weight);
		error = add_sample(g, i, weight);
	}
	return error;
}

int callgrind_write(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem)
{
	struct frames frames;
	struct grind g = {.frames = &frames, .out = out};
	int error = frames_init(&frames, profile, options, ret_problem);

	if (error < 0)
		return error;
	/*
	 * The format's numbers of names begin with 1. A pool numbers its texts from 0 on, but 0 is
	 * "", which put_name() never writes.
	 */
	g.at = calloc(frames.places.n + 1, sizeof(*g.at));
	error = g.at ? 0 : -ENOMEM;
	for (size_t i = 0; i < 3 && !error; i++)
		error = pool_init(&g.name[i]);
	if (!error)
		error = collect(&g);
	if (!error)
		error = put_head(&g);
	if (!error)
		error = put_costs(&g);
	for (size_t i = 0; i < 3; i++) {
		if (g.name[i].item)
			pool_release(&g.name[i]);
	}
	table_release(&g.function_table);
	table_release(&g.cost_table);
	free(g.function);
	free(g.cost);
	free(g.path);
	free(g.at);
	frames_release(&frames);
	return error;
}
