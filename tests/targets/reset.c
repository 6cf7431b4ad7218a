/* SPDX-License-Identifier: MIT */
/*
 * reset TIMES: receives with MSG_WAITALL, TIMES times. The peer, a child, sends some bytes, then
 * disturbs the call by an ignored signal, and resets the connection. The program must learn of the
 * reset: from that call, or, as without a tracer, from the next one. Prints how often it found an
 * end of the stream instead, and ends with 0 if never.
 */
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SENT = 100 };

static char in[1 << 20];

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

/* Does the process sleep, with no signal pending? */
static bool is_asleep(int pid)
{
	char path[32], line[256];
	bool asleep = false;
	FILE *status;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "r");
	if (!status)
		die(path);
	while (fgets(line, sizeof(line), status)) {
		if (strncmp(line, "State:\tS", 8) == 0)
			asleep = true;
		else if (strncmp(line, "ShdPnd:", 7) == 0 && strtoull(line + 7, NULL, 16))
			asleep = false;
	}
	(void)fclose(status);
	return asleep;
}

static void wait_until_asleep(int pid)
{
	const struct timespec moment = {0, 1000000};

	while (!is_asleep(pid))
		(void)nanosleep(&moment, NULL);
}

static void be_peer(const struct sockaddr_in *address, int receiver)
{
	const struct linger reset = {1, 0};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const void *)address, sizeof(*address)) < 0 ||
		send(fd, in, SENT, 0) != SENT)
		die("peer");
	wait_until_asleep(receiver);
	(void)kill(receiver, SIGWINCH);
	wait_until_asleep(receiver);
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) < 0)
		die("linger");
	_exit(0);
}

static bool is_swallowed(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t bytes = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd, pid;
	ssize_t n;

	if (listener < 0 || bind(listener, (void *)&address, bytes) < 0 ||
		listen(listener, 1) < 0 || getsockname(listener, (void *)&address, &bytes) < 0)
		die("listen");
	pid = fork();
	if (pid == 0)
		be_peer(&address, getppid());
	fd = accept(listener, NULL, NULL);
	if (pid < 0 || fd < 0)
		die("accept");
	n = recv(fd, in, sizeof(in), MSG_WAITALL);
	if (n >= 0)
		n = recv(fd, in, sizeof(in), MSG_WAITALL);
	if (n < 0 && errno != ECONNRESET)
		die("recv");
	(void)close(fd);
	(void)close(listener);
	(void)waitpid(pid, NULL, 0);
	return n >= 0;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1, swallowed = 0;

	for (int i = 0; i < times; i++)
		swallowed += is_swallowed();
	(void)printf("%d of %d resets are swallowed\n", swallowed, times);
	return swallowed != 0;
}
