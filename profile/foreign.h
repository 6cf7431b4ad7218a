/* SPDX-License-Identifier: MIT */
/*
 * Fields of pprof files of other programs that describe the whole profile, and have no meaning for
 * sprofil: a period that is not CPU time (a heap profile of Go: "space", "bytes", 524288),
 * expressions for frames that pprof hides, the URL of a page. sprofil writes these fields
 * unchanged.
 */
#ifndef PROFILE_FOREIGN_H
#define PROFILE_FOREIGN_H

#include <stdint.h>

struct profile;

/* A field that the file lacks is "" or 0. */
struct foreign {
	const char *period_type, *period_unit;
	int64_t period;
	const char *drop_frames, *keep_frames;
	const char *doc_url;
};

/* Copies the strings. 0, or -ENOMEM: some fields may have been set. */
int foreign_set(struct profile *profile, const struct foreign *foreign);
/* The profile owns the strings. */
struct foreign foreign_get(const struct profile *profile);

/*
 * For profile_merge(), before samples are merged. Empties each field of @into that has another
 * value in @from, and adds a note about it to @into. Ignores the fields of a profile without
 * samples. 0 or -ENOMEM.
 */
int foreign_merge(struct profile *into, const struct profile *from);

#endif
