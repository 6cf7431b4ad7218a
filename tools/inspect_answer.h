/* SPDX-License-Identifier: MIT */
/* What sprofil-inspector answers (proto/inspection.h), as reports take it (view/code.h). */
#ifndef TOOLS_INSPECT_ANSWER_H
#define TOOLS_INSPECT_ANSWER_H

#include <stddef.h>
#include <stdint.h>

struct code_object;
struct profile;

/* "": nothing is known of it. */
void inspect_answer_init(struct code_object *object);

/*
 * Takes the answer about one object off the front of @data; returns its length. -EPROTO: it is not
 * whole, or not well-formed; the object is as it was then. -ENOMEM. To be given to code_forget().
 */
long inspect_answer_take(const uint8_t *data, size_t bytes, struct code_object *object);

/*
 * What is answered about a histogram. -EPROTO as above. -EINVAL: *ret_why, which stands in @data,
 * says why there is no profile. -ENOMEM. The caller frees the profile.
 */
int inspect_answer_profile(
	const uint8_t *data, size_t bytes, struct profile **ret_profile, const char **ret_why);

#endif
