/* SPDX-License-Identifier: MIT */
#include "supervisor/os/arch.h"

#include <elf.h>
#include <sys/syscall.h>

/* struct user_pt_regs: x0-x30, sp, pc, pstate. DWARF numbers: x0-x30 are 0-30, sp 31, pc 32. */
enum { A64_FP = 29, A64_SP = 31, A64_PC = 32, A64_BYTES = 34 * 8, A64_REGISTERS = 33 };
/* Not a register: where arch_raw.word has the first argument of a call. */
enum { A64_FIRST = 40 };

/* A 32-bit thread: r0-r15, cpsr, orig_r0, 4 bytes each. DWARF numbers: r0-r15. */
enum { A32_FP = 11, A32_SP = 13, A32_PC = 15, A32_BYTES = 18 * 4, A32_REGISTERS = 16 };

static bool decode(const struct arch_raw *raw, struct arch_snapshot *s)
{
	s->syscall = raw->syscall < 0 ? -1 : raw->syscall;
	if (raw->bytes == A64_BYTES) {
		s->machine = EM_AARCH64;
		s->registers = A64_REGISTERS;
		for (unsigned i = 0; i < A64_REGISTERS; i++)
			s->reg[i] = raw->word[i];
		/* The first argument is back in its register: as ERESTARTSYS, where that can be
		 * seen. */
		s->result = raw->again ? -512 : (int64_t)s->reg[0];
		s->pc = s->reg[A64_PC];
		s->sp = s->reg[A64_SP];
		s->fp = s->reg[A64_FP];
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
	} else {
		return false;
	}
	return true;
}

/*
 * Calls that end with EINTR, or short, though no handler has run. Not those that restart_syscall
 * resumes: the kernel has seen to that before the stop.
 */
static const struct arch_call calls[] = {
	{SYS_read, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_DEVICE, 1, 0,
		false},
	{SYS_pread64, true, 0, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_DEVICE, 1, 0, false},
	{SYS_readv, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_DEVICE, 1, 0,
		false},
	{SYS_write, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_WRITE, 1, 0, false},
	{SYS_writev, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_WRITE, 1, 0, false},
	{SYS_sendfile, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_COUNT, ARCH_WHOLE_WRITE, 3, 0, false},
	{SYS_sendto, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_STREAM, 1, 3, false},
	{SYS_sendmsg, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_MESSAGE, ARCH_WHOLE_STREAM, 1, 2,
		false},
	{SYS_sendmmsg, true, ARCH_WAIT_SEND, 0, 0, 0, 0, 3, false},
	{SYS_recvfrom, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_WAITALL, 1, 3,
		false},
	{SYS_recvmsg, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_MESSAGE, ARCH_WHOLE_WAITALL, 1, 2,
		false},
	{SYS_recvmmsg, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 3, false},
	{SYS_getrandom, true, 0, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_ALWAYS, 0, 0, false},
	{SYS_connect, true, ARCH_WAIT_CONNECT, 0, 0, 0, 0, 0, false},
	{SYS_accept, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 0, false},
	{SYS_accept4, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 0, false},
	{SYS_epoll_pwait, true, ARCH_WAIT_MS, 3, 0, 0, 0, 0, false},
	{SYS_epoll_pwait2, true, ARCH_WAIT_SPEC, 3, 0, 0, 0, 0, false},
	/* Only when the kernel cannot write the rest of the time back. */
	{SYS_pselect6, true, ARCH_WAIT_SPEC, 4, 0, 0, 0, 0, false},
	{SYS_ppoll, true, ARCH_WAIT_SPEC, 2, 0, 0, 0, 0, false},
	{SYS_semop, true, 0, 0, 0, 0, 0, 0, false},
	{SYS_semtimedop, true, ARCH_WAIT_SPEC, 3, 0, 0, 0, 0, false},
	{SYS_rt_sigtimedwait, true, ARCH_WAIT_SPEC, 2, 0, 0, 0, 0, false},
	{SYS_io_getevents, true, ARCH_WAIT_SPEC, 4, 0, 0, 0, 0, false},
};

/*
 * Arguments: x0-x5, the number in x8. The instruction is svc #0. do_signal() of
 * arch/arm64/kernel/signal.c looks at the result before it stops for us, and has let go of the
 * number by then; a call that it begins again has the pc at its instruction.
 */
static const struct arch_repair repair = {
	.bytes = A64_BYTES,
	.by_hand = true,
	.result = 0,
	.number = 8,
	.entry = A64_FIRST,
	.pc = A64_PC,
	.sp = A64_SP,
	.argument = {A64_FIRST, 1, 2, 3, 4, 5},
	.instruction = {0x01, 0x00, 0x00, 0xd4},
	.instruction_bytes = 4,
	.call = calls,
	.calls = sizeof(calls) / sizeof(*calls),
};

const struct arch arch_native = {
	.machine = EM_AARCH64,
	.has_syscall_set = true,
	.red_zone_bytes = 0,
	.signal_sp_offset = 416, /* uc_stack, uc_sigmask of 128 bytes, fault_address, x0-x30 */
	.restart_syscall = SYS_restart_syscall,
	.tgkill = {SYS_tgkill, 3, 4, 0},
	.repair = &repair,
	.decode = decode,
};
