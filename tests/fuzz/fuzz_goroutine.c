/* SPDX-License-Identifier: MIT */
/*
 * The descriptors of goroutines in hostile memory. Input: bit 0 of byte 0 the machine, then sp and
 * the kept register (8 bytes each), and the memory, which begins at 4096. The thread pointer is the
 * first word's end. Other addresses cannot be read.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "supervisor/os/arch.h"
#include "supervisor/os/remote.h"
#include "supervisor/target/goroutine.h"
#include "tests/fuzz/fuzz.h"

enum { ENDS, SWITCHED, IN_VDSO, PARTS };
const unsigned fuzz_parts = PARTS;

enum { BASE = 4096, HEAD_BYTES = 17, READS_MOST = 11, X86_64_R12 = 12, AARCH64_R20 = 20 };

struct memory {
	const uint8_t *data;
	size_t bytes;
	unsigned reads;
};

/* Replaces the product's remote_peek(). */
ssize_t remote_peek(const struct remote *remote, uint64_t at, void *to, size_t n)
{
	struct memory *memory = (struct memory *)(uintptr_t)remote;

	if (++memory->reads > READS_MOST)
		abort();
	if (at < BASE || at - BASE > memory->bytes || n > memory->bytes - (at - BASE))
		return -EFAULT;
	memcpy(to, memory->data + (at - BASE), n);
	return (ssize_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arch_snapshot snapshot = {.thread_pointer = BASE + 8};
	struct memory memory = {0};
	struct goroutine g;

	if (size < HEAD_BYTES)
		return 0;
	memory = (struct memory){.data = data + HEAD_BYTES, .bytes = size - HEAD_BYTES};
	snapshot.machine = data[0] & 1 ? EM_AARCH64 : EM_X86_64;
	snapshot.registers = data[0] & 1 ? 33 : 17;
	memcpy(&snapshot.sp, data + 1, 8);
	memcpy(&snapshot.reg[data[0] & 1 ? AARCH64_R20 : X86_64_R12], data + 9, 8);
	goroutine_find((const struct remote *)(const void *)&memory, &snapshot, 8, &g);
	if (g.end && g.end <= snapshot.sp)
		abort();
	if (g.left_sp && g.left_sp >= g.left_end)
		abort();
	if (g.end)
		fuzz_accept(ENDS);
	if (g.left_sp)
		fuzz_accept(g.left_pc ? SWITCHED : IN_VDSO);
	return 0;
}

/* A thread on a goroutine's stack, on its own after a switch, and in the vdso. */
size_t fuzz_seed(unsigned n, uint8_t *ret_data)
{
	enum { OWN = BASE + 16, USER = BASE + 128, THREAD = BASE + 256, WORDS = 64 };
	static const uint64_t sp[] = {0x901000, 0x701000, 0xf00000};
	const uint64_t own[] = {0x700000, 0x704000, 0, 0, 0, 0, THREAD};
	const uint64_t user[] = {0x900000, 0x902000, 0, 0, 0, 0, THREAD, 0x901800, 0x401000};
	const uint64_t kept = 0x901100;
	uint64_t word[WORDS] = {n == 1 ? OWN : USER};

	if (n > 2)
		return 0;
	memcpy(word + (OWN - BASE) / 8, own, sizeof(own));
	memcpy(word + (USER - BASE) / 8, user, sizeof(user));
	word[(THREAD - BASE) / 8] = OWN;
	word[(THREAD - BASE) / 8 + 24] = USER;
	ret_data[0] = 0;
	memcpy(ret_data + 1, &sp[n], 8);
	memcpy(ret_data + 9, &kept, 8);
	memcpy(ret_data + HEAD_BYTES, word, sizeof(word));
	return HEAD_BYTES + sizeof(word);
}
