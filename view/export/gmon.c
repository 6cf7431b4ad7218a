/* SPDX-License-Identifier: MIT */
/*
 * A gmon.out as gprof of binutils reads it (its gmon_out.h), in the byte order of this machine:
 *
 *   header      0  "gmon"
 *               4  version, 1        u32
 *               8  12 bytes of 0
 *   histogram   0  tag, 0            u8
 *               1  low address       u64   of the range, as in the ELF file
 *               9  high address      u64
 *              17  number of bins    u32
 *              21  rate              u32   units of a bin per second
 *              25  "seconds", padded with 0 to 15 bytes
 *              40  's'
 *              41  the bins          u16 each
 *   arc         0  tag, 1            u8
 *               1  from address      u64   of the call
 *               9  to address        u64   in the callee
 *              17  count             u32
 *
 * The file is about one object: the main program, or the one named by --object. A bin holds CPU
 * time in units of 1 / rate seconds. The unit is long enough for the fullest bin to fit in 16 bits.
 * An arc (a call) counts samples. A call from another object, as of qsort's callback, counts as one
 * from the nearest calling function of this object.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/text.h"
#include "view/export/exporters.h"
#include "view/frames.h"
#include "view/options.h"

enum { TAG_HISTOGRAM = 0, TAG_ARC = 1 };

/*
 * BIN_BYTES: bytes of code per bin. An instruction that extends over two bins counts in the first.
 * BIN_MOST: greatest value of a bin in the file.
 */
enum { BIN_BYTES = 4, BIN_MOST = UINT16_MAX };
/*
 * The rate is the number of units per second. It is the highest power of ten, up to FINEST_RATE, at
 * which the fullest bin fits in one histogram. If this rate were below FINE_RATE, the rate is
 * FINE_RATE, and the fullest bins are spread over up to MOST_HISTOGRAMS histograms. The rate is
 * lower only if a bin does not fit in these either.
 */
enum { FINEST_RATE = 1000000, FINE_RATE = 1000, MOST_HISTOGRAMS = 16 };
/*
 * More than WHOLE_BINS bins (8 MiB of code) are written as several histograms of PIECE_BINS bins.
 * Histograms of bins that are all 0 are left out, because a small profile may claim a gigabyte of
 * code, and the file would be as large.
 */
enum { WHOLE_BINS = 1 << 21, PIECE_BINS = 1 << 14 };
/* Maximum bytes of code: gprof keeps a number for each bin in memory. */
#define LARGEST_TEXT (UINT64_C(1) << 30)
/*
 * Limit of the bytes of all histograms for the same bins together. If one such histogram has more,
 * there is one only. A small profile may claim much code, and the file would be too large.
 */
#define MOST_BYTES (UINT64_C(64) << 20)

/* A call. */
struct arc {
	uint64_t from;  /* address of the call, as in the ELF file */
	uint32_t to;    /* place of the callee */
	uint32_t count; /* number of samples whose stack has the call */
};

struct gmon {
	struct frames *frames;
	const char *object;
	uint64_t low, high;
	int64_t *bin; /* weight of each bin, in ns; in put_histograms() in units of the file */
	size_t bins;
	uint64_t *address; /* by place: its lowest address with samples */
	struct arc *arc;
	size_t arcs, arc_room;
	struct table table;
	FILE *out;
};

static void put_u32(struct gmon *g, uint32_t value)
{
	(void)fwrite(&value, sizeof(value), 1, g->out);
}

static void put_u64(struct gmon *g, uint64_t value)
{
	(void)fwrite(&value, sizeof(value), 1, g->out);
}

static bool arc_equal(const void *items, uint32_t index, const void *key)
{
	const struct arc *a = (const struct arc *)items + index, *b = key;

	return a->from == b->from && a->to == b->to;
}

static int add_arc(struct gmon *g, const struct arc *arc)
{
	uint64_t hash = table_mix(table_mix(arc->from, arc->to), 0);
	size_t before = g->arcs;
	int index = table_intern(&g->table, hash, arc_equal, &g->arc, &g->arc_room, &g->arcs, arc);

	if (index < 0 || g->arcs > before)
		return index < 0 ? index : 0;
	if (__builtin_add_overflow(g->arc[index].count, arc->count, &g->arc[index].count))
		g->arc[index].count = UINT32_MAX;
	return 0;
}

static void keep_own(struct gmon *g)
{
	struct frames *frames = g->frames;
	size_t n = 0;

	for (size_t i = 0; i < frames->n; i++) {
		struct location location =
			profile_location(frames->profile, frames->frame[i].location);

		if (location.address < g->low || location.address >= g->high ||
			profile_mapping(frames->profile, location.mapping).file != g->object)
			continue;
		frames->frame[n++] = frames->frame[i];
	}
	frames->n = n;
}

/* Is the leaf of the last stack taken in the object, or in a system call made by the object? */
static bool is_own_time(const struct gmon *g)
{
	const struct frames *frames = g->frames;

	for (size_t i = 0; i < frames->n; i++) {
		struct location location =
			profile_location(frames->profile, frames->frame[i].location);
		const char *file = profile_mapping(frames->profile, location.mapping).file;

		if (strcmp(file, "[kernel]") != 0)
			return file == g->object && location.address >= g->low &&
				location.address < g->high;
	}
	return false;
}

static int add_sample(struct gmon *g, size_t index, int64_t weight)
{
	const struct profile *profile = g->frames->profile;
	int64_t samples = profile_sample(profile, index).value[VALUE_SAMPLES];
	bool own_time = is_own_time(g);
	struct arc arc = {.count = 1};
	int error = 0;

	if (samples > 1)
		arc.count = samples > UINT32_MAX ? UINT32_MAX : (uint32_t)samples;
	keep_own(g);
	for (size_t i = 0; i < g->frames->n && !error; i++) {
		const struct frame *frame = &g->frames->frame[i];
		uint64_t address = profile_location(profile, frame->location).address;
		int64_t *bin = &g->bin[(address - g->low) / BIN_BYTES];

		if (!g->address[frame->place] || g->address[frame->place] > address)
			g->address[frame->place] = address;
		if (!i && own_time)
			sum_add(bin, weight);
		if (!frames_is_call(g->frames, i))
			continue;
		arc.from = profile_location(profile, frame[1].location).address;
		arc.to = frame->place;
		error = add_arc(g, &arc);
	}
	return error;
}

static int64_t most_histograms(const struct gmon *g)
{
	uint64_t most = MOST_BYTES / (g->bins * sizeof(uint16_t));

	return most > MOST_HISTOGRAMS ? MOST_HISTOGRAMS : most > 1 ? (int64_t)most : 1;
}

static uint32_t choose_rate(const struct gmon *g)
{
	uint32_t rate = FINEST_RATE;
	int64_t most = 0;

	for (size_t i = 0; i < g->bins; i++)
		most = g->bin[i] > most ? g->bin[i] : most;
	while (rate > 1 &&
		(double)most / 1e9 * rate >
			BIN_MOST * (rate > FINE_RATE ? 1 : (double)most_histograms(g)))
		rate /= 10;
	return rate;
}

/*
 * Writes a histogram of the @n bins from @at on, and subtracts what it has written from the bins. A
 * histogram of zeros is written only if it has all bins of the file, so that the file has one.
 * Returns true if something is left, because a bin had more than BIN_MOST.
 */
static bool put_piece(struct gmon *g, uint32_t rate, uint16_t *bin, size_t at, size_t n)
{
	bool more = false, any = n == g->bins;

	for (size_t i = 0; i < n; i++) {
		int64_t *left = &g->bin[at + i];

		bin[i] = (uint16_t)(*left > BIN_MOST ? BIN_MOST : *left);
		*left -= bin[i];
		more |= *left > 0;
		any |= bin[i] != 0;
	}
	if (!any)
		return false;
	fputc(TAG_HISTOGRAM, g->out);
	put_u64(g, g->low + at * BIN_BYTES);
	put_u64(g, g->low + (at + n) * BIN_BYTES);
	put_u32(g, (uint32_t)n);
	put_u32(g, rate);
	(void)fwrite("seconds\0\0\0\0\0\0\0\0s", 1, 16, g->out);
	(void)fwrite(bin, sizeof(*bin), n, g->out);
	return more;
}

/*
 * Writes the bins. What exceeds BIN_MOST in a bin goes to a further histogram of the same range;
 * gprof adds up histograms. Each bin is rounded to units. The rounding error is carried to the next
 * bin that is not 0, so that the sum stays right. 0 or -ENOMEM.
 */
static int put_histograms(struct gmon *g)
{
	uint32_t rate = choose_rate(g);
	int64_t unit = 1000000000 / rate, rest = 0;
	size_t piece = g->bins > WHOLE_BINS ? PIECE_BINS : g->bins;
	uint16_t *bin = calloc(piece, sizeof(*bin));
	bool more = true;

	if (!bin)
		return -ENOMEM;
	for (size_t i = 0; i < g->bins; i++) {
		int64_t units;

		if (!g->bin[i])
			continue;
		if (g->bin[i] > most_histograms(g) * BIN_MOST * unit)
			g->bin[i] = most_histograms(g) * BIN_MOST * unit;
		units = (g->bin[i] + rest + unit / 2) / unit;
		rest += g->bin[i] - units * unit;
		g->bin[i] = units;
	}
	while (more) {
		more = false;
		for (size_t at = 0; at < g->bins; at += piece)
			more |= put_piece(
				g, rate, bin, at, g->bins - at < piece ? g->bins - at : piece);
	}
	free(bin);
	return 0;
}

static void put_arcs(struct gmon *g)
{
	for (size_t i = 0; i < g->arcs; i++) {
		fputc(TAG_ARC, g->out);
		put_u64(g, g->arc[i].from);
		put_u64(g, g->address[g->arc[i].to]);
		put_u32(g, g->arc[i].count);
	}
}

/*
 * Sets the object that the file is about, and the range of its addresses. 0; -ENOMEM; -EINVAL:
 * there is no such object, or several match --object. *@ret_problem is then a sentence.
 */
static int choose_object(struct gmon *g, char **ret_problem)
{
	const struct profile *profile = g->frames->profile;
	const bool *chosen = g->frames->filter.object;

	for (size_t i = 0; i < profile_mappings(profile); i++) {
		struct mapping mapping = profile_mapping(profile, i);

		if (chosen ? !chosen[i] : i != profile_main(profile) && g->object != mapping.file)
			continue;
		if (mapping.limit <= mapping.start || mapping.file[0] == '[')
			continue;
		if (g->object && g->object != mapping.file)
			return text_refuse(ret_problem, -EINVAL,
				"a gmon.out is about one object: give an --object that matches "
				"only "
				"one");
		g->object = mapping.file;
	}
	/* The range covers all mappings of the object. */
	for (size_t i = 0; i < profile_mappings(profile); i++) {
		struct mapping mapping = profile_mapping(profile, i);

		if (mapping.file != g->object || mapping.limit <= mapping.start)
			continue;
		if (!g->high || mapping.start < g->low)
			g->low = mapping.start & ~(uint64_t)(BIN_BYTES - 1);
		if (mapping.limit > g->high)
			g->high = mapping.limit;
	}
	if (!g->object && !g->frames->sums.all[VALUE_SAMPLES])
		return text_refuse(ret_problem, -EINVAL,
			"there is no sample, so gprof has nothing to show: let the program run "
			"longer, or raise the rate (-F)");
	if (!g->object)
		return text_refuse(ret_problem, -EINVAL,
			chosen ? "no object of the profile matches --object"
			       : "the profile does not say which program it is of: name it with "
				 "--object");
	if (g->high - g->low > LARGEST_TEXT)
		return text_refuse(ret_problem, -EINVAL,
			"the code of the object takes more than 1 GiB: a gmon.out has a counter "
			"for every 4 bytes of it");
	g->bins = (size_t)((g->high - g->low + BIN_BYTES - 1) / BIN_BYTES);
	g->high = g->low + g->bins * BIN_BYTES;
	return 0;
}

static int collect(struct gmon *g)
{
	int error = 0;

	g->bin = calloc(g->bins, sizeof(*g->bin));
	g->address = calloc(g->frames->places.n + 1, sizeof(*g->address));
	if (!g->bin || !g->address)
		return -ENOMEM;
	for (size_t i = 0; i < profile_samples(g->frames->profile) && !error; i++) {
		int64_t weight;

		error = frames_take(g->frames, i, &weight);
		if (!error && weight)
			error = add_sample(g, i, weight);
	}
	return error;
}

int gmon_write(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct frames frames;
	struct gmon g = {.frames = &frames, .out = out};
	bool has_samples;
	int error;

	options.no_inline = true; /* the format has no inlined functions */
	error = frames_init(&frames, profile, &options, ret_problem);
	if (error < 0)
		return error;
	has_samples = profile_samples(profile) > 0;
	if (has_samples && strcmp(frames_value_type(&frames).unit, "nanoseconds") != 0)
		error = text_refuse(ret_problem, -EINVAL,
			"a gmon.out holds time, and this profile holds none: export it as pprof");
	/* A profile without samples becomes a file without records. */
	if (!error && has_samples)
		error = choose_object(&g, ret_problem);
	/*
	 * From here on the filter by object is off. Samples whose leaf is in another object are
	 * needed, too: their stacks have calls in this object, which are written as arcs.
	 */
	free(frames.filter.object);
	frames.filter.object = NULL;
	if (!error && has_samples)
		error = collect(&g);
	if (!error) {
		(void)fwrite("gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 1, 20, out);
		error = has_samples ? put_histograms(&g) : 0;
		put_arcs(&g);
	}
	table_release(&g.table);
	free(g.bin);
	free(g.address);
	free(g.arc);
	frames_release(&frames);
	return error;
}
