/* SPDX-License-Identifier: MIT */
/* The rows of a view that is a text. */
#ifndef VIEW_LIVE_LIVE_CODE_H
#define VIEW_LIVE_LIVE_CODE_H

#include "view/live/live_internal.h"

/* Adds a row for each line of page->text, which is split at the first call. 0 or -ENOMEM. */
int live_code_rows(struct live *live, struct live_page *page);

#endif
