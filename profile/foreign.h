/* SPDX-License-Identifier: MIT */
/*
 * Fields of other programs' files that concern the whole profile and have no meaning in the model:
 * a period that is not one of CPU time (a heap profile of Go: "space", "bytes", 524288),
 * expressions for frames that pprof hides, the URL of a page. They are written unchanged.
 */
#ifndef PROFILE_FOREIGN_H
#define PROFILE_FOREIGN_H

#include <stdint.h>

struct profile;

/* The fields; "" and 0 stand for a field that the file lacks. */
struct foreign {
	const char *period_type, *period_unit;
	int64_t period;
	const char *drop_frames, *keep_frames;
	const char *doc_url;
};

/* Sets the fields of a profile; copies the strings. -ENOMEM: some fields may have been set. */
int foreign_set(struct profile *profile, const struct foreign *foreign);
/* Returns the fields of a profile, which still owns the strings. */
struct foreign foreign_get(const struct profile *profile);

/*
 * Merges the fields of struct foreign for profile_merge(), before the samples are merged. Removes
 * from @into the fields that differ in @from, and says so in a note. Fields of a profile without
 * samples are ignored. 0 or -ENOMEM.
 */
int foreign_merge(struct profile *into, const struct profile *from);

#endif
