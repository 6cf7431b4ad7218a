/* SPDX-License-Identifier: MIT */
/*
 * What differs between machines: how a register set as ptrace gives it becomes a snapshot. One
 * const table a machine; adding one is one file and one line in arch.c. Pure.
 */
#ifndef SUPERVISOR_ARCH_H
#define SUPERVISOR_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/record.h"

/* Raw NT_PRSTATUS of one thread, and what some machines keep apart. */
struct arch_raw {
	uint64_t word[64]; /* the register set as the kernel laid it out */
	size_t bytes;	   /* its size: it tells a 32-bit thread from a 64-bit one */
	int32_t syscall;   /* NT_ARM_SYSTEM_CALL where has_syscall_set, else unused */
};

struct arch_snapshot {
	uint16_t machine; /* ELF e_machine of this thread */
	uint16_t registers;
	uint64_t pc, sp, fp;
	int32_t syscall; /* the system call that it is in, -1 none: its time is the user's */
	uint64_t reg[RECORD_MAX_REGISTERS]; /* in the order of the machine's DWARF numbers */
};

struct arch {
	uint16_t machine;
	bool has_syscall_set;	 /* read NT_ARM_SYSTEM_CALL too */
	unsigned red_zone_bytes; /* live memory below the stack pointer */
	int32_t restart_syscall; /* what the kernel makes of some calls that go on after a stop */
	/* false: a register set of a size that this machine does not know. */
	bool (*decode)(const struct arch_raw *raw, struct arch_snapshot *ret_snapshot);
};

/* The machine that this program was compiled for. */
extern const struct arch arch_native;

#endif
