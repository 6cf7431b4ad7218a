/* SPDX-License-Identifier: MIT */
/*
 * What differs between machines: how a register set from ptrace becomes a snapshot, and how calls
 * are restarted. Each machine has a const table in its arch_CPU.c, which meson.build chooses by the
 * name of the CPU family. Pure.
 */
#ifndef SUPERVISOR_ARCH_H
#define SUPERVISOR_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/record.h"

/* Raw NT_PRSTATUS of one thread, and what some machines need besides. */
struct arch_raw {
	uint64_t word[64]; /* the register set as laid out by the kernel */
	size_t bytes;      /* its size, which distinguishes a 32-bit from a 64-bit thread */
	/*
	 * Set by find_call: the system call that the thread is in, -1 none, and whether the kernel
	 * has moved the pc back to the instruction that restarts the call.
	 */
	int32_t syscall;
	bool again;
};

struct arch_snapshot {
	uint16_t machine; /* ELF e_machine of this thread */
	uint16_t registers;
	uint64_t pc, sp, fp;
	uint64_t thread_pointer; /* 0: not known */
	int32_t syscall;         /* system call that the thread is in, -1: it is in user mode */
	int64_t result; /* of @syscall so far: a negative errno, ARCH_RESTART, or its success */
	uint64_t reg[RECORD_MAX_REGISTERS]; /* in the order of the machine's DWARF numbers */
};

/* How a call specifies its time-out. */
enum arch_wait {
	ARCH_WAIT_NONE,
	ARCH_WAIT_MS,    /* milliseconds in a register as an int, negative: none */
	ARCH_WAIT_SPEC,  /* pointer to seconds and nanoseconds, 0: none */
	ARCH_WAIT_VAL,   /* pointer to seconds and microseconds, 0: none */
	ARCH_WAIT_FUTEX, /* FUTEX_WAIT: like ARCH_WAIT_SPEC; other operations: absolute time */
	/*
	 * The socket's SO_RCVTIMEO or SO_SNDTIMEO. The call has no argument that a restart could
	 * shorten, so the supervisor ends the restarted call when the time is over.
	 */
	ARCH_WAIT_RECEIVE,
	ARCH_WAIT_SEND,
	ARCH_WAIT_CONNECT, /* SO_SNDTIMEO; after a restart, connect times out with another errno */
};

/* Where a call specifies what it transfers. */
enum arch_transfer {
	ARCH_TRANSFER_NONE,
	ARCH_TRANSFER_BUFFER,  /* two arguments: pointer and length */
	ARCH_TRANSFER_COUNT,   /* one argument: a length; the kernel keeps the position */
	ARCH_TRANSFER_VECTOR,  /* two arguments: array of iovec and its length */
	ARCH_TRANSFER_MESSAGE, /* one argument: pointer to a msghdr */
};

/*
 * On which descriptors a result below the requested length means that a stop cut the call short. On
 * others such a result is normal.
 */
enum arch_whole {
	ARCH_WHOLE_ALWAYS,
	ARCH_WHOLE_WRITE,   /* on pipes, stream sockets and terminals */
	ARCH_WHOLE_STREAM,  /* on stream sockets */
	ARCH_WHOLE_WAITALL, /* on stream sockets with MSG_WAITALL in the flags */
	ARCH_WHOLE_DEVICE,  /* on /dev/zero, /dev/urandom and their like */
	/* Of sendfile and copy_file_range: on all but pipes, which take what fits into them. */
	ARCH_WHOLE_COPY,
};

/* A system call that a stop can disturb. */
struct arch_call {
	int32_t number;
	bool restart; /* fails with EINTR, and may be restarted */
	enum arch_wait wait;
	uint8_t wait_argument; /* number of the argument that @wait describes */
	enum arch_transfer transfer;
	enum arch_whole whole;
	uint8_t argument;       /* number of the first argument that describes the transfer */
	uint8_t flags_argument; /* MSG_… of calls that send and receive, 0: none */
	bool block; /* resumed by the kernel through restart_syscall, with the remaining time */
};

/*
 * Where the parts of a call are (as indexes in arch_raw.word), and how a call is restarted. The
 * kernel restarts a call, after the stop, if its result is ARCH_RESTART. If @rewinds is set, the
 * supervisor restarts it by moving the pc back.
 */
struct arch_restart {
	size_t bytes; /* size of the register set for which this table is */
	uint8_t result, pc, sp, argument[6];
	uint8_t entry; /* the word whose value the result's register must have when a call begins */
	uint8_t instruction[4], instruction_bytes; /* the instruction that enters the kernel */
	/*
	 * The kernel decides about a restart before the stop (aarch64), so the supervisor must move
	 * the pc back itself. The result overwrites the register of argument[0]. The word that
	 * argument[0] indexes therefore lies behind the registers in arch_raw; restart_call.c fills
	 * it.
	 */
	bool rewinds;
	const struct arch_call *call;
	size_t calls;
};

struct arch {
	uint16_t machine;
	unsigned red_zone_bytes;   /* live memory below the stack pointer */
	unsigned signal_sp_offset; /* in a signal frame: from uc_stack to the saved stack pointer */
	int32_t restart_syscall; /* the number of the call that continues some calls after a stop */
	/*
	 * tgkill(2), by which a process turns its profiling off (CALL_OFF_FIRST in proto/call.h).
	 * Besides its own three arguments it then has two more: @fourth and @fifth are their
	 * indexes in arch_snapshot.reg. @result: index in arch_raw.word. @number -2: not on this
	 * machine.
	 */
	struct {
		int32_t number;
		uint8_t fourth, fifth, result;
	} tgkill;
	const struct arch_restart *restart; /* NULL: disturbed calls cannot be restarted */
	/*
	 * NULL where the registers at a stop show whether the thread is in a call. Otherwise the
	 * function sets raw->syscall and raw->again from the instruction before the pc (@code[0])
	 * and the one at the pc (@code[1]). With @code NULL it only tells whether the registers
	 * could be those of a call, so that the instructions are needed.
	 */
	bool (*find_call)(struct arch_raw *raw, const uint32_t code[2]);
	/* Converts a register set. False: this machine has none of that size. */
	bool (*decode)(const struct arch_raw *raw, struct arch_snapshot *ret_snapshot);
};

/*
 * The result of a call that the kernel restarts unless a handler is about to run, in which case the
 * call fails with EINTR. This is the kernel's ERESTARTNOHAND, which no header defines.
 */
#define ARCH_RESTART (-514)

/* The machine for which this program was compiled. */
extern const struct arch arch_native;

#endif
