/* SPDX-License-Identifier: MIT */
#ifndef VIEW_AUDIT_FAULTS_H
#define VIEW_AUDIT_FAULTS_H

#include <stdbool.h>
#include <stdio.h>

struct profile;

/*
 * Prints a line about the kernel's CPU time outside of system calls, in page faults and interrupts.
 * A thread that is stopped there seems to be in the program's own code, so this time is in the rows
 * of the program's functions. Nothing is printed if it is less than 5 % of the CPU time, or less
 * than twice its 95 % error.
 */
void audit_faults_print(const struct profile *profile, bool ascii, FILE *out);

#endif
