/* SPDX-License-Identifier: MIT */
/* Decodes answers of sprofil-inspector (proto/inspection.h) for reports (view/code.h). */
#ifndef TOOLS_INSPECTOR_INSPECT_ANSWER_H
#define TOOLS_INSPECTOR_INSPECT_ANSWER_H

#include <stddef.h>
#include <stdint.h>

struct code_object;
struct profile;

/* Sets all texts to "", which means unknown. */
void inspect_answer_init(struct code_object *object);

/*
 * Takes the answer about one object from the front of @data; returns its length. -EPROTO:
 * incomplete or malformed; @object is unchanged. -ENOMEM. Release @object with code_forget().
 */
long inspect_answer_take(const uint8_t *data, size_t bytes, struct code_object *object);

/*
 * Takes the answer about a histogram. 0: the caller frees the profile. -EPROTO: incomplete or
 * malformed. -EINVAL: *@ret_why, a part of @data, says why there is no profile. -ENOMEM.
 */
int inspect_answer_profile(
	const uint8_t *data, size_t bytes, struct profile **ret_profile, const char **ret_why);

#endif
