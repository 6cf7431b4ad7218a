/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_answer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/serve/serve_request.h"

enum MHD_Result answer_queue(struct MHD_Connection *connection, unsigned status, const char *type,
	struct MHD_Response *response)
{
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	(void)MHD_add_response_header(response, "Content-Type", type);
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, "Allow", "GET, HEAD");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		(void)MHD_add_response_header(response, "Retry-After", "5");
	if (status == MHD_HTTP_OK && type[0] == 'a')
		(void)MHD_add_response_header(
			response, "Content-Disposition", "attachment; filename=\"profile\"");
	/* If an answer has this header, pprof prints its text. */
	if (status != MHD_HTTP_OK)
		(void)MHD_add_response_header(response, "X-Go-Pprof", "1");
	r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return r;
}

enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
	return answer_queue(connection, status, "text/plain; charset=utf-8",
		MHD_create_response_from_buffer(
			strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY));
}

/* Escapes for HTML: a program's name is that of a file, with any characters. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"'", *text))
			(void)fprintf(out, "&#%d;", *text);
		else
			(void)fputc(*text, out);
	}
}

enum MHD_Result answer_index(struct MHD_Connection *connection, const char *name)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return MHD_NO;
	(void)fputs("<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>", out);
	put_escaped(out, name);
	(void)fputs(" /debug/pprof/</title></head><body><p>", out);
	put_escaped(out, name);
	(void)fprintf(out,
		" by sprofil</p><table><tr><td><a href=\"profile?seconds=%d\">profile</a></td>"
		"<td>CPU profile of the seconds from now on, 1 to %d: "
		"<code>profile?seconds=N</code>, for <code>go tool pprof</code> or "
		"<code>sprofreport</code></td></tr></table></body></html>\n",
		REQUEST_SECONDS, REQUEST_SECONDS_MOST);
	if (fclose(out) != 0) {
		free(text);
		return MHD_NO;
	}
	return answer_queue(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
		MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE));
}
