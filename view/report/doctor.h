/* SPDX-License-Identifier: MIT */
/*
 * The report `doctor`: for each object the source of its names, the samples that lack something,
 * and the command that helps.
 *
 * A sample counts for the object of its leaf; the leaf may lack a function's name or a source line.
 * Stubs, made by the linker ("dup@plt") or by HotSpot ("Interpreter"), have no lines, so a stub
 * without a line lacks nothing.
 * A stack that lacks outer frames counts for the object in which it ends.
 */
#ifndef VIEW_REPORT_DOCTOR_H
#define VIEW_REPORT_DOCTOR_H

#include "view/code.h"
#include "view/rows.h"
#include "view/share.h"

struct doctor_object {
	const char *path, *build_id;
	uint32_t mapping;         /* one of the object's mappings */
	uint32_t task;            /* task of the last sample here; it may tell the runtime */
	size_t lined;             /* number of locations with a line in the profile */
	int64_t samples, weight;  /* samples whose leaf is in the object, and their weight */
	int64_t unnamed, unlined; /* samples without a function's name; without a line */
	int64_t stubs;            /* samples in stubs */
	/*
	 * Stacks that end here too early. @incomplete: no caller was found. @truncated: not all of
	 * the stack was copied.
	 */
	int64_t incomplete, truncated;
	const char *symbols, *lines; /* as in struct code_object; "": unknown */
	const char *cause;           /* a sentence: what is missing and why; "": nothing */
	const char *unfetched; /* why a server gave no debug file; "": it did, or was not asked */
	char *remedy;          /* a sentence: the remedy of the cause; NULL: none */
	char *command[2];      /* either command alone is the remedy; NULL: none */
	/* Where command[0] has the package's name; 0 bytes: it has none. */
	size_t name_at, name_bytes;
	const char *behind; /* what to do after a command; "": nothing */
	/*
	 * Why stacks end here too early, and the remedy, if something else is missing, too (then
	 * @cause is about that); "": stacks are whole, or @cause is about them.
	 */
	const char *cut_cause, *cut_remedy;
	bool cut_remedy_is_command;
	bool says_truncated;     /* @cause or @cut_cause is that stacks are truncated */
	struct code_object code; /* the symbolizer's answer about @mapping */
};

struct doctor {
	const struct profile *profile;
	struct report_options options;
	struct doctor_object *object; /* greatest weight first */
	size_t n, room;
	uint32_t *of; /* by mapping: index + 1 of the object, until objects are sorted */
	struct rows sums;
	struct code_addresses addresses;
};

/*
 * Returns 0; -ENOMEM; -EINVAL: a pattern of the options is no regular expression, or the profile
 * lacks the value type. With -EINVAL, *@ret_problem is a sentence, which the caller frees.
 */
int doctor_init(struct doctor *doctor, const struct profile *profile,
	const struct report_options *options, char **ret_problem);
void doctor_release(struct doctor *doctor);

static inline bool doctor_is_file(const struct doctor_object *object)
{
	return object->path[0] == '/';
}

/* An object is shown if it has options->min_percent of all samples, or cut stacks. */
static inline bool doctor_shows(const struct doctor *doctor, const struct doctor_object *object)
{
	return share_of(&doctor->sums, object->weight) * 100 >= doctor->options.min_percent ||
		object->incomplete + object->truncated;
}

/* Sets the object's cause and remedy. 0 or -ENOMEM. */
int doctor_find_remedy(struct doctor *doctor, struct doctor_object *object);

/* 0 or -ENOMEM. */
int doctor_text(const struct doctor *doctor, FILE *out);

#endif
