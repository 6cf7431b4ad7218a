/* SPDX-License-Identifier: MIT */
/*
 * How each machine's registers from ptrace become a snapshot, and how its system calls are
 * restarted. meson.build chooses the arch_CPU.c, which has the machine's const table. Pure.
 */
#ifndef SUPERVISOR_ARCH_H
#define SUPERVISOR_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/record.h"

/* NT_PRSTATUS of one thread, and what find_call adds. */
struct arch_raw {
	uint64_t word[64]; /* the register set as laid out by the kernel */
	size_t bytes;      /* its size: tells a 32-bit thread from a 64-bit one */
	int32_t syscall;   /* set by find_call: the call that the thread is in; -1: none */
	bool again;        /* set by find_call: the kernel moved the pc back to repeat the call */
};

struct arch_snapshot {
	uint16_t machine; /* ELF e_machine of this thread */
	uint16_t registers;
	uint64_t pc, sp, fp;
	uint64_t thread_pointer; /* 0: not known */
	int32_t syscall;         /* system call that the thread is in, -1: it is in user mode */
	/* result of @syscall: -errno, ARCH_RESTART, or its value on success */
	int64_t result;
	uint64_t reg[RECORD_MAX_REGISTERS]; /* in the order of the machine's DWARF numbers */
};

/* How a call specifies its time-out. */
enum arch_wait {
	ARCH_WAIT_NONE,
	ARCH_WAIT_MS,      /* an int of milliseconds; negative: no time-out */
	ARCH_WAIT_SPEC,    /* pointer to seconds and nanoseconds; NULL: none */
	ARCH_WAIT_VAL,     /* pointer to seconds and microseconds; NULL: none */
	ARCH_WAIT_FUTEX,   /* FUTEX_WAIT as ARCH_WAIT_SPEC; other operations have absolute times */
	ARCH_WAIT_RECEIVE, /* by SO_RCVTIMEO, not by an argument: the supervisor ends the call */
	ARCH_WAIT_SEND,    /* by SO_SNDTIMEO, not by an argument */
	ARCH_WAIT_CONNECT, /* by SO_SNDTIMEO; a restarted connect times out with another errno */
};

/* Where a call specifies what it transfers. */
enum arch_transfer {
	ARCH_TRANSFER_NONE,
	ARCH_TRANSFER_BUFFER,  /* two arguments: pointer and length */
	ARCH_TRANSFER_COUNT,   /* one argument: a length; the kernel keeps the position */
	ARCH_TRANSFER_VECTOR,  /* two arguments: array of iovec and its length */
	ARCH_TRANSFER_MESSAGE, /* one argument: pointer to a msghdr */
};

/* Descriptors on which fewer bytes than requested mean that a stop cut the transfer short. */
enum arch_whole {
	ARCH_WHOLE_ALWAYS,
	ARCH_WHOLE_WRITE,   /* on pipes, stream sockets and terminals */
	ARCH_WHOLE_STREAM,  /* on stream sockets */
	ARCH_WHOLE_WAITALL, /* on stream sockets with MSG_WAITALL in the flags */
	ARCH_WHOLE_DEVICE,  /* on /dev/zero, /dev/urandom and their like */
	ARCH_WHOLE_COPY,    /* on files, stream sockets and terminals that are copied to */
};

/* A system call that a stop can disturb. */
struct arch_call {
	int32_t number;
	bool restart; /* after EINTR, it may be restarted */
	enum arch_wait wait;
	uint8_t wait_argument; /* number of the argument that @wait describes */
	enum arch_transfer transfer;
	enum arch_whole whole;
	uint8_t argument;       /* number of the first argument that describes the transfer */
	uint8_t flags_argument; /* number of the argument with MSG_… flags; 0: none */
	bool block; /* the kernel resumes it by restart_syscall, with the remaining time */
};

/* A call is restarted by the result ARCH_RESTART or, with @rewinds, by moving the pc back. */
struct arch_restart {
	/* size of the register set to which this table applies */
	size_t bytes;
	uint8_t result, pc, sp, argument[6]; /* indexes in arch_raw.word */
	/* index of the word that the result's register contains when a call begins */
	uint8_t entry;
	uint8_t instruction[4], instruction_bytes; /* the instruction that enters the kernel */
	/*
	 * aarch64: the kernel decides about a restart before the stop, so the supervisor moves the
	 * pc back. The result overwrites the register of argument 0; so argument[0] indexes a word
	 * behind the registers, which restart_call.c fills.
	 */
	bool rewinds;
	const struct arch_call *call;
	size_t calls;
};

struct arch {
	uint16_t machine;
	unsigned red_zone_bytes;   /* live memory below the stack pointer */
	unsigned signal_sp_offset; /* in a signal frame: from uc_stack to the saved stack pointer */
	int32_t restart_syscall;   /* number of restart_syscall(2) */
	/* By tgkill(2) a process turns its profiling off (CALL_OFF_FIRST in proto/call.h). */
	struct {
		int32_t number;                /* -2: not on this machine */
		uint8_t fourth, fifth, result; /* two indexes in snapshot.reg, one in raw.word */
	} tgkill;
	const struct arch_restart *restart; /* NULL: disturbed calls cannot be restarted */
	/*
	 * NULL: the registers at a stop show whether the thread is in a call. Otherwise the
	 * function sets raw->syscall and raw->again from code[0], the instruction before the pc,
	 * and code[1], the one at the pc. It returns whether the thread is in a call; with @code
	 * NULL, whether the registers permit that.
	 */
	bool (*find_call)(struct arch_raw *raw, const uint32_t code[2]);
	/* False: this machine has no register set of raw->bytes. */
	bool (*decode)(const struct arch_raw *raw, struct arch_snapshot *ret_snapshot);
};

/*
 * ERESTARTNOHAND, which is in no header: the kernel restarts the call, or lets it fail with EINTR
 * if a handler is about to run.
 */
#define ARCH_RESTART (-514)

/* The machine for which this program was compiled. */
extern const struct arch arch_native;

#endif
