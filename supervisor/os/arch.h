/* SPDX-License-Identifier: MIT */
/*
 * Machine-dependent parts: how the registers that ptrace reads become a struct arch_snapshot, and
 * how a system call is restarted. meson.build chooses the file arch_CPU.c, which has the machine's
 * const table. Nothing here has side effects.
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
	/*
	 * result of the call @syscall: -errno, ARCH_RESTART (see there), or the value that it
	 * returns on success
	 */
	int64_t result;
	uint64_t reg[RECORD_MAX_REGISTERS]; /* in the order of the machine's DWARF numbers */
};

/* How a call specifies its time-out. */
enum arch_wait {
	ARCH_WAIT_NONE,
	ARCH_WAIT_MS,   /* an int of milliseconds; negative: no time-out */
	ARCH_WAIT_SPEC, /* pointer to seconds and nanoseconds; NULL: none */
	ARCH_WAIT_VAL,  /* pointer to seconds and microseconds; NULL: none */
	/* FUTEX_WAIT: like ARCH_WAIT_SPEC. Other futex operations have deadlines, not time-outs. */
	ARCH_WAIT_FUTEX,
	/*
	 * The time-out is the socket's SO_RCVTIMEO. A restart begins it anew, so the supervisor
	 * interrupts the call at its deadline.
	 */
	ARCH_WAIT_RECEIVE,
	ARCH_WAIT_SEND, /* the same with the socket's SO_SNDTIMEO */
	/* the same for connect, whose result at the time-out is EALREADY if it was restarted */
	ARCH_WAIT_CONNECT,
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
 * On which descriptors a transfer of fewer bytes than requested was cut short by a stop. On others,
 * the call may have ended by itself.
 */
enum arch_whole {
	ARCH_WHOLE_ALWAYS,
	ARCH_WHOLE_WRITE,   /* on pipes, stream sockets and terminals */
	ARCH_WHOLE_STREAM,  /* on stream sockets */
	ARCH_WHOLE_WAITALL, /* on stream sockets with MSG_WAITALL in the flags */
	ARCH_WHOLE_DEVICE,  /* on /dev/zero, /dev/urandom and their like */
	ARCH_WHOLE_COPY,    /* if the destination is a file, a stream socket or a terminal */
};

/* A system call that a stop can make fail or cut short. Arguments are numbered from 0. */
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

/*
 * How a call is restarted. The supervisor sets the call's result to ARCH_RESTART, and the kernel
 * does the rest. If @rewinds, the supervisor moves the pc back to the call's instruction instead.
 */
struct arch_restart {
	/* size of the register set to which this table applies */
	size_t bytes;
	uint8_t result, pc, sp, argument[6]; /* indexes in arch_raw.word */
	/* index in arch_raw.word of the value that the result's register had when the call began */
	uint8_t entry;
	uint8_t instruction[4], instruction_bytes; /* the instruction that enters the kernel */
	/*
	 * True on aarch64, where the kernel has decided about a restart before the stop, so that a
	 * result set in the stop causes none. There the result overwrites the register of argument
	 * 0. So argument[0] is the index of a word that is no register: restart_call.c stores the
	 * recovered argument there.
	 */
	bool rewinds;
	const struct arch_call *call;
	size_t calls;
};

struct arch {
	uint16_t machine;
	unsigned red_zone_bytes;   /* live memory below the stack pointer */
	unsigned signal_sp_offset; /* in a signal frame: bytes from uc_stack to the saved sp */
	int32_t restart_syscall;   /* number of restart_syscall(2) */
	/*
	 * A process can turn its profiling off by a tgkill(2) with two extra arguments, and gets
	 * the answer as the call's result (CALL_OFF_FIRST in proto/call.h).
	 */
	struct {
		int32_t number; /* -2: not on this machine */
		/*
		 * indexes of the fourth and the fifth argument in arch_snapshot.reg, and of the
		 * result in arch_raw.word
		 */
		uint8_t fourth, fifth, result;
	} tgkill;
	const struct arch_restart *restart; /* NULL: disturbed calls cannot be restarted */
	/*
	 * Finds out whether the thread is in a call. NULL: the registers at a stop show that.
	 * code[0] is the instruction before the pc, code[1] the one at the pc. Sets raw->syscall
	 * and raw->again, and returns whether the thread is in a call. With @code NULL, returns
	 * whether the thread can be in a call, according to its registers.
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
