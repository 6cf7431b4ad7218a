/* SPDX-License-Identifier: MIT */
#ifndef VIEW_AUDIT_FAULTS_H
#define VIEW_AUDIT_FAULTS_H

#include <stdbool.h>
#include <stdio.h>

struct profile;

/*
 * Prints the kernel's CPU time in page faults and interrupts, if it is at least 5 % of the CPU time
 * and twice its 95 % error. A thread stopped there seems to be in the program's code: this time is
 * in the rows of the program's functions.
 */
void audit_faults_print(const struct profile *profile, bool ascii, FILE *out);

#endif
