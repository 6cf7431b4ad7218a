/* SPDX-License-Identifier: MIT */
/* Adds a record to the analyst and its profile. */
#ifndef ANALYST_TAKE_H
#define ANALYST_TAKE_H

struct analyst;
struct record;

/* 0, 1 at RECORD_END, or -ENOMEM. Calls the options' callbacks if a record requests that. */
int take_record(struct analyst *analyst, const struct record *rec);

#endif
