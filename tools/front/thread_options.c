/* SPDX-License-Identifier: MIT */
#include "tools/front/thread_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "supervisor/os/proc_status.h"
#include "tools/front/front.h"

void thread_options_take_name(struct thread_options *o, const char *program, const char *value)
{
	char problem[128];
	int error;

	if (!value[0])
		front_reject(program, "bad thread name", value,
			"give a regular expression, like 'worker' or '^io-[0-9]+$'");
	if (o->name)
		regfree(&o->regex);
	error = regcomp(&o->regex, value, REG_EXTENDED | REG_NOSUB);
	if (error) {
		(void)regerror(error, &o->regex, problem, sizeof(problem));
		front_reject(program, "bad thread name", value, problem);
	}
	o->name = value;
}

void thread_options_take_tids(struct thread_options *o, const char *program, const char *value)
{
	int *list;
	size_t n;

	if (units_pids(value, &list, &n) < 0)
		front_reject(program, "bad list of threads", value,
			"give thread ids, like 123 or 123,456 (ls /proc/PID/task)");
	free(o->list);
	o->list = list;
	o->n = n;
	o->tid = value;
}

void thread_options_processes(
	const struct thread_options *o, const char *program, int **ret_list, size_t *ret_n)
{
	int *list = o->n ? calloc(o->n, sizeof(*list)) : NULL, pid, parent;
	size_t n = 0, same;

	if (o->n && !list) {
		front_complain(program, "cannot look for threads: %s", strerror(ENOMEM));
		exit(FRONT_OURS);
	}
	for (size_t i = 0; i < o->n; i++) {
		if (proc_status_read_ids(o->list[i], &pid, &parent) < 0) {
			front_complain(program, "no thread %d runs", o->list[i]);
			exit(FRONT_OURS);
		}
		for (same = 0; same < n && list[same] != pid;)
			same++;
		list[same] = pid;
		n += same == n;
	}
	*ret_list = list;
	*ret_n = n;
}

const struct choice_rule *thread_options_rule(struct thread_options *o)
{
	if (!o->name && !o->n)
		return NULL;
	if (o->name && o->n)
		(void)snprintf(o->text, sizeof(o->text),
			"threads whose name matches '%.60s', and threads %.40s", o->name, o->tid);
	else if (o->name)
		(void)snprintf(
			o->text, sizeof(o->text), "threads whose name matches '%.100s'", o->name);
	else
		(void)snprintf(o->text, sizeof(o->text), "%s %.100s",
			o->n == 1 ? "thread" : "threads", o->tid);
	o->rule = (struct choice_rule){o->name ? &o->regex : NULL, o->list, o->n};
	return &o->rule;
}

size_t thread_options_arguments(const struct thread_options *o, const char **argv)
{
	size_t n = 0;

	if (!o->text[0])
		return 0;
	argv[n++] = "--threads";
	argv[n++] = o->text;
	if (o->name) {
		argv[n++] = "--thread-name";
		argv[n++] = o->name;
	}
	if (o->tid) {
		argv[n++] = "--tid";
		argv[n++] = o->tid;
	}
	return n;
}

void thread_options_release(struct thread_options *o)
{
	if (o->name)
		regfree(&o->regex);
	free(o->list);
	*o = (struct thread_options){0};
}
