/* SPDX-License-Identifier: MIT */
#include "tools/front/push_option.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { ADDRESS_MOST = 4096 };

/* Returns the '@' that ends user and password in a URL; NULL: there is none before @end. */
static char *user_end(const char *from, const char *end)
{
	return memrchr(from, '@', (size_t)(end - from));
}

bool push_option_is_address(const char *text)
{
	bool plain = strncasecmp(text, "http://", 7) == 0;
	const char *host, *end, *at;

	if (!plain && strncasecmp(text, "https://", 8) != 0)
		return false;
	host = text + (plain ? 7 : 8);
	end = host + strcspn(host, "/?#");
	at = user_end(host, end);
	if (at)
		host = at + 1;
	return host < end && *host != ':';
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
	char *host = strstr(url, "://"), *at, *colon;

	if (!host)
		return false;
	host += 3;
	at = user_end(host, host + strcspn(host, "/?#"));
	colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
	if (!colon || colon + 1 == at)
		return false;
	memset(colon + 1, '*', (size_t)(at - colon - 1));
	return true;
}
