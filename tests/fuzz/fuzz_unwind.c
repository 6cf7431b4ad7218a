/* SPDX-License-Identifier: MIT */
/*
 * The unwinder over any file, any stack and any registers. Input:
 *
 *	offset	size	contents
 *	0	2	bytes of the ELF file
 *	2	1	bit 0 machine aarch64, bit 1 frame pointers, bit 2 truncated,
 *			bit 3 two pieces, bit 4 only pc and sp are known
 *	3	1	-
 *	4	136	17 registers; the pc counts from the file's base, sp within the stack
 *	140	-	the file, then the stack
 *
 * Each input is unwound twice by an unwinder that remembers stacks, the second time with a byte of
 * the stack changed: the result must be what an unwinder without a memory finds.
 */
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/module.h"
#include "symbolizer/unwind/unwind.h"

#define BASE       UINT64_C(0x555500000000)
#define STACK      UINT64_C(0x7fff00000000)
#define HEAD_BYTES 140

enum { MAPPINGS_MOST = 8, REGISTERS = 33 };

static struct module *make_module(struct symbolizer *symbolizer, const uint8_t *data, size_t bytes)
{
	struct module *module = module_special(symbolizer, "/fuzzed");
	uint8_t *copy = malloc(bytes ? bytes : 1);

	if (!module || !copy)
		abort();
	memcpy(copy, data, bytes);
	elfimage_adopt(&module->image, copy, bytes);
	module->headers_ok = elfimage_read_headers(&module->image) == 0;
	return module;
}

static size_t map_segments(struct module *module, struct mapping *mappings)
{
	size_t n = 0;
	uint64_t above = BASE;

	for (size_t i = 0; i < module->image.n_phdr && n < MAPPINGS_MOST; i++) {
		const Elf64_Phdr *p = &module->image.phdr[i];
		uint64_t start = BASE + p->p_vaddr;

		if (p->p_type != PT_LOAD || start < above || p->p_memsz > UINT32_MAX ||
			p->p_vaddr > UINT32_MAX || !p->p_memsz)
			continue;
		mappings[n++] = (struct mapping){.start = start,
			.end = start + p->p_memsz,
			.bias = BASE,
			.inode = 1,
			.execute = true,
			.name = "/fuzzed",
			.module = module};
		above = start + p->p_memsz;
	}
	return n;
}

static void check_same(const struct unwind_result *a, const struct unwind_frame *frames, size_t n)
{
	if (a->n != n)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (a->frame[i].pc != frames[i].pc || a->frame[i].sp != frames[i].sp ||
			a->frame[i].guessed != frames[i].guessed)
			abort();
	}
}

static void run(struct unwinder *unwinder, const struct space *space, struct unwind_input *input,
	struct unwind_memory *memory)
{
	struct unwind_result result;
	struct unwind_frame *kept;
	size_t n;

	input->memory = memory;
	if (unwind_stack(unwinder, space, input, &result) < 0 || result.n == 0)
		abort();
	n = result.n;
	kept = malloc(n * sizeof(*kept));
	if (!kept)
		abort();
	memcpy(kept, result.frame, n * sizeof(*kept));
	input->memory = NULL;
	if (unwind_stack(unwinder, space, input, &result) < 0)
		abort();
	check_same(&result, kept, n);
	free(kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbolizer_options options = {.size = sizeof(options), .no_debug_info = true};
	uint64_t reg[REGISTERS] = {0};
	struct mapping mappings[MAPPINGS_MOST];
	struct symbolizer *symbolizer;
	struct unwinder *unwinder;
	struct unwind_memory *memory = unwind_memory_new();
	struct space *space;
	size_t elf_bytes, stack_bytes;
	uint8_t *stack;

	if (size < HEAD_BYTES)
		elf_bytes = stack_bytes = 0;
	else
		elf_bytes = (size_t)data[0] | (size_t)data[1] << 8;
	if (size < HEAD_BYTES || elf_bytes > size - HEAD_BYTES || !memory) {
		unwind_memory_free(memory);
		return 0;
	}
	stack_bytes = size - HEAD_BYTES - elf_bytes;
	stack = malloc(stack_bytes + 1);
	if (!stack || symbolizer_new(&options, &symbolizer) < 0 ||
		space_new(symbolizer, 0, &space) < 0 || unwinder_new(symbolizer, &unwinder) < 0)
		abort();
	memcpy(stack, data + HEAD_BYTES + elf_bytes, stack_bytes);
	memcpy(reg, data + 4, 17 * 8);
	space->n = map_segments(make_module(symbolizer, data + HEAD_BYTES, elf_bytes), mappings);
	space->mappings = mappings;

	struct unwind_input input = {.machine = data[2] & 1 ? EM_AARCH64 : EM_X86_64,
		.registers = data[2] & 1 ? REGISTERS : 17,
		.reg = reg,
		.pc = BASE + reg[16] % 65536,
		.sp = STACK + (stack_bytes ? reg[7] % stack_bytes : 0) / 8 * 8,
		.piece = {{STACK, stack, stack_bytes}},
		.frame_pointers = data[2] & 2,
		.truncated = data[2] & 4,
		.blocked = data[2] & 16};

	if (data[2] & 8) {
		size_t half = stack_bytes / 16 * 8;

		input.piece[0].bytes = half;
		input.piece[1] =
			(struct unwind_piece){STACK - 65536, stack + half, stack_bytes - half};
	}
	run(unwinder, space, &input, memory);
	if (stack_bytes)
		stack[reg[0] % stack_bytes] ^= 0xff;
	run(unwinder, space, &input, memory);
	space->mappings = NULL;
	unwind_memory_free(memory);
	unwinder_free(unwinder);
	space_free(space);
	symbolizer_free(symbolizer);
	free(stack);
	return 0;
}
