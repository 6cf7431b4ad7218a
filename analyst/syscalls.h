/* SPDX-License-Identifier: MIT */
/* Names of system calls. */
#ifndef ANALYST_SYSCALLS_H
#define ANALYST_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes the name of a system call to @to, cut to @room: "[syscall] read", or "[syscall] #463" if
 * the number is unknown (a newer kernel, or a thread of another machine: @machine is an ELF
 * e_machine).
 */
void syscalls_name(uint16_t machine, int32_t number, char *to, size_t room);

#endif
