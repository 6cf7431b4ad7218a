/* SPDX-License-Identifier: MIT */
#include "tools/serve/serve_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

/* TCP keep-alive: seconds before the first probe and between probes; number of probes. */
enum { KEEPALIVE_SECONDS = 15, KEEPALIVE_MOST = 4 };

bool socket_is_loopback(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} address = {0};
	socklen_t bytes = sizeof(address);

	if (getsockname(fd, &address.any, &bytes) < 0)
		return true;
	if (address.any.sa_family == AF_INET)
		return ntohl(address.four.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return address.any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&address.six.sin6_addr);
}

void socket_begin_listening(int fd)
{
	int on = 1, seconds = KEEPALIVE_SECONDS, most = KEEPALIVE_MOST;

	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &most, sizeof(most));
}
