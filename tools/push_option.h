/* SPDX-License-Identifier: MIT */
/* The address of a store as the user gives it. It may hold a password: http://user:password@host */
#ifndef TOOLS_PUSH_OPTION_H
#define TOOLS_PUSH_OPTION_H

#include <stdbool.h>

/* Is it an address of HTTP? */
bool push_option_is_address(const char *text);

/*
 * The address that is the first line of the file @path, without blanks around it; the caller frees
 * it. NULL: *@ret_problem says why, for who reads "cannot use PATH: ".
 */
char *push_option_read(const char *path, const char **ret_problem);

/*
 * Overwrites the password in @url, which is a word of the command line and can be seen by everybody
 * who lists processes. False: there is none.
 */
bool push_option_hide(char *url);

#endif
