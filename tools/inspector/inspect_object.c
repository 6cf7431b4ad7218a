/* SPDX-License-Identifier: MIT */
#include "tools/inspector/inspect_object.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "opener/opener.h"
#include "symbolizer/symbolizer.h"
#include "tools/inspector/inspect_put.h"
#include "tools/inspector/instructions.h"

enum { AROUND_BYTES = 128, ADDRESS_BYTES = 9 };

struct inspected {
	struct symbolizer *symbolizer;
	const struct inspection_object *object;
	struct inspection_address *address;
	/* each address's location; no module: the address is not in the mapping */
	struct code_location *location;
	struct frame_chain *chain;
	size_t n;
	bool found;
	char *doubt; /* why the file may not be the profiled one; NULL: no doubt */
	FILE *out;
};

static int read_addresses(struct inspected *in, struct reader *asked)
{
	in->n = in->object->addresses;
	if (in->n > (size_t)(asked->end - asked->p) / ADDRESS_BYTES)
		return -EPROTO;
	in->address = calloc(in->n + 1, sizeof(*in->address));
	in->location = calloc(in->n + 1, sizeof(*in->location));
	in->chain = calloc(in->n + 1, sizeof(*in->chain));
	if (!in->address || !in->location || !in->chain)
		return -ENOMEM;
	for (size_t i = 0; i < in->n; i++)
		inspection_get(asked, INSPECTION_ADDRESS, &in->address[i]);
	return 0;
}

/*
 * Maps the object in @space at the addresses of the profile, extended to whole pages. The mapping
 * has the device and the inode that the file has now.
 */
static int map_object(
	struct space *space, const struct inspection_object *object, const struct opened *now)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), within = object->start & (page - 1);
	uint64_t offset = object->offset;
	char *text = NULL;
	size_t bytes;
	FILE *line = open_memstream(&text, &bytes);
	int r;

	if (!line)
		return -ENOMEM;
	if ((offset & (page - 1)) == within)
		offset -= within;
	else
		within = 0;
	(void)fprintf(line, "%" PRIx64 "-%" PRIx64 " r-xp %" PRIx64 " %x:%x %" PRIu64 " ",
		object->start - within, object->limit, offset, major(now->device),
		minor(now->device), now->inode);
	/* Newlines are escaped as in /proc/PID/maps. */
	for (const char *p = object->path; *p; p++) {
		if (*p == '\n')
			(void)fputs("\\012", line);
		else
			(void)fputc(*p, line);
	}
	(void)fputc('\n', line);
	r = fclose(line) == 0 ? space_set_maps(space, text, bytes) : -ENOMEM;
	free(text);
	return r;
}

/* Sets @found if the location's file has the build-id of the profiled one, else @doubt. */
static int compare_build(struct inspected *in, const struct code_location *location)
{
	const char *wanted = in->object->build_id;
	struct module_info info;

	module_describe(location->module, location->svma, &info);
	if (wanted[0] && strcmp(wanted, info.build_id) != 0 && !info.problem[0]) {
		if (asprintf(&in->doubt,
			    "the file has another build-id than the one that was profiled (%s, not "
			    "%s): bring that file back, or take a new profile",
			    info.build_id[0] ? info.build_id : "none", wanted) < 0) {
			in->doubt = NULL;
			return -ENOMEM;
		}
		return 0;
	}
	in->found = !info.problem[0];
	return 0;
}

/*
 * Finds the addresses' locations. Finds no location if the file's build-id differs from that of the
 * profiled file.
 */
static int find_places(struct inspected *in, struct space *space)
{
	struct code_location location;
	bool known = false;
	int r;

	for (size_t i = 0; i < in->n; i++) {
		if (!space_find(space, in->address[i].address, &location))
			continue;
		r = known ? 0 : compare_build(in, &location);
		if (r < 0)
			return r;
		known = true;
		if (in->found)
			in->location[i] = location;
	}
	return 0;
}

static int resolve(struct inspected *in)
{
	size_t n = 0;

	/* Leaves out addresses outside the mapping: the file has no names for them. */
	for (size_t i = 0; i < in->n; i++) {
		if (!in->location[i].module)
			continue;
		in->location[n] = in->location[i];
		in->address[n++] = in->address[i];
	}
	in->n = n;
	return symbolizer_resolve(in->symbolizer, in->location, n, in->chain);
}

static int put_state(struct inspected *in, const char *why)
{
	struct inspection_state state = {
		.found = in->found, .symbols = "", .lines = "", .problem = why, .language = ""};
	struct module_info info;

	if (in->n) {
		module_describe(in->location[0].module, in->location[0].svma, &info);
		state.symbols = info.symbols;
		state.lines = info.lines;
		state.language = info.language;
		if (!why[0])
			state.problem = info.problem;
	}
	for (size_t i = 0; i < in->n; i++) {
		const struct frame_chain *chain = &in->chain[i];

		state.named += chain->n && !chain->frame[chain->n - 1].unnamed;
		state.lined += chain->n && chain->frame[0].line;
	}
	return inspect_put(in->out, INSPECTION_STATE, &state);
}

/*
 * A walk through a function's instructions. @bias: what is added to an address in the file to get
 * the address in the profile.
 */
struct walk {
	struct inspected *in;
	struct module *module;
	uint64_t bias;
};

static int put_instruction(void *context, uint64_t svma, const char *text)
{
	const struct walk *walk = context;
	struct frame_chain chain = {0};
	int r = symbolizer_resolve(
		walk->in->symbolizer, &(struct code_location){walk->module, svma}, 1, &chain);

	if (r < 0)
		return r;
	if (chain.n > INSPECTION_FRAMES_MOST)
		chain.n = INSPECTION_FRAMES_MOST;
	r = inspect_put(walk->in->out, INSPECTION_INSTRUCTION,
		&(struct inspection_instruction){svma + walk->bias, text, (uint8_t)chain.n});
	for (size_t i = 0; i < chain.n && r == 0; i++)
		r = inspect_put(walk->in->out, INSPECTION_FRAME,
			&(struct inspection_frame){
				chain.frame[i].function, chain.frame[i].file, chain.frame[i].line});
	return r;
}

static int put_problem(FILE *out, const char *problem)
{
	return inspect_put(out, INSPECTION_PROBLEM, &(struct inspection_problem){problem});
}

/*
 * Writes the function of in->address[@index], unless the address is below *@done, and sets *@done
 * to the function's end.
 */
static int put_function(struct inspected *in, size_t index, uint64_t *done)
{
	const struct code_location *location = &in->location[index];
	struct walk walk = {in, location->module, in->address[index].address - location->svma};
	char *problem = NULL;
	struct code_location from = {.module = location->module};
	uint64_t end;
	int r;

	if (!symbolizer_bounds(location, &from.svma, &end)) {
		from.svma = location->svma > AROUND_BYTES ? location->svma - AROUND_BYTES : 0;
		from.svma = from.svma < *done ? *done : from.svma;
		end = location->svma + AROUND_BYTES;
	}
	if (location->svma < *done || end <= from.svma)
		return 0;
	*done = end;
	r = instructions_walk(&from, end, in->object->path, put_instruction, &walk, &problem);
	if (r < 0 && r != -ENOMEM)
		r = put_problem(in->out, problem ? problem : "the instructions cannot be had");
	free(problem);
	return r;
}

static int put_functions(struct inspected *in)
{
	uint64_t done = 0;
	int r = 0;

	for (size_t i = 0; i < in->n && r >= 0; i++) {
		if (in->address[i].code)
			r = put_function(in, i, &done);
	}
	return r;
}

static const char *why_not(const struct inspected *in, const struct opened *now)
{
	const char *path = in->object->path;

	if (path[0] != '/')
		return path[0] == '[' ? "there is no file behind it" : "its path is not known";
	if (in->doubt)
		return in->doubt;
	return now->error ? "the file is not on this machine: look where the profile was taken"
			  : "";
}

static int look_at(struct inspected *in, struct opener *opener, struct space *space)
{
	struct opened now = {.error = -ENOENT};
	const char *why;
	int r = 0;

	if (in->object->path[0] == '/' &&
		opener_ask_path(opener, OPENING_STAT, 0, in->object->path, &now) == 0)
		r = map_object(space, in->object, &now);
	if (r >= 0 && !now.error)
		r = find_places(in, space);
	if (r >= 0)
		r = resolve(in);
	if (r < 0)
		return r;
	why = why_not(in, &now);
	r = put_state(in, why);
	if (r >= 0 && why[0])
		r = put_problem(in->out, why);
	return r < 0 ? r : put_functions(in);
}

int inspect_object(struct symbolizer *symbolizer, struct opener *opener,
	const struct inspection_object *object, struct reader *asked, FILE *out)
{
	struct inspected in = {.symbolizer = symbolizer, .object = object, .out = out};
	struct space *space = NULL;
	int r = read_addresses(&in, asked);

	if (r == 0)
		r = space_new(symbolizer, 0, &space);
	if (r == 0)
		r = look_at(&in, opener, space);
	if (r >= 0 && fputc(INSPECTION_END, out) == EOF)
		r = -EIO;
	space_free(space);
	free(in.address);
	free(in.location);
	free(in.chain);
	free(in.doubt);
	return r < 0 ? r : 0;
}
