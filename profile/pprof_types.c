/* SPDX-License-Identifier: MIT */
#include "profile/pprof_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/pprof_labels.h"

static const struct {
	const char *unit;
	int64_t ns;
} time_units[] = {
	{"nanoseconds", 1},
	{"nanosecond", 1},
	{"ns", 1},
	{"microseconds", 1000},
	{"us", 1000},
	{"milliseconds", 1000000},
	{"ms", 1000000},
	{"seconds", 1000000000},
	{"s", 1000000000},
};

int64_t pprof_types_ns(const char *unit)
{
	for (size_t i = 0; i < sizeof(time_units) / sizeof(*time_units); i++) {
		if (!strcmp(time_units[i].unit, unit))
			return time_units[i].ns;
	}
	return 0;
}

int pprof_types_column(struct profile *profile, const char *type, const char *unit,
	struct pprof_column *ret_column)
{
	int64_t ns = pprof_types_ns(unit);
	int value;

	if ((!strcmp(type, "samples") || !strcmp(type, "sample")) && !strcmp(unit, "count"))
		value = VALUE_SAMPLES;
	else if (!strcmp(type, "cpu") && ns)
		value = VALUE_CPU_NS;
	else
		value = profile_add_value_type(profile, type, unit);
	if (value < 0)
		return value;
	*ret_column = (struct pprof_column){value, value == VALUE_CPU_NS ? ns : 1};
	return 0;
}

int64_t pprof_types_times(int64_t value, int64_t factor)
{
	int64_t product;

	if (__builtin_mul_overflow(value, factor, &product))
		return (value < 0) == (factor < 0) ? INT64_MAX : INT64_MIN;
	return product;
}

enum task_field { TASK_PID, TASK_TID, TASK_PROCESS, TASK_THREAD, TASK_NOTHING };

/*
 * Labels about the task: those that sprofil writes, and those of perf_data_converter, the agents of
 * Parca and Pyroscope, py-spy, pprof-rs. @number, @text: which field of the task the label sets if
 * its value is a number or a text.
 */
static const struct {
	const char *key;
	enum task_field number, text;
} labels[] = {
	{PPROF_LABEL_PID, TASK_PID, TASK_PID},
	{"process_id", TASK_PID, TASK_PID},
	{PPROF_LABEL_TID, TASK_TID, TASK_TID},
	{"thread_id", TASK_TID, TASK_TID},
	{"thread id", TASK_TID, TASK_TID},
	{PPROF_LABEL_PROCESS, TASK_PID, TASK_PROCESS},
	{"comm", TASK_NOTHING, TASK_PROCESS},
	{"process_name", TASK_NOTHING, TASK_PROCESS},
	{PPROF_LABEL_THREAD, TASK_TID, TASK_THREAD},
	{"thread_comm", TASK_NOTHING, TASK_THREAD},
	{"thread_name", TASK_NOTHING, TASK_THREAD},
	{"thread name", TASK_NOTHING, TASK_THREAD},
};

static uint32_t id_of(const char *text, int64_t number)
{
	char *end = NULL;

	if (text) {
		errno = 0;
		number = strtoll(text, &end, 10);
		if (errno || end == text || *end)
			return 0;
	}
	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Is it a label of our writer? */
static bool is_ours(const char *key, const char *text)
{
	return text ? !strcmp(key, PPROF_LABEL_PROCESS) || !strcmp(key, PPROF_LABEL_THREAD)
		    : !strcmp(key, PPROF_LABEL_PID) || !strcmp(key, PPROF_LABEL_TID);
}

bool pprof_types_label(struct task *task, const char *key, const char *text, int64_t number)
{
	enum task_field field = TASK_NOTHING;
	bool ours = is_ours(key, text);

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		if (!strcmp(labels[i].key, key))
			field = text ? labels[i].text : labels[i].number;
	}
	/*
	 * A label of sprofil always sets its field. Other labels set a field only if it is not set
	 * yet.
	 */
	if (field == TASK_PID && (ours || !task->pid))
		task->pid = id_of(text, number);
	else if (field == TASK_TID && (ours || !task->tid))
		task->tid = id_of(text, number);
	else if (field == TASK_PROCESS && (ours || !task->process[0]))
		task->process = text;
	else if (field == TASK_THREAD && (ours || !task->thread[0]))
		task->thread = text;
	return ours;
}
