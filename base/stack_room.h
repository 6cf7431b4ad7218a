/* SPDX-License-Identifier: MIT */
/* A large stack, whatever `ulimit -s` permits: code that parses files has long local variables. */
#ifndef BASE_STACK_ROOM_H
#define BASE_STACK_ROOM_H

/*
 * Runs @run and returns its result. If the stack limit is below 1 MiB, @run gets a mapped stack of
 * 8 MiB. The limit is not raised: programs that we start and new threads would get it, too.
 */
int stack_room_run(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
