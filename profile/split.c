/* SPDX-License-Identifier: MIT */
#include "profile/foreign.h"
#include "profile/profile_copier.h"

static int copy_about(struct profile *into, const struct profile *from)
{
	const struct foreign foreign = foreign_get(from);
	int r = profile_set_command(into, profile_command(from));

	if (r >= 0)
		r = foreign_set(into, &foreign);
	for (size_t i = 0; i < from->notes && r >= 0; i++)
		r = profile_copy_note(into, from, i);
	for (size_t i = 0; i < from->value_types && r >= 0; i++) {
		struct value_type type = profile_value_type(from, i);

		r = profile_add_value_type(into, type.type, type.unit);
	}
	/*
	 * @into has just got the value types of @from in the same order, so the index is valid in
	 * both.
	 */
	profile_set_default_value(into, from->default_value);
	profile_set_time(into, from->realtime_ns, from->duration_ns);
	profile_set_period(into, from->period_ns);
	return r;
}

int profile_copier_begin(struct profile_copier *s, const struct profile *from)
{
	struct profile *into = NULL;
	int r = profile_new(&into);

	*s = (struct profile_copier){0};
	if (r >= 0)
		r = profile_copier_init(s, into, from);
	return r < 0 ? r : copy_about(into, from);
}

int profile_copier_end(struct profile_copier *s, int error, struct profile **ret_profile)
{
	profile_copier_release(s);
	if (error < 0)
		profile_free(s->into);
	else
		*ret_profile = s->into;
	return error < 0 ? error : 0;
}

int profile_split(const struct profile *from, uint32_t pid, struct profile **ret_profile)
{
	struct profile_copier s;
	int r = profile_copier_begin(&s, from);

	for (size_t i = 0; i < from->samples && r >= 0; i++) {
		if (from->task[from->sample[i].task].task.pid == pid)
			r = profile_copier_sample(&s, i, profile_sample(from, i).value);
	}
	for (size_t i = 0; i < from->tasks && r >= 0; i++) {
		if (s.task[i] >= 0 && from->task[i].has_cpu_ns)
			r = profile_add_task_cpu(s.into, (uint32_t)s.task[i], from->task[i].cpu_ns);
	}
	if (r >= 0)
		r = profile_copier_instants(&s, 0, UINT64_MAX);
	return profile_copier_end(&s, r, ret_profile);
}
