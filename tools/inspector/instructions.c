/* SPDX-License-Identifier: MIT */
#include "tools/inspector/instructions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#include <elf.h>
#include <stdbool.h>
#include <string.h>

/* The most bytes of a function that are disassembled: a longer function is cut. */
#define CODE_BYTES_MOST ((size_t)256 << 10)

/*
 * Opens the disassembler. SKIPDATA: bytes that are no instruction are shown as ".byte", and do not
 * end the disassembly.
 */
static int open_machine(unsigned machine, csh *ret_handle)
{
	cs_err error = CS_ERR_ARCH;

	switch (machine) {
	case EM_X86_64: error = cs_open(CS_ARCH_X86, CS_MODE_64, ret_handle); break;
	case EM_386: error = cs_open(CS_ARCH_X86, CS_MODE_32, ret_handle); break;
	case EM_AARCH64: error = cs_open(CS_ARCH_ARM64, CS_MODE_ARM, ret_handle); break;
	case EM_ARM: error = cs_open(CS_ARCH_ARM, CS_MODE_ARM, ret_handle); break;
	default: break;
	}
	if (error != CS_ERR_OK)
		return error == CS_ERR_MEM ? -ENOMEM : -ENOTSUP;
	(void)cs_option(*ret_handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	(void)cs_option(*ret_handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	(void)cs_option(*ret_handle, CS_OPT_DETAIL, CS_OPT_ON);
	return 0;
}

/*
 * Is the instruction a jump or call with a fixed address? Then its only operand is that address (on
 * ARM: "#0x1030"), which *@ret_target gets.
 */
static bool leads_to(csh handle, const cs_insn *insn, uint64_t *ret_target)
{
	const char *text = insn->op_str + (insn->op_str[0] == '#');
	char *end;

	if (!insn->id ||
		(!cs_insn_group(handle, insn, CS_GRP_JUMP) &&
			!cs_insn_group(handle, insn, CS_GRP_CALL)))
		return false;
	*ret_target = strtoull(text, &end, 0);
	return end != text && *end == '\0';
}

enum { TEXT_BYTES = 1024 };

static void describe(csh handle, struct module *module, const cs_insn *insn, char text[TEXT_BYTES])
{
	int n = snprintf(text, TEXT_BYTES, insn->op_str[0] ? "%-7s %s" : "%s%s", insn->mnemonic,
		insn->op_str);
	uint64_t target, offset;
	const char *name;

	if (n < 0 || n >= TEXT_BYTES || !leads_to(handle, insn, &target))
		return;
	name = symbolizer_function_at(&(struct code_location){module, target}, &offset);
	if (name && offset)
		(void)snprintf(
			text + n, (size_t)(TEXT_BYTES - n), " <%s+0x%" PRIx64 ">", name, offset);
	else if (name)
		(void)snprintf(text + n, (size_t)(TEXT_BYTES - n), " <%s>", name);
}

int instructions_walk(const struct code_location *start, uint64_t end, const char *file,
	int (*each)(void *context, uint64_t svma, const char *text), void *context,
	char **ret_problem)
{
	unsigned machine = EM_NONE;
	size_t bytes = 0;
	const uint8_t *code = start->module ? symbolizer_code(start, &bytes, &machine) : NULL;
	char text[TEXT_BYTES];
	uint64_t at = start->svma;
	cs_insn *insn;
	csh handle;
	int r;

	if (!code)
		return text_refuse(
			ret_problem, -ENOENT, "the instructions in %s cannot be read", file);
	if (bytes > end - at)
		bytes = (size_t)(end - at);
	if (bytes > CODE_BYTES_MOST)
		bytes = CODE_BYTES_MOST;
	r = open_machine(machine, &handle);
	if (r == -ENOTSUP)
		return text_refuse(
			ret_problem, r, "the instructions of this machine are not known");
	if (r < 0)
		return r;
	insn = cs_malloc(handle);
	r = insn ? 0 : -ENOMEM;
	while (r >= 0 && cs_disasm_iter(handle, &code, &bytes, &at, insn)) {
		describe(handle, start->module, insn, text);
		r = each(context, insn->address, text);
	}
	if (insn)
		cs_free(insn, 1);
	(void)cs_close(&handle);
	return r;
}

#else

int instructions_walk(const struct code_location *start, uint64_t end, const char *file,
	int (*each)(void *context, uint64_t svma, const char *text), void *context,
	char **ret_problem)
{
	(void)start;
	(void)end;
	(void)each;
	(void)context;
	return text_refuse(ret_problem, -ENOTSUP,
		"the instructions of %s cannot be shown: this program was built without capstone "
		"(Debian: libcapstone-dev)",
		file);
}

#endif

static int print_one(void *context, uint64_t address, const char *text)
{
	return fprintf(context, "%8" PRIx64 ":\t%s\n", address, text) < 0 ? -ENOMEM : 0;
}

int instructions_print(const struct code_location *start, uint64_t end, const char *file,
	char **ret_text, char **ret_problem)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int r;

	if (!out)
		return -ENOMEM;
	r = instructions_walk(start, end, file, print_one, out, ret_problem);
	if (fclose(out) != 0 && r >= 0)
		r = -ENOMEM;
	if (r < 0)
		free(text);
	else
		*ret_text = text;
	return r;
}
