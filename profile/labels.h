/* SPDX-License-Identifier: MIT */
/*
 * Labels of samples that the model gives no meaning of its own: those of other programs' files
 * (a request's id, bytes of an allocation), and of ours "rank" and "host". Samples of one stack
 * with other labels stay apart; reports add them up.
 */
#ifndef PROFILE_LABELS_H
#define PROFILE_LABELS_H

#include <stddef.h>
#include <stdint.h>

struct profile;

#define LABEL_RANK "rank"
#define LABEL_HOST "host"

struct label {
	const char *key;
	const char *text; /* NULL: it is a number */
	int64_t number;
	const char *unit; /* of the number; "" none */
};

/* The number of the set, which is found again; 0 without labels. -ENOMEM. */
int labels_add(struct profile *profile, const struct label *label, size_t n);
/* The labels of a set, as many as there are; strings belong to the profile. */
size_t labels_count(const struct profile *profile, uint32_t set);
struct label labels_at(const struct profile *profile, uint32_t set, size_t index);

/* The set of @into that is @set of @from. */
int labels_copy(struct profile *into, const struct profile *from, uint32_t set);

/* All samples that have none get those of @set. -ENOMEM. */
int labels_give_all(struct profile *profile, uint32_t set);

#endif
