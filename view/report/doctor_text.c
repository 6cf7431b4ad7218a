/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/report/doctor.h"
#include "view/report/report.h"
#include "view/share.h"
#include "view/wrap.h"

static void put_count(struct layout *layout, const char *title, int64_t count)
{
	if (count)
		layout_number(layout, title, 0, "%" PRId64, count);
	else
		layout_number(layout, title, 0, "-");
}

/*
 * Returns what has the lines: "own" (DWARF in the object's own file), ".gopclntab", "debug file"
 * (DWARF in another file), "none", "unread", or "-" (unknown).
 */
static const char *lines_of(const struct doctor_object *object)
{
	if (!object->lines[0])
		return "-";
	if (!strcmp(object->lines, object->path))
		return "own";
	return strchr(object->lines, '/') ? "debug file" : object->lines;
}

static void add_row(
	const struct doctor *doctor, const struct doctor_object *object, struct layout *layout)
{
	layout_row(layout, object->cause[0] ? share_of(&doctor->sums, object->weight) : 0);
	put_count(layout, "samples", object->samples);
	layout_number(layout, "", 1, "%.1f %%", share_of(&doctor->sums, object->weight) * 100);
	put_count(layout, "no name", object->unnamed);
	put_count(layout, "no line", object->unlined);
	put_count(layout, "cut stacks", object->incomplete + object->truncated);
	layout_text(layout, "symbols", LAYOUT_WHOLE, 0, 0, "%s",
		object->symbols[0] ? object->symbols : "-");
	layout_text(layout, "lines", LAYOUT_WHOLE, 0, 0, "%s", lines_of(object));
	layout_text(layout, "object", LAYOUT_PATH, 24, 0, "%s",
		object->path[0] ? object->path : "[unknown]");
}

/*
 * Prints what an object's samples lack, why, and the remedy. A remedy that is a command is left to
 * put_commands().
 */
static int put_cause(const struct doctor *doctor, const struct doctor_object *object, FILE *given)
{
	int64_t lost = object->unnamed ? object->unnamed
		: object->unlined      ? object->unlined
				       : object->incomplete + object->truncated;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, doctor->options.width, given);

	if (!out)
		return -ENOMEM;
	text_put(object->path[0] ? object->path : "[unknown]", out);
	if (lost)
		fprintf(out, ": %" PRId64 " sample%s without a %s\n    ", lost,
			lost == 1 ? "" : "s",
			object->unnamed           ? "name"
				: object->unlined ? "line"
						  : "whole stack");
	else
		fputs(": not all inlined functions\n    ", out);
	text_put(object->cause, out);
	if (object->remedy && !object->command[0]) {
		fputs("\n    ", out);
		text_put(object->remedy, out);
	}
	fputc('\n', out);
	return wrap_end(&wrap);
}

/* Do the commands differ only in the package, so that one command installs both? */
static bool is_joined(const struct doctor_object *a, const struct doctor_object *b)
{
	return a->command[0] && b->command[0] && a->name_bytes && a->name_at == b->name_at &&
		!strncmp(a->command[0], b->command[0], a->name_at) &&
		!strcmp(a->command[0] + a->name_at + a->name_bytes,
			b->command[0] + b->name_at + b->name_bytes) &&
		!a->command[1] == !b->command[1] && !strcmp(a->unfetched, b->unfetched);
}

/* Are this object's commands printed with an earlier object's? */
static bool has_joined(const struct doctor *doctor, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (doctor_shows(doctor, &doctor->object[k]) &&
			is_joined(&doctor->object[k], &doctor->object[i]))
			return true;
	return false;
}

static bool has_same_package(const struct doctor_object *a, const struct doctor_object *b)
{
	return a->name_bytes == b->name_bytes &&
		!strncmp(a->command[0] + a->name_at, b->command[0] + b->name_at, a->name_bytes);
}

/*
 * Prints the names of the packages for the object at @first and for all objects whose commands are
 * joined with its command. Each name is printed once.
 */
static void put_packages(const struct doctor *doctor, size_t first, FILE *out)
{
	const struct doctor_object *objects = doctor->object;

	for (size_t i = first; i < doctor->n; i++) {
		bool seen = !doctor_shows(doctor, &objects[i]) ||
			(i > first && !is_joined(&objects[first], &objects[i]));

		for (size_t k = first; k < i && !seen; k++)
			seen = doctor_shows(doctor, &objects[k]) &&
				is_joined(&objects[first], &objects[k]) &&
				has_same_package(&objects[k], &objects[i]);
		if (!seen)
			fprintf(out, "%s%.*s", i > first ? " " : "", (int)objects[i].name_bytes,
				objects[i].command[0] + objects[i].name_at);
	}
}

/*
 * Prints the commands of the object at @first. The first command has the packages of all joined
 * objects. Each command is a line that is not wrapped, so that it can be copied. 0 or -ENOMEM.
 */
static int put_commands(const struct doctor *doctor, size_t first, FILE *given)
{
	const struct doctor_object *object = &doctor->object[first];
	const char *command = object->command[0];
	struct wrap wrap;
	FILE *out;

	if (command) {
		fprintf(given, "    > %.*s", (int)object->name_at, command);
		if (object->name_bytes)
			put_packages(doctor, first, given);
		text_put(command + object->name_at + object->name_bytes, given);
		fputc('\n', given);
	}
	if (command && object->command[1]) {
		fputs("    or\n    > ", given);
		text_put(object->command[1], given);
		fputc('\n', given);
	}
	if (!command || !(object->behind[0] || object->unfetched[0]))
		return 0;
	out = wrap_begin(&wrap, doctor->options.width, given);
	if (!out)
		return -ENOMEM;
	fprintf(out, "    %s%s", object->behind,
		object->behind[0] && object->unfetched[0] ? "; " : "");
	text_put(object->unfetched, out);
	fputc('\n', out);
	return wrap_end(&wrap);
}

/* Prints how many stacks are cut in an object that also lacks something else, and the remedy. */
static int put_cut(const struct doctor *doctor, const struct doctor_object *object, FILE *given)
{
	int64_t cut = object->incomplete + object->truncated;
	struct wrap wrap;
	FILE *out = object->cut_cause[0] ? wrap_begin(&wrap, doctor->options.width, given) : NULL;

	if (!out)
		return object->cut_cause[0] ? -ENOMEM : 0;
	fputc('\n', out);
	text_put(object->path[0] ? object->path : "[unknown]", out);
	fprintf(out, ": %" PRId64 " sample%s without a whole stack\n    %s\n    %s%s\n", cut,
		cut == 1 ? "" : "s", object->cut_cause, object->cut_remedy_is_command ? "> " : "",
		object->cut_remedy);
	return wrap_end(&wrap);
}

/*
 * Prints what is missing in the object at @first and in all objects joined with it (is_joined()).
 * Then prints the commands, once for all of them, and the cut stacks of each object. 0 or -ENOMEM.
 */
static int put_joined(const struct doctor *doctor, size_t first, FILE *out)
{
	const struct doctor_object *objects = doctor->object;
	int r = 0;

	for (size_t i = first; i < doctor->n && r == 0; i++)
		if (i == first ||
			(doctor_shows(doctor, &objects[i]) &&
				is_joined(&objects[first], &objects[i])))
			r = put_cause(doctor, &objects[i], out);
	if (r == 0)
		r = put_commands(doctor, first, out);
	for (size_t i = first; i < doctor->n && r == 0; i++)
		if (i == first ||
			(doctor_shows(doctor, &objects[i]) &&
				is_joined(&objects[first], &objects[i])))
			r = put_cut(doctor, &objects[i], out);
	return r;
}

static int put_causes(const struct doctor *doctor, FILE *out)
{
	bool any = false;
	int r = 0;

	for (size_t i = 0; i < doctor->n && r == 0; i++) {
		const struct doctor_object *object = &doctor->object[i];

		if (!object->cause[0] || !doctor_shows(doctor, object) || has_joined(doctor, i))
			continue;
		fputs(any ? "\n" : "\nWhat is missing, and what mends it:\n\n", out);
		any = true;
		r = put_joined(doctor, i, out);
	}
	if (!any)
		fputs("\nNothing is missing that could be mended.\n", out);
	return r;
}

static int put_run(const struct doctor *doctor, FILE *given)
{
	uint64_t lost = 0, truncated = 0;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, doctor->options.width, given);

	if (!out)
		return -ENOMEM;
	(void)profile_audit(doctor->profile, "lost_samples", &lost);
	(void)profile_audit(doctor->profile, "truncated_stacks", &truncated);
	for (size_t i = 0; i < doctor->n; i++) {
		if (doctor->object[i].says_truncated)
			truncated = 0;
	}
	if (lost)
		fprintf(out,
			"\n%" PRIu64 " %s lost: the analysis could not keep up\n"
			"    a lower rate (sprofrun -F 100) helps, or a CPU that is free\n",
			lost, lost == 1 ? "sample was" : "samples were");
	if (truncated)
		fprintf(out,
			"\n%" PRIu64 " %s cut: deeper than what is copied of a stack\n"
			"    > sprofrun --max-stack 64M\n",
			truncated, truncated == 1 ? "stack was" : "stacks were");
	return wrap_end(&wrap);
}

int doctor_text(const struct doctor *doctor, FILE *out)
{
	struct layout layout;
	size_t shown = 0;
	int r;

	layout_init(&layout, doctor->options.ascii, doctor->options.color);
	for (size_t i = 0; i < doctor->n; i++) {
		if (!doctor_shows(doctor, &doctor->object[i]) ||
			(doctor->options.limit && shown >= doctor->options.limit))
			continue;
		add_row(doctor, &doctor->object[i], &layout);
		shown++;
	}
	r = header_print(doctor->profile, &doctor->options, &doctor->sums, out);
	if (r == 0 && shown) {
		fputc('\n', out);
		r = layout_print(&layout, doctor->options.width, out);
	}
	layout_release(&layout);
	if (r < 0)
		return r;
	r = put_causes(doctor, out);
	if (r == 0)
		r = put_run(doctor, out);
	fputc('\n', out);
	if (r < 0)
		return r;
	return report_audit(doctor->profile, REPORT_AUDIT_OF_DOCTOR, doctor->options.ascii,
		doctor->options.width, out);
}
