/* SPDX-License-Identifier: MIT */
/* The first lines of a screen: the target, its state, the rate, and how well sampling works. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "profile/stats.h"
#include "view/live/live_internal.h"
#include "view/strip.h"

/* Minimum columns for the target's name. */
#define NAME_LEAST 8

static uint64_t figure(const struct live *live, const char *key)
{
	uint64_t value = 0;

	(void)profile_audit(live->profile, key, &value);
	return value;
}

/* Does a sample stand for a period of wall-clock time, instead of CPU time? */
static bool is_by_wall(const struct live *live)
{
	size_t named = profile_default_value(live->profile);

	return named != SIZE_MAX &&
		strcmp(profile_value_type(live->profile, named).type, "wall") == 0;
}

static double cpus_by_samples(const struct live *live, uint64_t begun_ns)
{
	double cpu = 0;

	for (size_t i = 0; i < profile_samples(live->profile); i++)
		cpu += (double)profile_sample(live->profile, i).value[VALUE_CPU_NS];
	return begun_ns && live->now_ns > begun_ns ? cpu / (double)(live->now_ns - begun_ns) : 0;
}

/*
 * The rate is not shown in a second for which fewer samples than this are expected: it would be
 * noise.
 */
#define RATE_SAMPLES 10
/*
 * A cost above the limit becomes a warning only after this many seconds, as the first second may
 * cost more.
 */
#define COST_SECONDS 20

/*
 * Takes the audit's figures, which come once a second and grow. The difference from the previous
 * figures is that of the last second.
 */
void live_see_audit(struct live *live, uint64_t begun_ns)
{
	struct live_audit *audit = &live->audit;
	struct live_audit next = *audit;
	double wall, sampled;

	next.wall_ns = figure(live, "wall_ns");
	/* At the end of --delay's time, the figures begin at 0 again: nothing is subtracted. */
	if (next.wall_ns && next.wall_ns < audit->wall_ns)
		audit->wall_ns = audit->kernel_ns = audit->samples = audit->sampled_ns = 0;
	if (next.wall_ns <= audit->wall_ns && audit->known)
		return;
	next.kernel_ns = figure(live, "kernel_cpu_ns");
	next.lost = figure(live, "lost_samples");
	next.samples = 0;
	for (size_t i = 0; i < profile_samples(live->profile); i++)
		next.samples += (uint64_t)profile_sample(live->profile, i).value[VALUE_SAMPLES];
	if (!next.wall_ns) {
		audit->first_cpus = cpus_by_samples(live, begun_ns);
		return;
	}
	wall = (double)(next.wall_ns - audit->wall_ns);
	/* The time that is sampled. With the wall clock, it includes waiting. */
	next.sampled_ns = next.kernel_ns;
	if (is_by_wall(live))
		next.sampled_ns += figure(live, "runqueue_ns") + figure(live, "blocked_ns");
	sampled = (double)(next.sampled_ns - audit->sampled_ns);
	next.cpus = (double)(next.kernel_ns - audit->kernel_ns) / wall;
	if (next.kernel_ns < audit->kernel_ns || next.cpus > 1e5)
		next.cpus = 0;
	next.rate = sampled >= RATE_SAMPLES * (double)live->period_ns
		? (double)(next.samples - audit->samples) * 1e9 / sampled
		: 0;
	next.knows_found = audit_found(live->profile, &next.found);
	if (!audit_cost(live->profile, &next.cost))
		next.cost = -1;
	if (!audit_stopped(live->profile, &next.stopped))
		next.stopped = 0;
	if (next.seconds == LIVE_HISTORY)
		memmove(next.history, next.history + 1, (LIVE_HISTORY - 1) * sizeof(*next.history));
	else
		next.seconds++;
	next.history[next.seconds - 1] = (float)next.cpus;
	next.known = true;
	*audit = next;
}

/*
 * Formats the CPUs used, one character for each second. A character's full height is the largest
 * number of CPUs in that time, but at least 1.
 */
static void format_history(const struct live *live, size_t columns, char *to, size_t room)
{
	const struct live_audit *audit = &live->audit;
	size_t first = audit->seconds > columns ? audit->seconds - columns : 0, n = 0;
	float most = 1;

	to[0] = '\0';
	for (size_t i = first; i < audit->seconds; i++)
		most = fmaxf(most, audit->history[i]);
	for (size_t i = first; i < audit->seconds && n + 4 < room; i++)
		n += (size_t)snprintf(to + n, room - n, "%s",
			strip_character(audit->history[i] / most, live->options.ascii));
}

bool live_is_idle(const struct live *live)
{
	return !live->audit.known || live->audit.cpus <= 0.005;
}

void live_tell_stopped(struct live *live, bool stopped)
{
	live->stopped = stopped;
}

static const char *describe_running(const struct live *live)
{
	if (live->frozen)
		return "frozen";
	if (live->audit.known && !live_is_idle(live))
		return "running";
	if (live->stopped)
		return "stopped by a signal";
	if (live->audit.known)
		return "idle";
	/* The kernel's figures come after 1 s. Until then, samples show that the target runs. */
	return live->profile && profile_samples(live->profile) ? "running" : "watching";
}

static unsigned format_state(const struct live *live, char *to, size_t room)
{
	if (live->state == LIVE_STARTS)
		(void)snprintf(to, room, "starting");
	else if (live->state == LIVE_LET_GO)
		(void)snprintf(to, room, "let go");
	else if (live->state == LIVE_CUT_OFF)
		(void)snprintf(to, room, "supervisor died");
	else if (live->state == LIVE_RUNS)
		(void)snprintf(to, room, "%s", describe_running(live));
	else if (live->signal)
		(void)snprintf(to, room, "killed by signal %d", live->signal);
	else if (live->status > 0)
		(void)snprintf(to, room, "ended, status %d", live->status);
	else
		(void)snprintf(to, room, "ended");
	if (live->frozen || (live->state == LIVE_RUNS && live->stopped && live_is_idle(live)))
		return STYLE_WARN;
	return live->state == LIVE_RUNS ? STYLE_GOOD : STYLE_BAD;
}

/*
 * Returns the sampling rate in Hz: that of the last second or, after the target's end, of the whole
 * run. 0: unknown.
 */
static double rate_reached(const struct live *live)
{
	const struct live_audit *audit = &live->audit;

	if (live->state < LIVE_ENDED)
		return audit->rate;
	/* The live profile's times are not scaled to the kernel's, as those of a saved one are. */
	return audit->sampled_ns >= RATE_SAMPLES * live->period_ns
		? (double)audit->samples * 1e9 / (double)audit->sampled_ns
		: 0;
}

/* "250 Hz, got 248": the requested rate, and the reached one if known. */
static void format_rate(const struct live *live, char *to, size_t room)
{
	char asked[TEXT_UNIT_BYTES], reached[TEXT_UNIT_BYTES];
	double rate = rate_reached(live);

	text_format_hz(live->period_ns ? 1e9 / (double)live->period_ns : 0, asked);
	text_format_hz(rate, reached);
	if (rate > 0)
		(void)snprintf(
			to, room, "%s, got %.*s", asked, (int)strcspn(reached, " "), reached);
	else
		(void)snprintf(to, room, "%s", asked);
}

static void format_mode(const struct live *live, char *to, size_t room)
{
	char type[24] = "CPU, ", span[TEXT_UNIT_BYTES];

	if (live->profile && live->value != VALUE_CPU_NS)
		(void)snprintf(type, sizeof(type), "%s, ",
			profile_value_type(live->profile, live->value).type);
	if (live->weights.half_life_ns < 100e9)
		(void)snprintf(span, sizeof(span), "%.3g s", live->weights.half_life_ns / 1e9);
	else
		text_format_ns((uint64_t)live->weights.half_life_ns, span);
	if (live->decay)
		(void)snprintf(to, room, "%slast %s", type, span);
	else
		(void)snprintf(to, room, "%stotals", type);
}

/*
 * Returns how many of @room columns the target's name gets. A name that does not fit is cut before
 * "(PID)": a cut number, "redis-server (93", would look like another pid.
 */
static unsigned name_columns(const char *name, unsigned room)
{
	const char *bracket = strrchr(name, '(');
	char before[256];

	if (text_columns(name) <= room || !bracket || bracket == name)
		return room;
	(void)snprintf(before, sizeof(before), "%.*s", (int)(bracket - name - 1), name);
	return text_columns(before) < room ? (unsigned)text_columns(before) : room;
}

static void draw_target(struct live *live, struct screen *screen)
{
	const char *name = live->target[0] ? live->target : "sproftop";
	char state[48], rate[48], mode[64], right[160];
	unsigned style = format_state(live, state, sizeof(state)), at = 1, end, room;

	format_rate(live, rate, sizeof(rate));
	format_mode(live, mode, sizeof(mode));
	(void)snprintf(right, sizeof(right), "%s  %s ", rate, mode);
	if (screen->columns < 76)
		(void)snprintf(right, sizeof(right), "%s ", mode);
	/* The state is not cut, and has a gap on either side. The name gets the remaining room. */
	room = (unsigned)text_columns(state) + 4;
	if (screen->columns < NAME_LEAST + room + text_columns(right))
		right[0] = '\0';
	end = screen->columns - screen_put_right(screen, 0, screen->columns, 60, STYLE_TEXT, right);
	if (live->paused)
		end -= screen_put_right(screen, 0, end - 1, 8, STYLE_WARN, " PAUSED ") + 2;
	room = end > at + room + NAME_LEAST ? end - at - room : NAME_LEAST;
	at += screen_put(screen, 0, at, name_columns(name, room), STYLE_BOLD, name);
	at += 2;
	if (at < end)
		(void)screen_put(screen, 0, at, end - at, style, state);
	screen_restyle(screen, 0, 0, screen->columns, STYLE_ON_BAR);
}

/* A figure of the second line. */
struct piece {
	const char *label; /* "": none */
	char text[48];
	unsigned style;
};

static unsigned piece_columns(const struct piece *piece)
{
	return (unsigned)(text_columns(piece->label) + !!piece->label[0] +
		text_columns(piece->text));
}

static void draw_piece(struct screen *screen, unsigned *at, const struct piece *piece)
{
	if (!piece->text[0] || *at + piece_columns(piece) > screen->columns)
		return;
	if (piece->label[0])
		*at += screen_put(screen, 1, *at, screen->columns, STYLE_DIM, piece->label) + 1;
	*at += screen_put(screen, 1, *at, screen->columns, piece->style, piece->text) + 2;
}

/* "99.2 ±1.1 %": ± is half the width of the 95 % confidence interval; omitted if @narrow. */
static void format_found(const struct live *live, bool narrow, struct piece *piece)
{
	const struct live_audit *audit = &live->audit;
	double half = audit->found.error * STATS_95_PERCENT * 100;

	piece->style = audit->knows_found && audit->found.is_off ? STYLE_WARN : STYLE_GOOD;
	if (!audit->knows_found || audit->found.says_nothing)
		(void)snprintf(piece->text, sizeof(piece->text), "-");
	else if (narrow)
		(void)snprintf(
			piece->text, sizeof(piece->text), "%.1f %%", audit->found.ratio * 100);
	else
		(void)snprintf(piece->text, sizeof(piece->text), "%.1f %s%.1f %%",
			audit->found.ratio * 100, live->options.ascii ? "+-" : "\xc2\xb1", half);
}

static void format_cost(const struct live *live, struct piece *piece)
{
	double bound = live->options.cost_percent, cost = live->audit.cost * 100;

	if (cost < 0)
		return;
	if (bound > 0)
		(void)snprintf(piece->text, sizeof(piece->text), "%.2f %% (max %.3g)", cost, bound);
	else
		(void)snprintf(piece->text, sizeof(piece->text), "%.2f %%", cost);
	if (bound > 0 && cost > bound && live->audit.seconds >= COST_SECONDS)
		piece->style = STYLE_WARN;
}

/*
 * Formats the share of sampling instants that came too late for use, if any, and whether the
 * sampler has real-time priority.
 */
static void format_instants(
	const struct live *live, bool narrow, struct piece *late, struct piece *realtime)
{
	const struct live_audit *audit = &live->audit;

	if (audit->knows_found && audit->found.late > 0)
		(void)snprintf(late->text, sizeof(late->text), "%.1f %%", audit->found.late * 100);
	if (!audit->knows_found || audit->found.realtime < 0)
		return;
	if (!audit->found.realtime)
		realtime->style = STYLE_WARN;
	(void)snprintf(realtime->text, sizeof(realtime->text), "%s",
		audit->found.realtime ? "real time"
			: narrow      ? "no real time"
				      : "no real-time priority");
}

static void draw_first_second(struct live *live, struct screen *screen)
{
	struct piece cpu = {.label = "CPU", .style = STYLE_BOLD};
	unsigned at = 1;

	(void)snprintf(cpu.text, sizeof(cpu.text), "%5.1f %%", live->audit.first_cpus * 100);
	if (live->audit.first_cpus > 0)
		draw_piece(screen, &at, &cpu);
	(void)screen_put(screen, 1, at, screen->columns, STYLE_DIM,
		"the audit comes after the first second");
}

static void draw_audit(struct live *live, struct screen *screen)
{
	const struct live_audit *audit = &live->audit;
	enum { CPU, FOUND, COST, LOST, LATE, REALTIME, STOPPED, PIECES };
	struct piece piece[PIECES] = {[CPU] = {.label = "CPU", .style = STYLE_BOLD},
		[FOUND] = {.label = "found"},
		[COST] = {.label = "cost", .style = STYLE_TEXT},
		[LOST] = {.label = "lost", .style = audit->lost ? STYLE_BAD : STYLE_TEXT},
		[LATE] = {.label = "late", .style = STYLE_TEXT},
		[REALTIME] = {.label = "", .style = STYLE_TEXT},
		[STOPPED] = {.label = "stopped", .style = STYLE_TEXT}};
	unsigned at = 1, room, need = 0;
	char history[4 * LIVE_HISTORY + 8];

	if (!audit->known) {
		draw_first_second(live, screen);
		return;
	}
	(void)snprintf(piece[CPU].text, sizeof(piece[CPU].text), "%5.1f %%", audit->cpus * 100);
	format_found(live, screen->columns < 76, &piece[FOUND]);
	format_cost(live, &piece[COST]);
	(void)snprintf(
		piece[STOPPED].text, sizeof(piece[STOPPED].text), "%.2f %%", audit->stopped * 100);
	(void)snprintf(piece[LOST].text, sizeof(piece[LOST].text), "%" PRIu64, audit->lost);
	format_instants(live, screen->columns < 100, &piece[LATE], &piece[REALTIME]);
	draw_piece(screen, &at, &piece[CPU]);
	/* The history gets the room that the figures leave. */
	for (size_t i = FOUND; i < PIECES; i++)
		need += piece[i].text[0] ? piece_columns(&piece[i]) + 2 : 0;
	room = screen->columns > at + need + 8 ? screen->columns - at - need : 8;
	format_history(live, room > LIVE_HISTORY ? LIVE_HISTORY : room, history, sizeof(history));
	if (screen->columns >= 60)
		at += screen_put(screen, 1, at - 1, room, STYLE_ACCENT, history) + 1;
	for (size_t i = FOUND; i < PIECES; i++)
		draw_piece(screen, &at, &piece[i]);
}

/* The third line: view, zoom, filter and span, and which rows are visible. */
static void draw_title(struct live *live, struct screen *screen)
{
	const struct live_page *page = live_page(live);
	char crumb[7][96] = {""}, count[64] = "";
	const char *sign = live->options.ascii ? " > " : " \xe2\x80\xba ";
	unsigned at = 1, end = screen->columns;
	size_t n = 0;

	if (page->tid)
		(void)snprintf(crumb[n++], 96, "thread %" PRIu32, page->tid);
	if (page->object)
		(void)snprintf(crumb[n++], 96, "object %s", text_basename(page->object));
	if (page->place != LIVE_NONE && page->place < live->functions.n) {
		const struct place *place = &live->functions.place[page->place];

		(void)snprintf(crumb[n++], 96, "%s", place->function);
		if (page->view == LIVE_SOURCE && place->file[0])
			(void)snprintf(crumb[n++], 96, "%s", text_basename(place->file));
	}
	if (page->root)
		(void)snprintf(crumb[n++], 96, "subtree");
	if (live->has_filter)
		(void)snprintf(crumb[n++], 96, "filter %.80s", live->filter);
	if (live->span.chosen)
		live_span_describe(live, crumb[n++], 96);
	if (live_views[page->view].is_text && live->table.n > live->rows_shown && live->rows_shown)
		(void)snprintf(count, sizeof(count), "%zu-%zu of %zu ", page->top + 1,
			page->top + live->rows_shown, live->table.n);
	else if (live->table.n < live->table.of)
		(void)snprintf(count, sizeof(count), "%zu of %zu ", live->table.n, live->table.of);
	else if (!live_views[page->view].is_text)
		(void)snprintf(count, sizeof(count), "%zu ", live->table.n);
	/* A gap before the numbers: they must not look like the end of a name that is cut. */
	end -= screen_put_right(screen, 2, end, 24, STYLE_DIM, count);
	end -= count[0] && end;
	if (at < end)
		at += screen_put(
			screen, 2, at, end - at, STYLE_ACCENT, live_views[page->view].title);
	for (size_t i = 0; i < n && at < end; i++) {
		at += screen_put(screen, 2, at, end - at, STYLE_DIM, sign);
		if (at < end)
			at += screen_put(screen, 2, at, end - at, STYLE_BOLD, crumb[i]);
	}
}

void live_draw_head(struct live *live, struct screen *screen)
{
	draw_target(live, screen);
	if (screen->rows > 4)
		draw_audit(live, screen);
	if (screen->rows > 5)
		draw_title(live, screen);
}
