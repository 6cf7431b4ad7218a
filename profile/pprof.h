/* SPDX-License-Identifier: MIT */
/*
 * A profile as a pprof file: gzip of the protocol buffer perftools.profiles.Profile
 * (github.com/google/pprof, proto/profile.proto). It is the native format; everything that the
 * model holds comes back from it:
 *
 *   value types     sample_type, and period_type cpu/nanoseconds with period
 *   task            labels "pid", "tid" (numbers), "process", "thread" (strings)
 *   function        name, system_name (as linked), filename, start_line
 *   audit, notes    comment: "sprofil: key value" and "sprofil note: text"
 *
 * Files of other programs are read too: whatever they lack is empty or 0.
 */
#ifndef PROFILE_PPROF_H
#define PROFILE_PPROF_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/*
 * Serialises into a fresh buffer that the caller frees. -ENOMEM.
 */
int pprof_write(const struct profile *profile, uint8_t **ret_data, size_t *ret_bytes);

/*
 * Reads gzipped or plain. -EBADMSG: not a pprof file, truncated or contradictory; @ret_problem (if
 * not NULL) then points to a constant sentence that says what is wrong. Bounded: -EFBIG when it would unpack to more than 4 GiB.
 */
int pprof_read(const uint8_t *data, size_t bytes, struct profile **ret_profile,
	const char **ret_problem);

#endif
