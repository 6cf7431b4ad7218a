/* SPDX-License-Identifier: MIT */
#ifndef VIEW_AUDIT_FAULTS_H
#define VIEW_AUDIT_FAULTS_H

#include <stdbool.h>
#include <stdio.h>

struct profile;

/*
 * A line about CPU time that the kernel took outside of system calls, for page faults and
 * interrupts: no stop can tell it from the program's own, so it is a part of other rows. Nothing if
 * it is less than a twentieth of the time, or less than twice its 95 % error.
 */
void audit_faults_print(const struct profile *profile, bool ascii, FILE *out);

#endif
