/* SPDX-License-Identifier: MIT */
/*
 * The unwinder over any file, any stack and any registers. Input:
 *
 *	offset	size	contents
 *	0	2	bytes of the ELF file
 *	2	1	bit 0 machine aarch64, bit 1 frame pointers, bit 2 truncated,
 *			bit 3 two pieces, bit 4 only pc and sp are known
 *	3	1	-
 *	4	136	17 registers, of aarch64 x16 to sp; the pc is the last one and counts from
 *			the file's base, sp is the eighth one and counts within the stack
 *	140	-	the file, then the stack
 *
 * Each input is unwound twice. The second time all rows are known: the result must be the same.
 */
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/module.h"
#include "symbolizer/unwind/unwind.h"

enum { TABLE, POINTERS, AARCH64, PARTS };
const unsigned fuzz_parts = PARTS;

#define BASE       UINT64_C(0x555500000000)
#define STACK      UINT64_C(0x7fff00000000)
#define HEAD_BYTES 140

enum { MAPPINGS_MOST = 8, REGISTERS = 33, HEAD_REGISTERS = 17 };

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

static void run(struct unwinder *unwinder, const struct space *space, struct unwind_input *input)
{
	struct unwind_result result;
	struct unwind_frame *kept;
	size_t n;

	if (unwind_stack(unwinder, space, input, &result) < 0 || result.n == 0)
		abort();
	n = result.n;
	kept = malloc(n * sizeof(*kept));
	if (!kept)
		abort();
	memcpy(kept, result.frame, n * sizeof(*kept));
	if (unwind_stack(unwinder, space, input, &result) < 0)
		abort();
	check_same(&result, kept, n);
	if (n > 2)
		fuzz_accept(input->machine == EM_AARCH64 ? AARCH64
				: input->frame_pointers  ? POINTERS
							 : TABLE);
	free(kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbolizer_options options = {.size = sizeof(options), .no_debug_info = true};
	uint64_t reg[REGISTERS] = {0}, head[HEAD_REGISTERS];
	struct mapping mappings[MAPPINGS_MOST];
	struct symbolizer *symbolizer;
	struct unwinder *unwinder;
	struct space *space;
	size_t elf_bytes, stack_bytes;
	uint8_t *stack;

	if (size < HEAD_BYTES)
		elf_bytes = stack_bytes = 0;
	else
		elf_bytes = (size_t)data[0] | (size_t)data[1] << 8;
	if (size < HEAD_BYTES || elf_bytes > size - HEAD_BYTES)
		return 0;
	stack_bytes = size - HEAD_BYTES - elf_bytes;
	stack = malloc(stack_bytes + 1);
	if (!stack || symbolizer_new(&options, &symbolizer) < 0 ||
		space_new(symbolizer, 0, &space) < 0 || unwinder_new(symbolizer, &unwinder) < 0)
		abort();
	memcpy(stack, data + HEAD_BYTES + elf_bytes, stack_bytes);
	memcpy(head, data + 4, sizeof(head));
	memcpy(data[2] & 1 ? reg + REGISTERS - HEAD_REGISTERS : reg, head, sizeof(head));
	space->n = map_segments(make_module(symbolizer, data + HEAD_BYTES, elf_bytes), mappings);
	space->mappings = mappings;

	struct unwind_input input = {.machine = data[2] & 1 ? EM_AARCH64 : EM_X86_64,
		.registers = data[2] & 1 ? REGISTERS : 17,
		.reg = reg,
		.pc = BASE + head[16] % 65536,
		.sp = STACK + (stack_bytes ? head[7] % stack_bytes : 0) / 8 * 8,
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
	run(unwinder, space, &input);
	space->mappings = NULL;
	unwinder_free(unwinder);
	space_free(space);
	symbolizer_free(symbolizer);
	free(stack);
	return 0;
}

/* A file without unwind tables, and a stack with three frame pointers, for each machine. */
size_t fuzz_seed(unsigned n, uint8_t *ret_data)
{
	enum { FP_X86_64 = 6, FP_AARCH64 = 29 - 16, STACK_WORDS = 16 };
	const Elf64_Phdr load = {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_memsz = 4096};
	const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = n ? EM_AARCH64 : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(load),
		.e_phnum = 1};
	const size_t file_bytes = sizeof(header) + sizeof(load);
	uint64_t head[HEAD_REGISTERS] = {[16] = 0x100}, stack[STACK_WORDS] = {0};

	if (n > 1)
		return 0;
	head[n ? FP_AARCH64 : FP_X86_64] = STACK + 16;
	for (uint64_t at = 2; at + 4 < STACK_WORDS; at += 4) {
		stack[at] = STACK + 8 * (at + 4);
		stack[at + 1] = BASE + 0x200 + at;
	}
	memset(ret_data, 0, HEAD_BYTES);
	ret_data[0] = (uint8_t)file_bytes;
	ret_data[2] = (uint8_t)(2 | n);
	memcpy(ret_data + 4, head, sizeof(head));
	memcpy(ret_data + HEAD_BYTES, &header, sizeof(header));
	memcpy(ret_data + HEAD_BYTES + sizeof(header), &load, sizeof(load));
	memcpy(ret_data + HEAD_BYTES + file_bytes, stack, sizeof(stack));
	return HEAD_BYTES + file_bytes + sizeof(stack);
}
