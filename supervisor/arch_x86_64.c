/* SPDX-License-Identifier: MIT */
#include "supervisor/arch.h"

#include <elf.h>

/*
 * struct user_regs_struct of the System V ABI, 27 words: r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax
 * rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs.
 */
enum { X64_ORIG_RAX = 15, X64_RIP = 16, X64_RSP = 19, X64_RBP = 4, X64_BYTES = 27 * 8 };

/* DWARF order: rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip. */
static const uint8_t x64_dwarf[] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16};

/*
 * A 32-bit thread, 17 words of 4 bytes: ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs
 * eflags esp ss.
 */
enum { I386_EBP = 5, I386_ORIG_EAX = 11, I386_EIP = 12, I386_ESP = 15, I386_BYTES = 17 * 4 };

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
		/* -1 unless the thread entered the kernel by a system call. */
		s->syscall = (int32_t)raw->word[X64_ORIG_RAX];
		s->registers = sizeof(x64_dwarf);
		for (unsigned i = 0; i < sizeof(x64_dwarf); i++)
			s->reg[i] = raw->word[x64_dwarf[i]];
	} else if (raw->bytes == I386_BYTES) {
		s->machine = EM_386;
		s->pc = word32(raw, I386_EIP);
		s->sp = word32(raw, I386_ESP);
		s->fp = word32(raw, I386_EBP);
		s->syscall = (int32_t)word32(raw, I386_ORIG_EAX);
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

const struct arch arch_native = {
	.machine = EM_X86_64,
	.red_zone_bytes = 128,
	.restart_syscall = 219,
	.decode = decode,
};
