/* SPDX-License-Identifier: MIT */
/*
 * A large stack for programs that read foreign files, whatever `ulimit -s` permits: requests, paths
 * and the libraries that parse files have long local variables.
 */
#ifndef BASE_STACK_ROOM_H
#define BASE_STACK_ROOM_H

/*
 * Calls @run and returns its result. If the limit of stacks is less than 1 MiB, @run has a stack of
 * 8 MiB from mmap(2). The limit itself is not changed, as programs that we start inherit it.
 * Threads that @run starts still have stacks as long as the limit, unless it sets another size for
 * them.
 */
int stack_room_run(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
