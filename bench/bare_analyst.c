/* SPDX-License-Identifier: MIT */
/*
 * For bench/sandbox_cost.sh: an analyst without a sandbox, which opens files itself. Its sources
 * are linked (ld --wrap) with these functions instead of those that ask the opener. The opener
 * still opens output files and files of just-in-time compilers. Never installed.
 */
#include <stdio.h>

#include "opener/opener.h"
#include "tools/sandbox/sandbox.h"

int __real_opener_ask(struct opener *opener, struct opening *what, struct opened *ret_opened);
int __real_opener_ask_path(struct opener *opener, uint32_t kind, uint32_t pid, const char *path,
	struct opened *ret_opened);
int __wrap_opener_ask(struct opener *opener, struct opening *what, struct opened *ret_opened);
int __wrap_opener_ask_path(struct opener *opener, uint32_t kind, uint32_t pid, const char *path,
	struct opened *ret_opened);
void __wrap_sandbox_enter(struct sandbox *ret_sandbox);

static struct opener *opener_of(struct opener *opener, uint32_t kind)
{
	switch (kind) {
	case OPENING_MAPPED:
	case OPENING_IMAGE:
	case OPENING_VDSO:
	case OPENING_CODE:
	case OPENING_ELF:
	case OPENING_STAT:
	case OPENING_STATM:
	case OPENING_SOURCE: return NULL;
	default: return opener;
	}
}

int __wrap_opener_ask(struct opener *opener, struct opening *what, struct opened *ret_opened)
{
	return __real_opener_ask(opener_of(opener, what->kind), what, ret_opened);
}

int __wrap_opener_ask_path(struct opener *opener, uint32_t kind, uint32_t pid, const char *path,
	struct opened *ret_opened)
{
	return __real_opener_ask_path(opener_of(opener, kind), kind, pid, path, ret_opened);
}

void __wrap_sandbox_enter(struct sandbox *s)
{
	*s = (struct sandbox){0};
	(void)snprintf(s->lacks, sizeof(s->lacks), "all of it (bench/bare_analyst.c)");
}
