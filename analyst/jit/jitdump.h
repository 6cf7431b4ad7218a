/* SPDX-License-Identifier: MIT */
/*
 * Names and lines of code that a process has generated, from a jitdump file: jit-PID.dump, as
 * written by node (--perf-prof), Java (the agent libperf-jvmti.so) and CPython (-X perf_jit, 3.13).
 * The process keeps the file mapped as executable code, so the file's path is among the process's
 * mappings. All numbers are in the machine's byte order. Source: perf's
 * jitdump-specification.txt, version 1.
 *
 *   offset  size  field of the head
 *        0     4  magic      0x4A695444
 *        4     4  version    1
 *        8     4  bytes      of the head
 *       12    28  machine, padding, pid, time, flags: not used
 *
 *   offset  size  field of a record
 *        0     4  kind       0 code, 1 moved code, 2 lines, 4 unwinding; others are skipped
 *        4     4  bytes      of the record, including the head
 *        8     8  time
 *
 *     code:   16     8  pid, tid
 *             24     8  address in its section, not used
 *             32     8  start      at run time
 *             40     8  bytes      of the code
 *             48     8  index
 *             56        the name, NUL; then the code, not used
 *     moved:  32     8  old start
 *             40     8  new start
 *             48     8  bytes
 *     lines:  16     8  start      of the code, whose own record follows
 *             24     8  entries
 *             32        each entry: address 8, line 4, discriminator 4, the file's name, NUL; the
 *                       name "\377" stands for the previous file
 *     unwinding: 16  8  bytes      of .eh_frame and .eh_frame_hdr, of the code whose record follows
 *             24     8  bytes      of .eh_frame_hdr, which is not used
 *             32     8  not used
 *             40        .eh_frame, .eh_frame_hdr
 */
#ifndef ANALYST_JITDUMP_H
#define ANALYST_JITDUMP_H

#include <stddef.h>
#include <stdint.h>

struct jit_map;

/* Returns the size of the file's head; 0: it is incomplete; -EINVAL: this is no jitdump. */
long jitdump_head(const uint8_t *data, size_t bytes);

/*
 * Adds the records at @data. @bytes bytes are in memory, @left bytes are in the file from @data on,
 * and @most is the buffer's size. Of a record larger than the buffer only the part in memory is
 * used. Returns the bytes to skip in the file, possibly more than @bytes; 0: the first record is
 * incomplete; -ENOMEM; -EINVAL: damaged.
 */
int64_t jitdump_add(
	struct jit_map *map, const uint8_t *data, size_t bytes, uint64_t left, size_t most);

#endif
