/* SPDX-License-Identifier: MIT */
/*
 * A profile as a pprof file: gzip of the protocol buffer perftools.profiles.Profile
 * (github.com/google/pprof, proto/profile.proto). The file preserves everything in the model:
 *
 *   value types     sample_type, and period_type cpu/nanoseconds with period
 *   task            labels "pid", "tid" (numbers), "process", "thread" (strings)
 *   labels          labels of the sample, behind those of the task
 *   time line       pprof_timeline.h
 *   function        name, system_name (as linked), filename, start_line
 *   audit, notes    field 1001, which other programs skip. Like field comment, it has strings:
 *                   "sprofil: key value", "sprofil note: text"
 *   thread's time   field 1002, which other programs skip: the strings of a task's labels, cpu_ns
 *   command         comment: "sprofil command: command line"
 *
 * Other programs print all comments at the top. So there are at most five: the command, "sprofil
 * audit: ", a line for people, and the first notes.
 *
 * Files of other programs are read too; data that they lack are empty or 0. Values are found by
 * type and unit, in any order: samples/count, and cpu in any unit of time. Other types are kept as
 * further values. Without a cpu column CPU time is derived from the samples, if the period is CPU
 * time. Labels that name a process or thread become the task; all others stay with the samples
 * (labels.h). Comments become notes, and are written unchanged, as are the fields of foreign.h.
 */
#ifndef PROFILE_PPROF_H
#define PROFILE_PPROF_H

#include <stddef.h>
#include <stdint.h>

struct profile;

/* Writes to a new buffer that the caller frees. 0 or -ENOMEM. */
int pprof_write(const struct profile *profile, uint8_t **ret_data, size_t *ret_bytes);

/*
 * Estimates the bytes of the file once locations have names. Measured files had 21 % less to 33 %
 * more than the estimate.
 */
uint64_t pprof_estimate(const struct profile *profile);

/*
 * Reads a compressed or uncompressed profile; the caller frees *@ret_profile. 0; -EBADMSG: not a
 * pprof file, truncated or inconsistent; -EFBIG as for gzip_unpack(); -ENOMEM. *@ret_problem: a
 * constant sentence about what is wrong, or NULL. After success it is either NULL or says that
 * other data follow the profile. @ret_problem may be NULL. Memory is bounded by a small multiple of
 * the uncompressed file.
 */
int pprof_read(
	const uint8_t *data, size_t bytes, struct profile **ret_profile, const char **ret_problem);

#endif
