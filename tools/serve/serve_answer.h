/* SPDX-License-Identifier: MIT */
/* The answers of the server's HTTP. MHD_NO: out of memory; the connection is then closed. */
#ifndef TOOLS_SERVE_ANSWER_H
#define TOOLS_SERVE_ANSWER_H

#include <microhttpd.h>

/* Takes ownership of @response, which may be NULL. */
enum MHD_Result answer_queue(struct MHD_Connection *connection, unsigned status, const char *type,
	struct MHD_Response *response);
/* A line of text. */
enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text);
/* The page that leads to the profile of the program @name, which may contain any character. */
enum MHD_Result answer_index(struct MHD_Connection *connection, const char *name);

#endif
