/* SPDX-License-Identifier: MIT */
/* A large stack, whatever `ulimit -s` permits: code that parses files has long local variables. */
#ifndef BASE_STACK_ROOM_H
#define BASE_STACK_ROOM_H

/*
 * Returns the result of @run, which gets a mapped stack of 8 MiB if the stack limit is below 1 MiB.
 * The limit stays as it is: programs that we start inherit it, and stacks of new threads follow it.
 */
int stack_room_run(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
