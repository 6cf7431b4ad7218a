/* SPDX-License-Identifier: MIT */
#include "supervisor/os/arch.h"

#include <elf.h>

/* struct user_pt_regs: x0-x30, sp, pc, pstate. DWARF numbers: x0-x30 are 0-30, sp 31, pc 32. */
enum {
	A64_NUMBER = 8,
	A64_FP = 29,
	A64_SP = 31,
	A64_PC = 32,
	A64_BYTES = 34 * 8,
	A64_REGISTERS = 33,
	A64_FIRST = 34, /* index of the recovered first argument, the word after the registers */
};
/* System call numbers are below this. */
#define A64_CALLS 1024
#define A64_SVC   0xd4000001 /* svc #0 */

/* A 32-bit thread: r0-r15, cpsr, orig_r0, 4 bytes each. DWARF numbers: r0-r15. */
enum { A32_FP = 11, A32_SP = 13, A32_PC = 15, A32_BYTES = 18 * 4, A32_REGISTERS = 16 };

static bool decode(const struct arch_raw *raw, struct arch_snapshot *s)
{
	s->syscall = raw->syscall;
	if (raw->bytes == A64_BYTES) {
		s->machine = EM_AARCH64;
		s->registers = A64_REGISTERS;
		for (unsigned i = 0; i < A64_REGISTERS; i++)
			s->reg[i] = raw->word[i];
		s->result = raw->again ? ARCH_RESTART : (int64_t)s->reg[0];
		s->pc = s->reg[A64_PC];
		s->sp = s->reg[A64_SP];
		s->fp = s->reg[A64_FP];
		s->thread_pointer = 0;
	} else if (raw->bytes == A32_BYTES) {
		s->machine = EM_ARM;
		s->registers = A32_REGISTERS;
		for (unsigned i = 0; i < A32_REGISTERS; i++) {
			uint64_t pair = raw->word[i / 2];

			s->reg[i] = i % 2 ? pair >> 32 : pair & UINT32_MAX;
		}
		s->result = (int32_t)s->reg[0];
		s->pc = s->reg[A32_PC];
		s->sp = s->reg[A32_SP];
		s->fp = s->reg[A32_FP];
		s->thread_pointer = 0;
	} else {
		return false;
	}
	return true;
}

/*
 * Before a stop, do_signal() of arch/arm64/kernel/signal.c sets the number of the call to -1. So
 * the pc must tell whether the thread is in a call. If the pc is directly behind an svc
 * instruction, the call has returned. If the pc is at an svc instruction, the call will be
 * repeated.
 */
static bool find_call(struct arch_raw *raw, const uint32_t code[2])
{
	raw->syscall = -1;
	raw->again = false;
	if (raw->bytes != A64_BYTES || raw->word[A64_NUMBER] >= A64_CALLS)
		return false;
	if (!code)
		return true;
	raw->again = code[0] != A64_SVC && code[1] == A64_SVC;
	if (code[0] == A64_SVC || raw->again)
		raw->syscall = (int32_t)raw->word[A64_NUMBER];
	return raw->syscall >= 0;
}

/*
 * The calls of arch_x86_64.c, except those marked as continued by restart_syscall: before a stop
 * shows their result, the kernel has moved the pc back.
 */
static const struct arch_call calls[] = {
	/* read, pread64, readv */
	{63, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_DEVICE, 1, 0, false},
	{67, true, 0, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_DEVICE, 1, 0, false},
	{65, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_DEVICE, 1, 0, false},
	/* write, writev, sendfile */
	{64, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_WRITE, 1, 0, false},
	{66, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_WRITE, 1, 0, false},
	{71, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_COUNT, ARCH_WHOLE_COPY, 3, 0, false},
	/* copy_file_range, splice */
	{285, true, 0, 0, ARCH_TRANSFER_COUNT, ARCH_WHOLE_COPY, 4, 0, false},
	{76, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 0, false},
	/* preadv, preadv2, pwritev, pwritev2 */
	{69, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_DEVICE, 1, 0, false},
	{286, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_DEVICE, 1, 0, false},
	{70, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_WRITE, 1, 0, false},
	{287, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_WRITE, 1, 0, false},
	/* sendto, sendmsg, sendmmsg */
	{206, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_STREAM, 1, 3, false},
	{211, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_MESSAGE, ARCH_WHOLE_STREAM, 1, 2, false},
	{269, true, ARCH_WAIT_SEND, 0, 0, 0, 0, 3, false},
	/* recvfrom, recvmsg, recvmmsg */
	{207, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_WAITALL, 1, 3, false},
	{212, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_MESSAGE, ARCH_WHOLE_WAITALL, 1, 2, false},
	{243, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 3, false},
	/* getrandom */
	{278, true, 0, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_ALWAYS, 0, 0, false},
	/* connect, accept, accept4 */
	{203, true, ARCH_WAIT_CONNECT, 0, 0, 0, 0, 0, false},
	{202, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 0, false},
	{242, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 0, false},
	/* epoll_pwait, epoll_pwait2, pselect6, ppoll */
	{22, true, ARCH_WAIT_MS, 3, 0, 0, 0, 0, false},
	{441, true, ARCH_WAIT_SPEC, 3, 0, 0, 0, 0, false},
	{72, true, ARCH_WAIT_SPEC, 4, 0, 0, 0, 0, false},
	{73, true, ARCH_WAIT_SPEC, 2, 0, 0, 0, 0, false},
	/* semop, semtimedop, rt_sigtimedwait, io_getevents */
	{193, true, 0, 0, 0, 0, 0, 0, false},
	{192, true, ARCH_WAIT_SPEC, 3, 0, 0, 0, 0, false},
	{137, true, ARCH_WAIT_SPEC, 2, 0, 0, 0, 0, false},
	{4, true, ARCH_WAIT_SPEC, 4, 0, 0, 0, 0, false},
};

static const struct arch_restart restart = {
	.bytes = A64_BYTES,
	.result = 0,
	.entry = A64_FIRST,
	.pc = A64_PC,
	.sp = A64_SP,
	.argument = {A64_FIRST, 1, 2, 3, 4, 5},
	.instruction = {0x01, 0x00, 0x00, 0xd4},
	.instruction_bytes = 4,
	.rewinds = true,
	.call = calls,
	.calls = sizeof(calls) / sizeof(*calls),
};

const struct arch arch_native = {
	.machine = EM_AARCH64,
	.red_zone_bytes = 0,
	/* uc_stack, uc_sigmask (128 bytes), fault_address and x0-x30 precede the saved sp */
	.signal_sp_offset = 416,
	.restart_syscall = 128,
	.tgkill = {131, 3, 4, 0}, /* arguments 4 and 5: x3, x4 */
	.restart = &restart,
	.find_call = find_call,
	.decode = decode,
};
