/* SPDX-License-Identifier: MIT */
/* opened FILE... -- COMMAND...: runs COMMAND; prints each FILE that a process opened meanwhile. */
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 16 };

int main(int argc, char **argv)
{
	int notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), n = 0, status, watch[MOST];
	_Alignas(struct inotify_event) char events[8192];
	pid_t pid;
	ssize_t got;

	for (; n + 1 < argc && n < MOST && strcmp(argv[n + 1], "--") != 0; n++)
		watch[n] = inotify_add_watch(notify, argv[n + 1], IN_OPEN);
	if (notify < 0 || n + 2 >= argc || (pid = fork()) < 0)
		return 2;
	if (pid == 0) {
		(void)execv(argv[n + 2], argv + n + 2);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0)
		return 2;
	while ((got = read(notify, events, sizeof(events))) > 0) {
		for (ssize_t at = 0; at < got;) {
			const struct inotify_event *event = (const void *)(events + at);

			for (int i = 0; i < n; i++) {
				if (watch[i] == event->wd)
					(void)printf("opened: %s\n", argv[i + 1]);
			}
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
