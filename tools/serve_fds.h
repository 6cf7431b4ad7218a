/* SPDX-License-Identifier: MIT */
/* Descriptors that sprofil-server and sprofil-push are started with; -1 stands for none there. */
#ifndef TOOLS_SERVE_FDS_H
#define TOOLS_SERVE_FDS_H

enum {
	SERVE_REQUEST_FD = 3, /* requests to the supervisor are written here */
	SERVE_PIECES_FD = 4,  /* pieces come here */
	SERVE_LISTEN_FD = 5,  /* with --listen: it listens */
	SERVE_PUSH_FD = 6,    /* with --push: profiles go to (the server), come from here */
};

#endif
