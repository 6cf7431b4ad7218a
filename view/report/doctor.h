/* SPDX-License-Identifier: MIT */
/*
 * The report `doctor`: for each object the source of its names, the samples that lack something,
 * and the command that helps.
 *
 * A sample counts for its leaf, which has a function's name and a source line or not. The linker
 * makes PLT stubs ("dup@plt") without lines: there, none is missing. A stack that does not reach
 * its beginning counts for the object in which it ends.
 */
#ifndef VIEW_REPORT_DOCTOR_H
#define VIEW_REPORT_DOCTOR_H

#include "view/code.h"
#include "view/rows.h"

struct doctor_object {
	const char *path, *build_id;
	uint32_t mapping;         /* one of its mappings */
	uint32_t task;            /* task of its last sample */
	size_t lined;             /* number of its locations with a line in the profile */
	int64_t samples, weight;  /* of samples whose leaf is in it: number, and weight */
	int64_t unnamed, unlined; /* samples without a function's name, without a source line */
	int64_t stubs;            /* samples in PLT stubs */
	int64_t incomplete, truncated; /* stacks that end here too early */
	const char *symbols, *lines;   /* as in struct code_object; "" unknown */
	const char *cause;             /* a sentence, "" nothing is missing */
	const char *unfetched; /* why a server gave no debug file; "": it did, or was not asked */
	char *remedy;          /* the remedy, a sentence; NULL none */
	char *command[2];      /* commands of the remedy that can be run as they are, or NULL */
	size_t name_at,
		name_bytes; /* where the package's name is in command[0]; 0 bytes: nowhere */
	const char *behind; /* what to do after one of the commands, "" nothing */
	/* besides that cause: why stacks end here too early, and the remedy; "" nothing */
	const char *cut_cause, *cut_remedy;
	bool cut_remedy_is_command; /* the remedy can be run as it is */
	struct code_object code;
	uint64_t *address;
};

struct doctor {
	const struct profile *profile;
	struct report_options options;
	struct doctor_object *object; /* most samples first */
	size_t n, room;
	uint32_t *of; /* by mapping: index + 1 of the object, during collection */
	struct rows sums;
};

/* Examines the objects. Results and @ret_problem as those of report->print. */
int doctor_init(struct doctor *doctor, const struct profile *profile,
	const struct report_options *options, char **ret_problem);
void doctor_release(struct doctor *doctor);

/* Is the object a file? */
static inline bool doctor_is_file(const struct doctor_object *object)
{
	return object->path[0] == '/';
}

/* Finds the remedy (doctor_remedy.c). -ENOMEM. */
int doctor_find_remedy(struct doctor *doctor, struct doctor_object *object);

/* The print() of the report (report.h). */
int doctor_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

/* Prints the text form (doctor_text.c). */
int doctor_text(const struct doctor *doctor, FILE *out);

#endif
