/* SPDX-License-Identifier: MIT */
#include "supervisor/os/arch.h"

#include <elf.h>

/*
 * struct user_regs_struct of the System V ABI, 27 words: r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax
 * rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs.
 */
enum {
	X64_RAX = 10,
	X64_ORIG_RAX = 15,
	X64_RIP = 16,
	X64_RSP = 19,
	X64_RBP = 4,
	X64_FS_BASE = 21,
	X64_BYTES = 27 * 8
};

/* DWARF order: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip. */
static const uint8_t x64_dwarf[] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16};

/* A 32-bit thread: ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs eflags esp ss. */
enum {
	I386_EBP = 5,
	I386_EAX = 6,
	I386_ORIG_EAX = 11,
	I386_EIP = 12,
	I386_ESP = 15,
	I386_BYTES = 17 * 4
};

/* DWARF order: eax ecx edx ebx esp ebp esi edi eip. */
static const uint8_t i386_dwarf[] = {6, 1, 2, 0, 15, 5, 3, 4, 12};

static uint64_t word32(const struct arch_raw *raw, unsigned i)
{
	uint64_t pair = raw->word[i / 2];

	return i % 2 ? pair >> 32 : pair & UINT32_MAX;
}

static bool decode(const struct arch_raw *raw, struct arch_snapshot *s)
{
	if (raw->bytes == X64_BYTES) {
		s->machine = EM_X86_64;
		s->pc = raw->word[X64_RIP];
		s->sp = raw->word[X64_RSP];
		s->fp = raw->word[X64_RBP];
		s->thread_pointer = raw->word[X64_FS_BASE];
		/* The number is -1 unless the thread entered the kernel by a system call. */
		s->syscall = (int32_t)raw->word[X64_ORIG_RAX];
		s->result = (int64_t)raw->word[X64_RAX];
		s->registers = sizeof(x64_dwarf);
		for (unsigned i = 0; i < sizeof(x64_dwarf); i++)
			s->reg[i] = raw->word[x64_dwarf[i]];
	} else if (raw->bytes == I386_BYTES) {
		s->machine = EM_386;
		s->pc = word32(raw, I386_EIP);
		s->sp = word32(raw, I386_ESP);
		s->fp = word32(raw, I386_EBP);
		s->thread_pointer = 0;
		s->syscall = (int32_t)word32(raw, I386_ORIG_EAX);
		s->result = (int32_t)word32(raw, I386_EAX);
		s->registers = sizeof(i386_dwarf);
		for (unsigned i = 0; i < sizeof(i386_dwarf); i++)
			s->reg[i] = word32(raw, i386_dwarf[i]);
	} else {
		return false;
	}
	if (s->syscall < 0)
		s->syscall = -1;
	return true;
}

/*
 * Calls that a stop makes fail with EINTR, or cuts short. docs/PTRACE.md has the test of each. Two
 * such calls are not listed, as they cannot be repeated: close has already released the descriptor,
 * and io_uring_enter has already taken the submissions.
 */
static const struct arch_call calls[] = {
	/* read, pread64, readv */
	{0, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_DEVICE, 1, 0, false},
	{17, true, 0, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_DEVICE, 1, 0, false},
	{19, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_DEVICE, 1, 0, false},
	/* write, writev, sendfile */
	{1, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_WRITE, 1, 0, false},
	{20, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_WRITE, 1, 0, false},
	{40, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_COUNT, ARCH_WHOLE_COPY, 3, 0, false},
	/* copy_file_range, splice */
	{326, true, 0, 0, ARCH_TRANSFER_COUNT, ARCH_WHOLE_COPY, 4, 0, false},
	{275, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 0, false},
	/* preadv, preadv2, pwritev, pwritev2 */
	{295, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_DEVICE, 1, 0, false},
	{327, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_DEVICE, 1, 0, false},
	{296, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_WRITE, 1, 0, false},
	{328, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_VECTOR, ARCH_WHOLE_WRITE, 1, 0, false},
	/* sendto, sendmsg, sendmmsg */
	{44, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_STREAM, 1, 3, false},
	{46, true, ARCH_WAIT_SEND, 0, ARCH_TRANSFER_MESSAGE, ARCH_WHOLE_STREAM, 1, 2, false},
	{307, true, ARCH_WAIT_SEND, 0, 0, 0, 0, 3, false},
	/* recvfrom, recvmsg, recvmmsg */
	{45, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_WAITALL, 1, 3, false},
	{47, true, ARCH_WAIT_RECEIVE, 0, ARCH_TRANSFER_MESSAGE, ARCH_WHOLE_WAITALL, 1, 2, false},
	{299, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 3, false},
	/* getrandom */
	{318, true, 0, 0, ARCH_TRANSFER_BUFFER, ARCH_WHOLE_ALWAYS, 0, 0, false},
	/* connect, accept, accept4 */
	{42, true, ARCH_WAIT_CONNECT, 0, 0, 0, 0, 0, false},
	{43, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 0, false},
	{288, true, ARCH_WAIT_RECEIVE, 0, 0, 0, 0, 0, false},
	/* epoll_wait, epoll_pwait, epoll_pwait2 */
	{232, true, ARCH_WAIT_MS, 3, 0, 0, 0, 0, false},
	{281, true, ARCH_WAIT_MS, 3, 0, 0, 0, 0, false},
	{441, true, ARCH_WAIT_SPEC, 3, 0, 0, 0, 0, false},
	/*
	 * select, pselect6, ppoll; disturbed only if the kernel cannot write the remaining time
	 * back
	 */
	{23, true, ARCH_WAIT_VAL, 4, 0, 0, 0, 0, false},
	{270, true, ARCH_WAIT_SPEC, 4, 0, 0, 0, 0, false},
	{271, true, ARCH_WAIT_SPEC, 2, 0, 0, 0, 0, false},
	/*
	 * poll, nanosleep, clock_nanosleep, futex; restarted only with a seccomp filter
	 * (RESTART_FILTERED)
	 */
	{7, true, ARCH_WAIT_MS, 2, 0, 0, 0, 0, true},
	{35, true, ARCH_WAIT_SPEC, 0, 0, 0, 0, 0, true},
	{230, true, ARCH_WAIT_SPEC, 2, 0, 0, 0, 0, true},
	{202, true, ARCH_WAIT_FUTEX, 3, 0, 0, 0, 0, true},
	/* semop, semtimedop, rt_sigtimedwait, io_getevents */
	{65, true, 0, 0, 0, 0, 0, 0, false},
	{220, true, ARCH_WAIT_SPEC, 3, 0, 0, 0, 0, false},
	{128, true, ARCH_WAIT_SPEC, 2, 0, 0, 0, 0, false},
	{208, true, ARCH_WAIT_SPEC, 4, 0, 0, 0, 0, false},
};

/* Arguments: rdi rsi rdx r10 r8 r9. The instruction is syscall. */
static const struct arch_restart restart = {
	.bytes = X64_BYTES,
	.result = X64_RAX,
	.entry = X64_ORIG_RAX,
	.pc = X64_RIP,
	.sp = X64_RSP,
	.argument = {14, 13, 12, 7, 9, 8},
	.instruction = {0x0f, 0x05},
	.instruction_bytes = 2,
	.call = calls,
	.calls = sizeof(calls) / sizeof(*calls),
};

const struct arch arch_native = {
	.machine = EM_X86_64,
	.red_zone_bytes = 128,
	/* uc_stack and these precede rsp: r8-r15, rdi, rsi, rbp, rbx, rdx, rax, rcx */
	.signal_sp_offset = 144,
	.restart_syscall = 219,
	.tgkill = {234, 10, 8, X64_RAX}, /* arguments 4 and 5: r10, r8 */
	.restart = &restart,
	.decode = decode,
};
