/* SPDX-License-Identifier: MIT */
/*
 * A library to preload: no thread with a stack of 128 KiB is to be had, so no waiter. Says on the
 * standard error that it refuses one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#define WAITER_STACK_BYTES (128 * 1024)

int pthread_create(pthread_t *ret_thread, const pthread_attr_t *attributes,
	void *(*begin)(void *argument), void *argument)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	size_t bytes = 0;

	*(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
	if (attributes && pthread_attr_getstacksize(attributes, &bytes) == 0 &&
		bytes == WAITER_STACK_BYTES) {
		(void)dprintf(STDERR_FILENO, "no waiter\n");
		return EAGAIN;
	}
	return create(ret_thread, attributes, begin, argument);
}
