/* SPDX-License-Identifier: MIT */
/* The server's HTTP answers. If out of memory, they return MHD_NO: the connection is closed. */
#ifndef TOOLS_SERVE_ANSWER_H
#define TOOLS_SERVE_ANSWER_H

#include <microhttpd.h>

/* Takes ownership of @response; NULL: out of memory. */
enum MHD_Result answer_queue(struct MHD_Connection *connection, unsigned status, const char *type,
	struct MHD_Response *response);
enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text);
/* Answers with the page that links to the profile of the program @name (any characters). */
enum MHD_Result answer_index(struct MHD_Connection *connection, const char *name);

#endif
