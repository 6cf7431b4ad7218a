/* SPDX-License-Identifier: MIT */
/* A pager between this program and the terminal. */
#ifndef TOOLS_REPORT_PAGER_H
#define TOOLS_REPORT_PAGER_H

#include <stdio.h>
#include <sys/types.h>

struct pager {
	FILE *out; /* the pager's input; without a pager, stdout */
	pid_t pid; /* 0: no pager */
	int error; /* errno of the first failed write */
};

/*
 * If stdout is a terminal, starts $PAGER, or `less -FRX` if installed; otherwise the output goes
 * directly to stdout. Ignores SIGPIPE: a reader that leaves early causes EPIPE. With a pager, also
 * ignores SIGINT: ^C is for the pager.
 */
void pager_open(struct pager *pager);

void pager_write(struct pager *pager, const void *text, size_t bytes);

/*
 * Ends the output and waits for the pager. 0, also if the reader left early; -errno of a failed
 * write; -ENOEXEC: the pager could not be started.
 */
int pager_close(struct pager *pager);

#endif
