/* SPDX-License-Identifier: MIT */
/*
 * A profile as a pprof file: gzip of the protocol buffer perftools.profiles.Profile
 * (github.com/google/pprof, proto/profile.proto). It is the native format; everything in the
 * model is preserved:
 *
 *   value types     sample_type, and period_type cpu/nanoseconds with period
 *   task            labels "pid", "tid" (numbers), "process", "thread" (strings)
 *   labels          labels of the sample, behind those of the task
 *   time line       pprof_timeline.h
 *   function        name, system_name (as linked), filename, start_line
 *   audit, notes    field 1001, which others skip, strings as in comment: "sprofil: key value",
 *                   "sprofil note: text"
 *   thread's time   field 1002, which others skip: the strings of a task's labels, and cpu_ns
 *   command         comment: "sprofil command: command line"
 *
 * Other programs print all comments above everything else. Therefore there are at most five, among
 * them "sprofil audit: ", a line for people, and the first notes.
 *
 * Files of other programs are read too; data that they lack are empty or 0. Values are found by
 * their type and unit, in any order: samples/count, cpu in any unit of time; without a cpu column
 * CPU time is derived from the samples if the period is one of cpu; other types are kept as further
 * values. Labels that name a process or thread become the task, all others are kept with the
 * samples (labels.h). Comments become notes, and are written unchanged. A period of something else
 * than CPU time, drop_frames, keep_frames and doc_url are written unchanged, too (foreign.h).
 */
#ifndef PROFILE_PPROF_H
#define PROFILE_PPROF_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/* Serializes into a new buffer that the caller frees. -ENOMEM. */
int pprof_write(const struct profile *profile, uint8_t **ret_data, size_t *ret_bytes);

/*
 * Estimates how many bytes pprof_write() would write once the locations have names. Real files were
 * between 21 % smaller and 33 % larger than the estimate.
 */
uint64_t pprof_estimate(const struct profile *profile);

/*
 * Reads a compressed or uncompressed profile; the caller frees *@ret_profile. -EBADMSG: not a pprof
 * file, truncated or inconsistent; *@ret_problem (if not NULL) is set to a constant sentence that
 * says what is wrong. -EFBIG: it would decompress to more than 4 GiB, or to 256 times its size and
 * more than 256 MiB. Memory is bounded by a small multiple of the uncompressed file. On success
 * *@ret_problem is NULL, or a sentence if other data follow the profile.
 */
int pprof_read(
	const uint8_t *data, size_t bytes, struct profile **ret_profile, const char **ret_problem);

#endif
