/* SPDX-License-Identifier: MIT */
/*
 * The histogram in a mon.out of monitor(3). All in the byte order of this machine:
 *
 *   header      0  lowest address           u64   as in the ELF file
 *               8  end: highest address + 1 u64
 *              16  number of call counts    i32
 *              20  ticks per second         u16
 *              22  scale                    u16   counters per 2 bytes of text, times 65536
 *   call count  0  address of a function    u64
 *               8  number of its calls              i64
 *   counters    0  ticks                    u16 each, up to the end
 *
 * The addresses span w words of 2 bytes (w is rounded up). There are at least w * scale / 65536
 * counters (rounded up). There may be more only if w > 65535.
 *
 * Nothing in the file identifies its program, its format or its length: a file with inconsistent
 * data or with fewer counters is refused. (If w > 65535, up to w / 65536 counters may be missing at
 * the end unnoticed.)
 */
#ifndef PROFILE_MONOUT_H
#define PROFILE_MONOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct monout {
	uint64_t low, high;
	uint32_t hz, scale;
	const uint8_t *counter; /* borrowed from the file's bytes */
	size_t counters;
};

/* Returns 0, or -EINVAL with *@ret_problem a constant sentence. *@ret_monout borrows from @data. */
int monout_open(
	const uint8_t *data, size_t bytes, struct monout *ret_monout, const char **ret_problem);

/* Can @data be the beginning of a mon.out, with addresses that a process can have? */
bool monout_seems(const uint8_t *data, size_t bytes);
/* Is it gprof's gmon.out, which begins with "gmon"? */
bool monout_is_gmon(const uint8_t *data, size_t bytes);

/*
 * Finds the next counter that is not 0, from index *@at on. Gets the counter's ticks, and the
 * address in the middle of its text. Sets *@at to the index after this counter. False: there is
 * none.
 */
bool monout_next(
	const struct monout *monout, size_t *at, uint64_t *ret_address, uint32_t *ret_ticks);

#endif
