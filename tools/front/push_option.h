/* SPDX-License-Identifier: MIT */
/* The address of a store of profiles. It may contain a password: http://user:password@host */
#ifndef TOOLS_FRONT_PUSH_OPTION_H
#define TOOLS_FRONT_PUSH_OPTION_H

#include <stdbool.h>

/* Is @text an HTTP address with a host? */
bool push_option_is_address(const char *text);

/*
 * Reads the address in the first line of the file @path, without surrounding blanks; the caller
 * frees it. NULL: *@ret_problem is the reason, a text that fits after "cannot use PATH: ".
 */
char *push_option_read(const char *path, const char **ret_problem);

/* Overwrites the password in @url, a word of the command line. False: it has none. */
bool push_option_hide(char *url);

#endif
