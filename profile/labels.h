/* SPDX-License-Identifier: MIT */
/*
 * Labels of samples other than those of the task (process and thread): labels in other programs'
 * files (the id of a request, the bytes of an allocation), and "rank" and "host", which sprofil
 * sets. Samples of one stack with different labels are kept apart; reports add them up.
 */
#ifndef PROFILE_LABELS_H
#define PROFILE_LABELS_H

#include <stddef.h>
#include <stdint.h>

struct profile;

#define LABEL_RANK "rank"
#define LABEL_HOST "host"
/* A process of a rank is named "solver rank 3": its name, this mark, and the number of the rank. */
#define LABEL_RANK_MARK " rank "

struct label {
	const char *key;
	const char *text; /* NULL: the label is a number */
	int64_t number;
	const char *unit; /* unit of the number; "": none */
};

/* Finds or adds the set of these labels. Returns its index, 0 if @n is 0; -ENOMEM. */
int labels_add(struct profile *profile, const struct label *label, size_t n);
/* The number of labels in a set, and the one at @index. The profile owns the strings. */
size_t labels_count(const struct profile *profile, uint32_t set);
struct label labels_at(const struct profile *profile, uint32_t set, size_t index);

/*
 * Returns the length of the process name @process in bytes, without the rank's mark and number at
 * its end: 6 for "solver rank 3". Only the rank in the labels @set is such a mark.
 */
size_t labels_unmarked(const struct profile *profile, uint32_t set, const char *process);

/* Finds or adds @set of @from in @into. Returns its index there; -ENOMEM. */
int labels_copy(struct profile *into, const struct profile *from, uint32_t set);

/* Gives @set to all samples without labels. 0 or -ENOMEM. */
int labels_give_all(struct profile *profile, uint32_t set);

#endif
