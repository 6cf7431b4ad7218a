/* SPDX-License-Identifier: MIT */
/*
 * The address of a store as given by the user. It may contain a password: http://user:password@host
 */
#ifndef TOOLS_FRONT_PUSH_OPTION_H
#define TOOLS_FRONT_PUSH_OPTION_H

#include <stdbool.h>

/* Is it an HTTP address, with a host? */
bool push_option_is_address(const char *text);

/*
 * Reads the address in the first line of the file @path, without surrounding blanks; the caller
 * frees it. NULL: *@ret_problem says why, as the end of "cannot use PATH: ".
 */
char *push_option_read(const char *path, const char **ret_problem);

/*
 * Overwrites the password in @url, a word of the command line: everybody who lists processes can
 * see it. False: there is no password.
 */
bool push_option_hide(char *url);

#endif
