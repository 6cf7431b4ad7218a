/* SPDX-License-Identifier: MIT */
#include "tools/serve/push_url.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 128 && (isalnum(c) || strchr("-._~", c)))
			(void)fputc(c, out);
		else
			(void)fprintf(out, "%%%02X", c);
	}
}

/* Does @query ("a=b&c=d") have a parameter @key? */
static bool has(const char *query, const char *key)
{
	size_t bytes = strlen(key);

	while (query && *query) {
		if (strncmp(query, key, bytes) == 0 && query[bytes] == '=')
			return true;
		query = strchr(query, '&');
		query = query ? query + 1 : NULL;
	}
	return false;
}

static void put_key(FILE *out, const char *query, const char *key, const char *value)
{
	if (has(query, key))
		return;
	(void)fprintf(out, "&%s=", key);
	put_escaped(out, value);
}

char *push_url(const char *url, const char *name, uint64_t from, uint64_t until)
{
	const char *scheme = strstr(url, "://"), *host = scheme ? scheme + 3 : url;
	const char *path = host + strcspn(host, "/?#");
	const char *mark = strchr(path, '?'), *query = mark ? mark + 1 : NULL;
	const char *path_end = path + strcspn(path, "?#");
	bool bare = path_end - path <= 1;
	size_t query_bytes = query ? strcspn(query, "#") : 0;
	char *own = query ? strndup(query, query_bytes) : NULL, *text = NULL;
	char number[24];
	size_t bytes;
	FILE *out;

	if (query && !own)
		return NULL;
	out = open_memstream(&text, &bytes);
	if (out) {
		(void)fprintf(out, "%.*s%s?", (int)((bare ? path : path_end) - url), url,
			bare ? "/ingest" : "");
		(void)fprintf(out, "format=pprof");
		if (own && own[0])
			(void)fprintf(out, "&%s", own);
		put_key(out, own, "name", name);
		(void)snprintf(number, sizeof(number), "%" PRIu64, from);
		put_key(out, own, "from", number);
		(void)snprintf(number, sizeof(number), "%" PRIu64, until);
		put_key(out, own, "until", number);
		put_key(out, own, "spyName", "sprofil");
		if (fclose(out) != 0) {
			free(text);
			text = NULL;
		}
	}
	free(own);
	return text;
}
