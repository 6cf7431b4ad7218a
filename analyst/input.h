/* SPDX-License-Identifier: MIT */
/* Sources of records: the ring, or a capture file. */
#ifndef ANALYST_INPUT_H
#define ANALYST_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "proto/ring.h"

struct analyst;

/*
 * Takes records from the ring until RECORD_END, or until @bell_fd closes because the supervisor is
 * gone. @bell_fd: the non-blocking pipe by which the supervisor wakes the analyst. Copies each
 * record to @capture first, unless that is NULL. *@ret_capture_error: -errno of a failed write to
 * @capture, which does not end the analysis; 0: none failed. -EPROTO: the ring is broken, and the
 * records before are in the analysis; -ENOMEM.
 */
int input_ring(struct analyst *analyst, struct ring *ring, int bell_fd, FILE *capture,
	int *ret_capture_error);

/*
 * Takes the available records without waiting. 1: RECORD_END was among them; -EPROTO: the ring is
 * broken; -ENOMEM.
 */
int input_ready(struct analyst *analyst, struct ring *ring, FILE *capture, int *capture_error);

/* Empties the doorbell. False: it has closed, the supervisor is gone. */
bool input_bell(int bell_fd);

/*
 * Takes the records of the capture file @fd. -EBADMSG: not a capture; -EPROTO: it ends within a
 * record; earlier records count.
 */
int input_capture(struct analyst *analyst, int fd);

#endif
