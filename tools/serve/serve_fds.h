/* SPDX-License-Identifier: MIT */
/* Numbers of the descriptors that sprofil-server and sprofil-push inherit. */
#ifndef TOOLS_SERVE_SERVE_FDS_H
#define TOOLS_SERVE_SERVE_FDS_H

enum {
	SERVE_REQUEST_FD = 3, /* to the supervisor: requests */
	SERVE_PIECES_FD = 4,  /* from the analysts: pieces */
	SERVE_LISTEN_FD = 5,  /* with --listen: a listening socket */
	SERVE_PUSH_FD = 6,    /* with --push: profiles, from the server to sprofil-push */
};

#endif
