/* SPDX-License-Identifier: MIT */
/*
 * The report `doctor`: for each object where its names come from, which samples lack what, and the
 * command that mends it.
 *
 * A sample is its leaf's: it has a function's name, a source line, or not. A stack that does not
 * reach its beginning counts for the object in which it ends.
 */
#ifndef VIEW_DOCTOR_H
#define VIEW_DOCTOR_H

#include "view/code.h"
#include "view/rows.h"

struct doctor_object {
	const char *path, *build_id;
	uint32_t mapping;         /* one of them */
	int64_t samples, weight;  /* of leaves, and what they weigh */
	int64_t unnamed, unlined; /* samples without a function's name, without a source line */
	int64_t incomplete, truncated; /* stacks that end here before their beginning */
	const char *symbols, *lines;   /* as struct code_object tells them; "" not known */
	const char *cause;             /* a sentence, "" nothing is missing */
	const char *unfetched; /* why a server gave no debug file; "" it did, or was not asked */
	char *mend;            /* what to do; NULL nothing */
	struct code_object code;
	uint64_t *address;
};

struct doctor {
	const struct profile *profile;
	struct report_options options;
	struct doctor_object *object; /* those with most samples first */
	size_t n, room;
	uint32_t *of; /* by mapping: the object's index + 1 while they are collected */
	struct rows sums;
};

/* Results and @ret_problem: as report->print. */
int doctor_init(struct doctor *doctor, const struct profile *profile,
	const struct report_options *options, char **ret_problem);
void doctor_release(struct doctor *doctor);

/* Is there a file behind it? */
bool doctor_is_file(const struct doctor_object *object);

/* What would mend it (doctor_mend.c). -ENOMEM. */
int doctor_mend(struct doctor *doctor, struct doctor_object *object);

/* As report->print. */
int doctor_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

/* For people (doctor_text.c). */
int doctor_text(const struct doctor *doctor, FILE *out);

#endif
