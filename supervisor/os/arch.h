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
	size_t bytes;      /* its size: it tells a 32-bit thread from a 64-bit one */
	/* Where find_call tells it: the call that the thread is in, -1 none, and whether the kernel
	 * has moved it back to the instruction that begins the call again. */
	int32_t syscall;
	bool again;
};

struct arch_snapshot {
	uint16_t machine; /* ELF e_machine of this thread */
	uint16_t registers;
	uint64_t pc, sp, fp;
	int32_t syscall; /* the system call that it is in, -1 none: its time is the user's */
	int64_t result;  /* of that call so far, a negative errno on failure; ARCH_RESTART */
	uint64_t reg[RECORD_MAX_REGISTERS]; /* in the order of the machine's DWARF numbers */
};

/* How a call says how long it may wait. */
enum arch_wait {
	ARCH_WAIT_NONE,
	ARCH_WAIT_MS,    /* milliseconds in a register as an int, negative: for ever */
	ARCH_WAIT_SPEC,  /* pointer to seconds and nanoseconds, 0: for ever */
	ARCH_WAIT_VAL,   /* pointer to seconds and microseconds, 0: for ever */
	ARCH_WAIT_FUTEX, /* as SPEC for FUTEX_WAIT; others of its operations give a point in time */
	/* SO_RCVTIMEO, SO_SNDTIMEO of the socket: not given by the call, so we end it ourselves. */
	ARCH_WAIT_RECEIVE,
	ARCH_WAIT_SEND,
	ARCH_WAIT_CONNECT, /* SO_SNDTIMEO, and a call that is begun again fails differently */
};

/* Where a call has what it transfers. */
enum arch_transfer {
	ARCH_TRANSFER_NONE,
	ARCH_TRANSFER_BUFFER,  /* two arguments: pointer and length */
	ARCH_TRANSFER_COUNT,   /* one argument: a length; the kernel keeps the place */
	ARCH_TRANSFER_VECTOR,  /* two arguments: array of iovec and its length */
	ARCH_TRANSFER_MESSAGE, /* one argument: pointer to a msghdr */
};

/* When a result below the length is a call cut short, and not what the program asked for. */
enum arch_whole {
	ARCH_WHOLE_ALWAYS,
	ARCH_WHOLE_WRITE,   /* on pipes, stream sockets and terminals */
	ARCH_WHOLE_STREAM,  /* on stream sockets */
	ARCH_WHOLE_WAITALL, /* on stream sockets with MSG_WAITALL in the flags */
	ARCH_WHOLE_DEVICE,  /* on /dev/zero and /dev/urandom */
};

/* A system call that a stop can disturb. */
struct arch_call {
	int32_t number;
	bool restart; /* it fails with EINTR, and may be begun again */
	enum arch_wait wait;
	uint8_t wait_argument;
	enum arch_transfer transfer;
	enum arch_whole whole;
	uint8_t argument;       /* of the transfer: its first one */
	uint8_t flags_argument; /* MSG_… of those that send and receive, 0: there are none */
	bool block; /* the kernel resumes it by restart_syscall, with the time that is left */
};

/*
 * Where the parts of a call lie in arch_raw.word, and how a call is begun again: by the kernel,
 * which leaves that open until after the stop, for the result ARCH_RESTART; or, where @rewinds,
 * by us, who move the pc back.
 */
struct arch_repair {
	size_t bytes; /* size of the register set that this is for */
	uint8_t result, pc, sp, argument[6];
	uint8_t entry; /* what the register of the result must hold where a call begins */
	uint8_t instruction[4], instruction_bytes; /* that enters the kernel */
	/*
	 * The kernel has decided about a restart before the stop, and a call that has failed is no
	 * call to it any more. The result overwrites argument[0], which is none of the registers:
	 * its word in arch_raw lies behind them (mend_call.c fills it).
	 */
	bool rewinds;
	const struct arch_call *call;
	size_t calls;
};

struct arch {
	uint16_t machine;
	unsigned red_zone_bytes;   /* live memory below the stack pointer */
	unsigned signal_sp_offset; /* in a signal frame: from uc_stack to the stack pointer saved */
	int32_t restart_syscall;   /* what the kernel makes of some calls that go on after a stop */
	/*
	 * tgkill(2), and where what it does not have as a fourth and fifth argument (in
	 * arch_snapshot.reg) and its result (in arch_raw.word) lie: "off" comes that way
	 * (CALL_OFF_FIRST in proto/call.h). Number -2: not on this machine.
	 */
	struct {
		int32_t number;
		uint8_t fourth, fifth, result;
	} tgkill;
	const struct arch_repair *repair; /* NULL: a disturbed call cannot be mended */
	/*
	 * For a kernel that does not tell at a stop that the thread was in a call: sets
	 * raw->syscall and raw->again by the instructions before the pc and at it. True with NULL:
	 * they must be read, for the registers could be those of a call. NULL: the registers tell.
	 */
	bool (*find_call)(struct arch_raw *raw, const uint32_t code[2]);
	/* false: a register set of a size that this machine does not know. */
	bool (*decode)(const struct arch_raw *raw, struct arch_snapshot *ret_snapshot);
};

/*
 * Result of a call that the kernel begins again, unless a handler is about to run: then it fails
 * with EINTR. The kernel's ERESTARTNOHAND, which no header gives.
 */
#define ARCH_RESTART (-514)

/* The machine that this program was compiled for. */
extern const struct arch arch_native;

#endif
