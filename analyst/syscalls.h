/* SPDX-License-Identifier: MIT */
/* Names of system calls. */
#ifndef ANALYST_SYSCALLS_H
#define ANALYST_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

/*
 * "[syscall] read", or "[syscall] #463" if the number is unknown (a newer kernel, or a thread of
 * another machine: @machine is an ELF e_machine). Cut to @room.
 */
void syscalls_name(uint16_t machine, int32_t number, char *to, size_t room);

#endif
