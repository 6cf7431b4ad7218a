/* SPDX-License-Identifier: MIT */
/* A pager between us and the terminal. */
#ifndef TOOLS_PAGER_H
#define TOOLS_PAGER_H

#include <stdio.h>
#include <sys/types.h>

struct pager {
	FILE *out; /* stdout when there is no pager */
	pid_t pid; /* 0 no pager */
	int error; /* errno of the first write that failed */
};

/*
 * Starts $PAGER, or `less -FRX` if that is installed, when stdout is a terminal; else the output
 * goes to stdout as it is. Ignores SIGPIPE: a reader that leaves early is an EPIPE; and, with a
 * pager, SIGINT: ^C is for it.
 */
void pager_open(struct pager *pager);

void pager_write(struct pager *pager, const void *text, size_t bytes);

/*
 * Ends the output and waits for the pager. 0, also when the reader has left early; -errno of a
 * write that failed; -ENOEXEC: the pager could not be started.
 */
int pager_close(struct pager *pager);

#endif
