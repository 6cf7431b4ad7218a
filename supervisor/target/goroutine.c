/* SPDX-License-Identifier: MIT */
#include "supervisor/target/goroutine.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "supervisor/os/arch.h"
#include "supervisor/os/remote.h"

/*
 * Indices of words in the runtime's descriptors of a goroutine (G_) and of a thread (M_);
 * goroutine.h.
 */
enum { G_START, G_END, G_THREAD = 6, G_SP, G_PC, G_WORDS };
enum { M_WORDS = 28, M_CURRENT_FIRST = 20 };

/* Limits of a plausible stack. The runtime's own limits are 2 KiB and 1 GB. */
#define STACK_BYTES_LEAST 256
#define STACK_BYTES_MOST  (UINT64_C(1) << 30)
#define POINTER_LEAST     4096

/* The register that keeps the goroutine's sp while its thread is in the vdso. */
enum { X86_64_R12 = 12, AARCH64_R20 = 20 };

static bool read_words(const struct remote *memory, uint64_t at, uint64_t *to, size_t words)
{
	ssize_t bytes = (ssize_t)(words * sizeof(*to));

	return at >= POINTER_LEAST && remote_peek(memory, at, to, (size_t)bytes) == bytes;
}

static bool is_inside(const uint64_t g[G_WORDS], uint64_t sp)
{
	return sp > g[G_START] && sp < g[G_END];
}

static bool has_stack(const uint64_t g[G_WORDS])
{
	return g[G_END] > g[G_START] && g[G_END] - g[G_START] >= STACK_BYTES_LEAST &&
		g[G_END] - g[G_START] <= STACK_BYTES_MOST;
}

/*
 * Reads into @g the descriptor of the goroutine that a thread runs. @thread: address of the
 * thread's descriptor. @own: address of "g0", whose stack is the thread's own. False: not found.
 */
static bool find_current(
	const struct remote *memory, uint64_t own, uint64_t thread, uint64_t g[G_WORDS])
{
	uint64_t m[M_WORDS];

	if (!read_words(memory, thread, m, M_WORDS) || m[0] != own)
		return false;
	for (unsigned i = M_WORDS; i-- > M_CURRENT_FIRST;) {
		if (m[i] != own && m[i] % 8 == 0 && read_words(memory, m[i], g, G_WORDS) &&
			g[G_THREAD] == thread && has_stack(g) && is_inside(g, g[G_SP]))
			return true;
	}
	return false;
}

void goroutine_find(const struct remote *memory, const struct arch_snapshot *snapshot,
	uint32_t g_below, struct goroutine *ret_goroutine)
{
	uint64_t address, g[G_WORDS], kept;

	*ret_goroutine = (struct goroutine){0};
	if (!snapshot->thread_pointer ||
		!read_words(memory, snapshot->thread_pointer - g_below, &address, 1) ||
		!read_words(memory, address, g, G_WORDS) || !has_stack(g))
		return;
	kept = snapshot->machine == EM_X86_64 ? X86_64_R12 : AARCH64_R20;
	if (is_inside(g, snapshot->sp)) {
		ret_goroutine->end = g[G_END];
	} else if (kept < snapshot->registers && is_inside(g, snapshot->reg[kept])) {
		ret_goroutine->left_sp = snapshot->reg[kept];
		ret_goroutine->left_end = g[G_END];
		return;
	}
	if (find_current(memory, address, g[G_THREAD], g)) {
		ret_goroutine->left_sp = g[G_SP];
		ret_goroutine->left_pc = g[G_PC];
		ret_goroutine->left_end = g[G_END];
	}
}
