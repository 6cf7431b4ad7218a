/* SPDX-License-Identifier: MIT */
/*
 * Programs that read files of others need more than the smallest stacks that users may set with
 * `ulimit -s`: requests, paths and the libraries that parse files have long local variables.
 */
#ifndef BASE_STACK_ROOM_H
#define BASE_STACK_ROOM_H

/*
 * Calls @run, and returns its result. If the limit of stacks is less than 1 MiB, it runs on memory
 * of its own: the limit, which programs that we start inherit, stays as it is. Stacks of threads
 * are as long as the limit if nothing else is asked for.
 */
int stack_room_run(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
