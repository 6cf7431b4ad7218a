/* SPDX-License-Identifier: MIT */
/* Locations of frames of generated code: methods and lines, or the name of a stub. */
#include <errno.h>

#include "analyst/base/locations.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "analyst/hotspot/hotspot_scopes.h"
#include "profile/profile.h"

/* Most scopes (methods inlined into each other) that are read for a pc. */
enum { SCOPES_MOST = 64 };

/*
 * hotspot_place.key is an address (of an interpreted method: the index of its function) times
 * KEY_KINDS, plus one of these kinds. KEY_EXACT: the address of an executing instruction.
 * KEY_COMPILED: a return address. The two kinds differ as other methods may be inlined at the same
 * pc.
 */
enum { KEY_EXACT = 0, KEY_COMPILED = 1, KEY_STUB = 2, KEY_INTERPRETED = 3, KEY_KINDS = 4 };

static int name_as(struct hotspot_step *step, uint64_t key, const char *name)
{
	struct hotspot *hotspot = step->hotspot;
	int location = hotspot_location(hotspot, key, 0, NULL, 0);

	if (location == -ENOENT) {
		int function = profile_add_function(hotspot->list->profile,
			&(struct function){.name = name, .symbol = name, .file = ""});

		if (function < 0)
			return function;
		location = hotspot_location(hotspot, key, 0,
			&(struct location_line){.function = (uint32_t)function}, 1);
	}
	if (location < 0)
		return location;
	step->caller.tag = (uint32_t)location + 1;
	return 1;
}

int hotspot_name_stub(struct hotspot_step *step)
{
	return name_as(step, step->blob->start * KEY_KINDS + KEY_STUB, step->blob->name);
}

int hotspot_name_gap(struct hotspot_step *step)
{
	step->caller.gap = true;
	return name_as(step, KEY_STUB, "[frames in the heap]");
}

/* The line of the bytecode at @bci, or of the first one if @bci is below 0. */
static struct location_line line_of(
	const struct hotspot_step *step, const struct hotspot_method *method, int32_t bci)
{
	uint32_t version = step->hotspot->tables.layout.version;

	return (struct location_line){.function = method->function,
		.line = method->lines ? hotspot_line(method->lines, method->lines_bytes,
						bci < 0 ? 0 : bci, version)
				      : 0};
}

/*
 * Sets @line to the lines of @scope and of its callers, innermost first. Returns how many; -EAGAIN;
 * -ENOMEM. A method that was read before the blob is read again: at that time its address may have
 * had another method. While the blob exists, its methods stay loaded.
 */
static int find_lines(
	struct hotspot_step *step, uint32_t scope, struct location_line line[SCOPES_MOST])
{
	const struct hotspot_blob *blob = step->blob;
	const uint32_t version = step->hotspot->tables.layout.version;
	struct hotspot_method *method;
	int n = 0, worst = 1;

	while (scope && n < SCOPES_MOST) {
		struct hotspot_scope s;
		uint64_t address;
		int r;

		if (!hotspot_scope_read(blob->debug + blob->scopes.at, blob->scopes.bytes, scope,
			    version, &s) ||
			!s.method || 8 * (uint64_t)s.method > blob->methods.bytes)
			break;
		address = load_u64(blob->debug + blob->methods.at + 8 * (s.method - 1));
		r = hotspot_method_find(step->hotspot, address, blob->learned_ns, &method);
		if (r == 0)
			break;
		worst = r < worst ? r : worst;
		if (r > 0)
			line[n] = line_of(step, method, s.bci);
		n++;
		/* Callers have lower offsets, except in damaged data. */
		if (s.sender >= scope)
			break;
		scope = s.sender;
	}
	return worst < 0 ? worst : n;
}

/* For a deoptimized frame, @pc is the original one. */
int hotspot_name_compiled(struct hotspot_step *step, uint64_t pc)
{
	struct hotspot *hotspot = step->hotspot;
	const struct hotspot_blob *blob = step->blob;
	const uint64_t key = pc * KEY_KINDS + (step->frame->exact ? KEY_EXACT : KEY_COMPILED);
	int location = hotspot_location(hotspot, key, blob->id, NULL, 0), n = 0;
	struct location_line line[SCOPES_MOST];
	struct hotspot_method *method;
	struct hotspot_pc at;

	if (location == -ENOENT) {
		if (hotspot_pc_find(blob->debug + blob->pcs.at, blob->pcs.bytes,
			    (int64_t)(pc - blob->code), &at) &&
			!(step->frame->exact && at.first))
			n = find_lines(step, at.scope, line);
		if (n < 0)
			return n;
		if (!n) {
			n = hotspot_method_find(hotspot, blob->method, blob->learned_ns, &method);
			if (n <= 0)
				return n < 0 ? n : hotspot_name_stub(step);
			line[0] = line_of(step, method, 0);
			line[0].line = 0;
		}
		location = hotspot_location(hotspot, key, blob->id, line, (size_t)n);
	}
	if (location < 0)
		return location;
	step->caller.tag = (uint32_t)location + 1;
	return 1;
}

int hotspot_name_interpreted(struct hotspot_step *step, uint64_t address, uint64_t bytecode)
{
	struct hotspot *hotspot = step->hotspot;
	struct location_line line;
	struct hotspot_method *method;
	uint64_t first;
	int location, r = hotspot_method_find_now(hotspot, address, &method);

	if (r <= 0)
		return r;
	first = method->const_method + hotspot->tables.layout.const_bytes;
	/* A native method has no bytecode, and gets no line. */
	line = line_of(step, method,
		bytecode >= first && bytecode - first < method->code_bytes
			? (int32_t)(bytecode - first)
			: 0);
	if (!(bytecode >= first && bytecode - first < method->code_bytes))
		line.line = 0;
	location = hotspot_location(
		hotspot, line.function * UINT64_C(4) + KEY_INTERPRETED, line.line, &line, 1);
	if (location < 0)
		return location;
	step->caller.tag = (uint32_t)location + 1;
	return 1;
}
