/* SPDX-License-Identifier: MIT */
#include "analyst/syscalls.h"

#include <elf.h>
#include <stdio.h>

static const char *const names[] = {
#include "analyst/syscall_names.h"
};

#if defined(__x86_64__) && !defined(__ILP32__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

void syscalls_name(uint16_t machine, int32_t number, char *to, size_t room)
{
	size_t index = (size_t)number;

	if (machine == OWN_MACHINE && number >= 0 && index < sizeof(names) / sizeof(*names) &&
		names[index])
		(void)snprintf(to, room, "[syscall] %s", names[index]);
	else
		(void)snprintf(to, room, "[syscall] #%d", number);
}
