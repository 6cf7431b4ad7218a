/* SPDX-License-Identifier: MIT */
/*
 * Waits as markers: where and when a thread was blocked or in the run queue. A long wait was
 * recorded as several instants of the time line. Consecutive instants with the same stack and state
 * are joined to one wait if there is no gap between them.
 */
#include <stdlib.h>

#include "base/array.h"
#include "profile/timeline.h"
#include "view/export/firefox.h"
#include "view/json.h"

/*
 * Longest gap, in ns, between two instants of one wait. A gap can arise because times are rounded
 * to microseconds, and because reading a thread's state takes time.
 */
#define JOIN_NS UINT64_C(50000)

static int compare_waits(const void *a, const void *b)
{
	const struct firefox_wait *x = a, *y = b;

	if (x->task != y->task)
		return x->task > y->task ? 1 : -1;
	if (x->from_ns != y->from_ns)
		return x->from_ns > y->from_ns ? 1 : -1;
	return (x->to_ns > y->to_ns) - (x->to_ns < y->to_ns);
}

static int append(struct firefox_waits *waits, const struct firefox_wait *wait)
{
	return array_add(&waits->wait, &waits->room, &waits->n, *wait);
}

static void join(struct firefox_waits *waits)
{
	size_t n = 0;

	for (size_t i = 0; i < waits->n; i++) {
		const struct firefox_wait *wait = &waits->wait[i];
		struct firefox_wait *last = n ? &waits->wait[n - 1] : NULL;

		if (last && last->task == wait->task && last->sample == wait->sample &&
			last->state == wait->state && wait->from_ns <= last->to_ns + JOIN_NS)
			last->to_ns = wait->to_ns > last->to_ns ? wait->to_ns : last->to_ns;
		else
			waits->wait[n++] = *wait;
	}
	waits->n = n;
}

int firefox_find_waits(struct firefox *f)
{
	const struct profile *profile = f->frames->profile;
	uint64_t began = profile_realtime_ns(profile);
	struct timeline_cursor cursor;
	struct instant instant;
	int r = timeline_begin(&cursor, profile);

	while (r >= 0 && timeline_next(&cursor, &instant)) {
		struct firefox_wait wait = {.sample = instant.sample,
			.state = instant.state,
			.task = profile_sample(profile, instant.sample).task};

		if (instant.state == TIMELINE_RUNNING)
			continue;
		wait.to_ns = instant.time_ns > began ? instant.time_ns - began : 0;
		wait.from_ns = wait.to_ns > instant.weight_ns ? wait.to_ns - instant.weight_ns : 0;
		r = append(&f->waits, &wait);
	}
	timeline_end(&cursor);
	if (r >= 0 && f->waits.n)
		qsort(f->waits.wait, f->waits.n, sizeof(*f->waits.wait), compare_waits);
	join(&f->waits);
	return r;
}

void firefox_forget_waits(struct firefox *f)
{
	free(f->waits.wait);
	f->waits = (struct firefox_waits){0};
}

int firefox_take_waits(struct firefox *f, uint32_t task)
{
	struct firefox_waits *waits = &f->waits;
	int r;

	while (waits->at < waits->n && waits->wait[waits->at].task < task)
		waits->at++;
	waits->first = waits->at;
	waits->chosen = 0;
	for (; waits->at < waits->n && waits->wait[waits->at].task == task; waits->at++) {
		struct firefox_wait *wait = &waits->wait[waits->at];

		r = frames_take_stack(f->frames, wait->sample);
		if (r > 0) {
			wait->place = f->frames->n ? f->frames->frame[0].place : FIREFOX_NO_PLACE;
			r = firefox_add_stack(f, &wait->stack);
			waits->wait[waits->first + waits->chosen++] = *wait;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static const struct {
	const char *name;
	int category;
} kinds[TIMELINE_STATES] = {
	[TIMELINE_QUEUED] = {"Waits for a CPU", FIREFOX_OTHER},
	[TIMELINE_BLOCKED] = {"Blocked", FIREFOX_SYSTEM_CALL},
};

static const struct firefox_wait *wait_at(const struct firefox *f, size_t i)
{
	return &f->waits.wait[f->waits.first + i];
}

static void put_data(const struct firefox *f)
{
	fputs("\"markers\":{\"data\":[", f->out);
	for (size_t i = 0; i < f->waits.chosen; i++) {
		const struct firefox_wait *wait = wait_at(f, i);

		fprintf(f->out, "%s{\"type\":\"" FIREFOX_WAIT "\",\"in\":", i ? ",\n" : "");
		json_string(f->out,
			wait->place == FIREFOX_NO_PLACE
				? ""
				: f->frames->places.place[wait->place].function);
		if (wait->stack >= 0)
			fprintf(f->out, ",\"cause\":{\"stack\":%d}", wait->stack);
		fputc('}', f->out);
	}
	fputs("],\n", f->out);
}

int firefox_put_markers(struct firefox *f)
{
	int name[TIMELINE_STATES] = {0};

	for (int state = TIMELINE_QUEUED; state < TIMELINE_STATES && f->waits.chosen; state++) {
		name[state] = pool_add_text(&f->strings, kinds[state].name);
		if (name[state] < 0)
			return name[state];
	}
	put_data(f);
	fputs("\"name\":[", f->out);
	for (size_t i = 0; i < f->waits.chosen; i++)
		fprintf(f->out, "%s%d", i ? "," : "", name[wait_at(f, i)->state]);
	fputs("],\n\"startTime\":[", f->out);
	for (size_t i = 0; i < f->waits.chosen; i++)
		fprintf(f->out, "%s%.6f", i ? "," : "", (double)wait_at(f, i)->from_ns / 1e6);
	fputs("],\n\"endTime\":[", f->out);
	for (size_t i = 0; i < f->waits.chosen; i++)
		fprintf(f->out, "%s%.6f", i ? "," : "", (double)wait_at(f, i)->to_ns / 1e6);
	fputs("],\n\"phase\":[", f->out);
	for (size_t i = 0; i < f->waits.chosen; i++)
		fputs(i ? ",1" : "1", f->out); /* phase 1: an interval */
	fputs("],\n\"category\":[", f->out);
	for (size_t i = 0; i < f->waits.chosen; i++)
		fprintf(f->out, "%s%d", i ? "," : "", kinds[wait_at(f, i)->state].category);
	fprintf(f->out, "],\n\"length\":%zu}}", f->waits.chosen);
	return 0;
}

void firefox_put_marker_schema(const struct firefox *f)
{
	fputs("\"markerSchema\":[{\"name\":\"" FIREFOX_WAIT "\","
	      "\"display\":[\"marker-chart\",\"marker-table\"],"
	      "\"chartLabel\":\"{marker.data.in}\","
	      "\"tooltipLabel\":\"{marker.name}: {marker.data.in}\","
	      "\"tableLabel\":\"{marker.data.in}\",\n"
	      "\"fields\":[{\"key\":\"in\",\"label\":\"in\",\"format\":\"string\"}],"
	      "\"description\":\"A thread that did not run, although it lived.\"}],\n",
		f->out);
}
