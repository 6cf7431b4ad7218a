/* SPDX-License-Identifier: MIT */
/*
 * mpi_solver STEPS: Jacobi's method on a ring of ranks, each with a strip of the grid. After each
 * step all ranks agree on the residual. The last rank has twice as many rows, so the others wait
 * for it. Rank 0 prints the residual. tests/long_mpi.sh builds this program with mpicc.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 600, ROWS = 300 };

struct strip {
	int rows, rank, ranks;
	double *now, *next; /* rows of the strip, and one row of each neighbour */
};

static __attribute__((noinline)) double relax(const struct strip *s)
{
	double most = 0;

	for (int i = 1; i <= s->rows; i++) {
		for (int j = 1; j < COLUMNS - 1; j++) {
			const double *at = &s->now[i * COLUMNS + j];
			double value = (at[-COLUMNS] + at[COLUMNS] + at[-1] + at[1]) / 4;

			double change = value > *at ? value - *at : *at - value;

			most = change > most ? change : most;
			s->next[i * COLUMNS + j] = value;
		}
	}
	return most;
}

static __attribute__((noinline)) void exchange(const struct strip *s)
{
	int up = (s->rank + s->ranks - 1) % s->ranks, down = (s->rank + 1) % s->ranks;

	MPI_Sendrecv(s->now + COLUMNS, COLUMNS, MPI_DOUBLE, up, 0, s->now + (s->rows + 1) * COLUMNS,
		COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(s->now + s->rows * COLUMNS, COLUMNS, MPI_DOUBLE, down, 1, s->now, COLUMNS,
		MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 100;
	double most = 0, all = 0, *other;
	struct strip s = {0};
	size_t cells;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
	s.rows = s.rank == s.ranks - 1 ? 2 * ROWS : ROWS;
	cells = (size_t)(s.rows + 2) * COLUMNS;
	s.now = calloc(cells, sizeof(double));
	s.next = calloc(cells, sizeof(double));
	if (!s.now || !s.next)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (size_t i = 0; i < cells; i++)
		s.now[i] = s.next[i] = (double)(i * 7919 % 1000) + s.rank;
	for (int i = 0; i < steps; i++) {
		exchange(&s);
		most = relax(&s);
		MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		other = s.now;
		s.now = s.next;
		s.next = other;
	}
	if (s.rank == 0)
		printf("%.6f\n", all);
	free(s.now);
	free(s.next);
	MPI_Finalize();
	return 0;
}
