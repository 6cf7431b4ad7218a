/* SPDX-License-Identifier: MIT */
#include "profile/shrinkage.h"

#include <math.h>

/* The asymptotic series are exact to 1e-10 from here on; smaller arguments use recurrence. */
#define LARGE 10.0

double shrinkage_digamma(double x)
{
	double sum = 0, part;

	for (; x < LARGE; x++)
		sum -= 1 / x;
	part = 1 / (x * x);
	return sum + log(x) - 0.5 / x -
		part * (1.0 / 12 - part * (1.0 / 120 - part * (1.0 / 252 - part / 240)));
}

double shrinkage_trigamma(double x)
{
	double sum = 0, part;

	for (; x < LARGE; x++)
		sum += 1 / (x * x);
	part = 1 / (x * x);
	return sum + 1 / x + part / 2 +
		part / x * (1.0 / 6 - part * (1.0 / 30 - part * (1.0 / 42 - part / 30)));
}

/* Half the degrees of freedom whose trigamma is @value; trigamma decreases. */
static double invert_trigamma(double value, double most)
{
	double low = 1e-3, high = most;

	if (value <= shrinkage_trigamma(most))
		return most;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (shrinkage_trigamma(middle) > value)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

struct shrinkage shrinkage_find(
	const struct shrinkage_row *row, size_t rows, double freedom, double most)
{
	double weights = 0, squares = 0, mean = 0, variance = 0, effective, half;

	for (size_t i = 0; i < rows; i++) {
		if (!(row[i].quotient > 0))
			continue;
		weights += row[i].weight;
		squares += row[i].weight * row[i].weight;
		mean += row[i].weight * log(row[i].quotient);
	}
	effective = squares > 0 ? weights * weights / squares : 0;
	if (effective <= 1 + 1e-9)
		return (struct shrinkage){0, 1};
	mean /= weights;
	for (size_t i = 0; i < rows; i++) {
		double off = row[i].quotient > 0 ? log(row[i].quotient) - mean : 0;

		variance += row[i].weight * off * off;
	}
	variance *= effective / (effective - 1) / weights;
	half = invert_trigamma(variance - shrinkage_trigamma(freedom / 2), most / 2);
	/* The estimate cannot be worth more than the rows behind it. */
	half = fmin(half, freedom * (effective - 1) / 2);
	return (struct shrinkage){2 * half,
		exp(mean - shrinkage_digamma(freedom / 2) + log(freedom / 2) +
			shrinkage_digamma(half) - log(half))};
}
