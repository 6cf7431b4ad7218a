/* SPDX-License-Identifier: MIT */
#ifndef ANALYST_SYSCALLS_H
#define ANALYST_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

/* Writes "[syscall] read" to @to or, if unknown, "[syscall] #463". @machine: ELF e_machine. */
void syscalls_name(uint16_t machine, int32_t number, char *to, size_t room);

#endif
