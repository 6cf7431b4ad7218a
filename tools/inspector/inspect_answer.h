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
 * Takes the answer about one object, which is at the beginning of @data. Returns the answer's
 * length. -EPROTO: the answer is incomplete or malformed. -ENOMEM: memory is short. After both,
 * @object is unchanged. Release @object with code_forget().
 */
long inspect_answer_take(const uint8_t *data, size_t bytes, struct code_object *object);

/*
 * Takes the answer about a histogram. 0: success; the caller frees *@ret_profile. -EPROTO: the
 * answer is incomplete or malformed. -EINVAL: there is no profile; *@ret_why, a part of @data, says
 * why. -ENOMEM: memory is short.
 */
int inspect_answer_profile(
	const uint8_t *data, size_t bytes, struct profile **ret_profile, const char **ret_why);

#endif
