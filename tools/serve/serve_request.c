/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_request.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool request_seconds(const char *text, unsigned *ret_seconds)
{
	unsigned long seconds;

	if (!text) {
		*ret_seconds = REQUEST_SECONDS;
		return true;
	}
	if (!text[0] || strlen(text) > 6 || text[strspn(text, "0123456789")])
		return false;
	seconds = strtoul(text, NULL, 10);
	if (!seconds || seconds > REQUEST_SECONDS_MOST)
		return false;
	*ret_seconds = (unsigned)seconds;
	return true;
}

bool request_host_is_loopback(const char *host)
{
	char name[64];
	struct in_addr four;
	struct in6_addr six;
	const char *end;
	size_t bytes;

	if (!host)
		return true;
	if (host[0] == '[') {
		end = strchr(++host, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
	} else {
		end = host + strcspn(host, ":");
	}
	bytes = (size_t)(end - host);
	if (!bytes || bytes >= sizeof(name))
		return false;
	memcpy(name, host, bytes);
	name[bytes] = '\0';
	return strcasecmp(name, "localhost") == 0 || inet_pton(AF_INET6, name, &six) == 1 ||
		inet_pton(AF_INET, name, &four) == 1;
}
