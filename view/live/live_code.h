/* SPDX-License-Identifier: MIT */
/* Rows that are lines of text. */
#ifndef VIEW_LIVE_LIVE_CODE_H
#define VIEW_LIVE_LIVE_CODE_H

#include "view/live/live_internal.h"

/* Splits the page's text into lines, once, and adds a row for each. -ENOMEM. */
int live_code_rows(struct live *live, struct live_page *page);

#endif
