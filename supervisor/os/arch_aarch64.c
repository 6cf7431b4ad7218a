/* SPDX-License-Identifier: MIT */
#include "supervisor/os/arch.h"

#include <elf.h>

/* struct user_pt_regs: x0-x30, sp, pc, pstate. DWARF numbers: x0-x30 are 0-30, sp 31, pc 32. */
enum { A64_FP = 29, A64_SP = 31, A64_PC = 32, A64_BYTES = 34 * 8, A64_REGISTERS = 33 };

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
		s->result = (int64_t)s->reg[0];
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
 * No repair here. This kernel decides about a restart before the stop (do_signal() of
 * arch/arm64/kernel/signal.c looks at the result first), and the first argument, which the result
 * has overwritten, is not among the registers that ptrace gives; nor is the number of the call,
 * once a signal is looked for.
 */
const struct arch arch_native = {
	.machine = EM_AARCH64,
	.has_syscall_set = true,
	.red_zone_bytes = 0,
	.signal_sp_offset = 416, /* uc_stack, uc_sigmask of 128 bytes, fault_address, x0-x30 */
	.restart_syscall = 128,
	.tgkill = {-2, 0, 0, 0}, /* not to be told from other code at a stop, see above */
	.decode = decode,
};
