/* SPDX-License-Identifier: MIT */
/* The answers of the server's HTTP. MHD_NO: out of memory; the connection is then closed. */
#ifndef TOOLS_SERVE_ANSWER_H
#define TOOLS_SERVE_ANSWER_H

#include <microhttpd.h>

/* Answers with @response, which it takes ownership of; NULL: out of memory. */
enum MHD_Result answer_queue(struct MHD_Connection *connection, unsigned status, const char *type,
	struct MHD_Response *response);
/* Answers with a line of text. */
enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text);
/* Answers with the page that leads to the profile of the program @name (any characters). */
enum MHD_Result answer_index(struct MHD_Connection *connection, const char *name);

#endif
