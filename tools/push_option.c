/* SPDX-License-Identifier: MIT */
#include "tools/push_option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ADDRESS_MOST = 4096 };

/* With a host: what is in front of it, up to an @, is the user. */
bool push_option_is_address(const char *text)
{
	size_t scheme = strncasecmp(text, "http://", 7) == 0 ? 7
		: strncasecmp(text, "https://", 8) == 0      ? 8
							     : 0;
	const char *host = text + scheme;
	size_t n = strcspn(host, "/?#");

	for (size_t i = n; i-- > 0;) {
		if (host[i] == '@') {
			host += i + 1;
			n -= i + 1;
			break;
		}
	}
	return scheme && n && *host != ':';
}

char *push_option_read(const char *path, const char **ret_problem)
{
	static const char blanks[] = " \t\r\n";
	char text[ADDRESS_MOST], *from, *address = NULL;
	FILE *file = fopen(path, "re");

	if (!file || !fgets(text, sizeof(text), file)) {
		*ret_problem = !file || ferror(file) ? strerror(errno) : "it is empty";
	} else if (strlen(text) == sizeof(text) - 1) {
		*ret_problem = "its first line is longer than an address";
	} else {
		from = text + strspn(text, blanks);
		for (size_t n = strlen(from); n && strchr(blanks, from[n - 1]); n--)
			from[n - 1] = '\0';
		if (push_option_is_address(from)) {
			address = strdup(from);
			*ret_problem = "no memory";
		} else {
			*ret_problem = "its first line is no URL of a store, like "
				       "http://user:password@127.0.0.1:4040";
		}
	}
	if (file)
		(void)fclose(file);
	return address;
}

bool push_option_hide(char *url)
{
	char *host = strstr(url, "://"), *end, *at = NULL, *colon;

	if (!host)
		return false;
	host += 3;
	end = host + strcspn(host, "/?#");
	for (char *p = host; p < end; p++) {
		if (*p == '@')
			at = p;
	}
	colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
	if (!colon || colon + 1 == at)
		return false;
	memset(colon + 1, '*', (size_t)(at - colon - 1));
	return true;
}
