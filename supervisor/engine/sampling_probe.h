/* SPDX-License-Identifier: MIT */
/*
 * What the sampler asks about the target and the machine, answered from /proc and from the threads
 * that wait on the CPUs. The context is the engine; a thread's owner is its struct tracee.
 */
#ifndef SUPERVISOR_SAMPLING_PROBE_H
#define SUPERVISOR_SAMPLING_PROBE_H

extern const struct probe sampling_probe;

#endif
