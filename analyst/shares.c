/* SPDX-License-Identifier: MIT */
#include "analyst/shares.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int new_pool(struct shares *shares, uint32_t *ret_pool)
{
	uint32_t index = shares->free;

	if (index) {
		shares->free = shares->pool[index].into;
	} else {
		if (array_grow(&shares->pool, &shares->pool_room, shares->pools + 1) < 0)
			return -ENOMEM;
		index = (uint32_t)shares->pools++;
	}
	shares->pool[index] = (struct share_pool){.into = index};
	*ret_pool = index;
	return 0;
}

static void free_pool(struct shares *shares, uint32_t index)
{
	shares->pool[index] = (struct share_pool){.into = shares->free};
	shares->free = index;
}

static bool same_path(const void *items, uint32_t index, const void *key)
{
	return strcmp(((const struct share_executable *)items)[index].path, key) == 0;
}

static int find_executable(struct shares *shares, const char *path, uint32_t *ret_executable)
{
	uint64_t hash = table_hash_bytes(table_seed(), path, strlen(path));
	int index = table_find(&shares->paths, hash, same_path, shares->executable, path);
	struct share_executable executable;

	if (index >= 0) {
		*ret_executable = (uint32_t)index;
		return 0;
	}
	if (array_grow(&shares->executable, &shares->executable_room, shares->executables + 1) <
			0 ||
		new_pool(shares, &executable.pool) < 0)
		return -ENOMEM;
	executable.path = strdup(path);
	if (!executable.path ||
		table_add(&shares->paths, hash, (uint32_t)shares->executables) < 0) {
		free(executable.path);
		free_pool(shares, executable.pool);
		return -ENOMEM;
	}
	shares->executable[shares->executables] = executable;
	*ret_executable = (uint32_t)shares->executables++;
	return 0;
}

int shares_init(struct shares *shares, bool per_process)
{
	uint32_t as_weighed, unknown;

	*shares = (struct shares){.per_process = per_process};
	if (new_pool(shares, &as_weighed) < 0 || find_executable(shares, "", &unknown) < 0) {
		shares_release(shares);
		return -ENOMEM;
	}
	return 0;
}

void shares_release(struct shares *shares)
{
	for (size_t i = 0; i < shares->processes; i++)
		free(shares->process[i].thread);
	for (size_t i = 0; i < shares->executables; i++)
		free(shares->executable[i].path);
	table_release(&shares->paths);
	free(shares->pool);
	free(shares->process);
	free(shares->executable);
	free(shares->entry);
	free(shares->first);
	free(shares->left_out_ns);
	free(shares->rest);
	*shares = (struct shares){0};
}

static void take_over(struct share_pool *pool, uint32_t from, uint32_t into)
{
	pool[into].cpu_ns += pool[from].cpu_ns;
	pool[into].weight_ns += pool[from].weight_ns;
	pool[into].covered_ns += pool[from].covered_ns;
	pool[into].samples += pool[from].samples;
	pool[from].into = into;
}

void shares_end_thread(
	struct share_pool *pool, const struct share_thread *thread, uint32_t of_process)
{
	struct share_pool *own = &pool[thread->pool];

	if (!thread->timed) {
		own->cpu_ns = own->weight_ns;
		take_over(pool, thread->pool, SHARES_AS_WEIGHED);
	} else if (own->samples < SHARES_FEW) {
		take_over(pool, thread->pool, of_process);
	}
}

void shares_end_process(
	const struct shares *shares, struct share_pool *pool, const struct share_process *process)
{
	if (!shares->per_process && pool[process->pool].samples < SHARES_FEW)
		take_over(pool, process->pool, shares->executable[process->executable].pool);
}

/* A pool with samples stays: a stack refers to it. */
static void free_if_unused(struct shares *shares, uint32_t pool)
{
	if (!shares->pool[pool].samples)
		free_pool(shares, pool);
}

static void end_thread(
	struct shares *shares, struct share_process *process, struct share_thread *thread)
{
	const struct share_pool *own = &shares->pool[thread->pool];
	uint32_t pool = process->pool;

	/*
	 * The first ended thread with few samples exchanges its pool with the process's empty pool,
	 * which is then freed.
	 */
	if (thread->timed && own->samples && own->samples < SHARES_FEW &&
		!shares->pool[pool].samples) {
		process->pool = thread->pool;
		thread->pool = pool;
	}
	shares_end_thread(shares->pool, thread, process->pool);
	free_if_unused(shares, thread->pool);
}

static void end_threads(struct shares *shares, struct share_process *process)
{
	for (size_t i = 0; i < process->threads; i++)
		end_thread(shares, process, &process->thread[i]);
	process->threads = 0;
}

/* Keeps the CPU time of an image that ends without a sample. */
static int keep_rest(struct shares *shares, const struct share_process *process)
{
	const struct share_pool *pool = &shares->pool[process->pool];

	if (!shares->per_process || pool->samples || !pool->cpu_ns)
		return 0;
	if (array_grow(&shares->rest, &shares->rest_room, shares->rests + 1) < 0)
		return -ENOMEM;
	shares->rest[shares->rests++] =
		(struct share_rest){process->executable, process->pid, pool->cpu_ns};
	return 0;
}

static int end_image(struct shares *shares, struct share_process *process)
{
	end_threads(shares, process);
	if (keep_rest(shares, process) < 0)
		return -ENOMEM;
	shares_end_process(shares, shares->pool, process);
	free_if_unused(shares, process->pool);
	return 0;
}

/* The index of @pid, or where it would be inserted. */
static size_t place_of(const struct shares *shares, uint32_t pid)
{
	return array_bisect(i, 0, shares->processes, shares->process[i].pid < pid);
}

static struct share_process *find_process(struct shares *shares, uint32_t pid)
{
	size_t at = place_of(shares, pid);

	return at < shares->processes && shares->process[at].pid == pid ? &shares->process[at]
									: NULL;
}

static struct share_process *get_process(struct shares *shares, uint32_t pid)
{
	struct share_process *process = find_process(shares, pid);
	struct share_process fresh = {.pid = pid};
	size_t at = place_of(shares, pid);

	if (process)
		return process;
	if (array_grow(&shares->process, &shares->process_room, shares->processes + 1) < 0 ||
		new_pool(shares, &fresh.pool) < 0)
		return NULL;
	process = &shares->process[at];
	memmove(process + 1, process, (shares->processes - at) * sizeof(*process));
	*process = fresh;
	shares->processes++;
	return process;
}

int shares_exit(struct shares *shares, uint32_t pid)
{
	struct share_process *process = find_process(shares, pid);

	if (!process)
		return 0;
	if (end_image(shares, process) < 0)
		return -ENOMEM;
	free(process->thread);
	shares->processes--;
	memmove(process, process + 1,
		(size_t)(shares->process + shares->processes - process) * sizeof(*process));
	return 0;
}

int shares_process(struct shares *shares, uint32_t pid, uint32_t parent)
{
	struct share_process *process, *from;

	if (shares_exit(shares, pid) < 0)
		return -ENOMEM;
	process = get_process(shares, pid);
	if (!process)
		return -ENOMEM;
	from = parent ? find_process(shares, parent) : NULL;
	if (from)
		process->executable = from->executable;
	return 0;
}

int shares_exec(struct shares *shares, uint32_t pid, const char *path)
{
	struct share_process *process = get_process(shares, pid);
	uint32_t executable, pool;

	if (!process || find_executable(shares, path, &executable) < 0 ||
		new_pool(shares, &pool) < 0)
		return -ENOMEM;
	if (end_image(shares, process) < 0) {
		free_pool(shares, pool);
		return -ENOMEM;
	}
	process->executable = executable;
	process->pool = pool;
	return 0;
}

static size_t place_of_thread(const struct share_process *process, uint32_t tid)
{
	return array_bisect(i, 0, process->threads, process->thread[i].tid < tid);
}

static struct share_thread *get_thread(
	struct shares *shares, struct share_process *process, uint32_t tid)
{
	struct share_thread fresh = {.tid = tid}, *thread;
	size_t low = place_of_thread(process, tid);

	if (low < process->threads && process->thread[low].tid == tid)
		return &process->thread[low];
	if (array_grow(&process->thread, &process->room, process->threads + 1) < 0 ||
		new_pool(shares, &fresh.pool) < 0)
		return NULL;
	thread = &process->thread[low];
	memmove(thread + 1, thread, (process->threads - low) * sizeof(*thread));
	*thread = fresh;
	process->threads++;
	return thread;
}

/* The head of the stack's list of entries; NULL: out of memory. */
static uint32_t *get_first(struct shares *shares, uint32_t stack)
{
	size_t stacks = shares->stacks;

	if (array_grow(&shares->first, &shares->stack_room, (size_t)stack + 1) < 0)
		return NULL;
	if (stack >= stacks) {
		shares->stacks = (size_t)stack + 1;
		memset(shares->first + stacks, 0,
			(shares->stacks - stacks) * sizeof(*shares->first));
	}
	return &shares->first[stack];
}

static struct share_entry *get_entry(struct shares *shares, uint32_t stack, uint32_t pool)
{
	struct share_entry *entry;
	uint32_t *first = get_first(shares, stack);

	if (!first)
		return NULL;
	for (uint32_t i = *first; i; i = shares->entry[i - 1].next) {
		if (shares->entry[i - 1].pool == pool)
			return &shares->entry[i - 1];
	}
	if (array_grow(&shares->entry, &shares->entry_room, shares->entries + 1) < 0)
		return NULL;
	entry = &shares->entry[shares->entries++];
	*entry = (struct share_entry){.pool = pool, .next = *first};
	*first = (uint32_t)shares->entries;
	return entry;
}

/*
 * Weights at SHARES_LEFT_OUT are in an array by pool: a list like that of a stack would have an
 * entry for each thread, and be searched at each sample. NULL: out of memory.
 */
static uint64_t *get_left_out(struct shares *shares, uint32_t pool)
{
	size_t n = shares->left_outs;

	if (array_grow(&shares->left_out_ns, &shares->left_out_room, (size_t)pool + 1) < 0)
		return NULL;
	if (pool >= n) {
		shares->left_outs = (size_t)pool + 1;
		memset(shares->left_out_ns + n, 0,
			(shares->left_outs - n) * sizeof(*shares->left_out_ns));
	}
	return &shares->left_out_ns[pool];
}

static uint64_t *get_weight(struct shares *shares, uint32_t stack, uint32_t pool)
{
	struct share_entry *entry;

	if (stack == SHARES_LEFT_OUT)
		return get_left_out(shares, pool);
	entry = get_entry(shares, stack, pool);
	return entry ? &entry->weight_ns : NULL;
}

int shares_sample(
	struct shares *shares, uint32_t pid, uint32_t tid, uint32_t stack, uint64_t weight_ns)
{
	struct share_process *process = get_process(shares, pid);
	struct share_thread *thread = process ? get_thread(shares, process, tid) : NULL;
	uint64_t *weight;

	if (!thread)
		return -ENOMEM;
	if (!weight_ns)
		return 0;
	weight = get_weight(shares, stack, thread->pool);
	if (!weight)
		return -ENOMEM;
	*weight += weight_ns;
	shares->pool[thread->pool].weight_ns += weight_ns;
	shares->pool[thread->pool].samples++;
	return 0;
}

void shares_cover(struct shares *shares)
{
	for (size_t i = 0; i < shares->processes; i++) {
		const struct share_process *process = &shares->process[i];

		for (size_t j = 0; j < process->threads; j++) {
			struct share_pool *pool = &shares->pool[process->thread[j].pool];

			if (!process->thread[j].timed)
				continue; /* its weight will count as time */
			pool->cpu_ns += pool->weight_ns - pool->covered_ns;
			pool->covered_ns = pool->weight_ns;
		}
	}
}

int shares_cpu(struct shares *shares, uint32_t pid, uint32_t tid, uint64_t cpu_ns, bool last)
{
	struct share_process *process = get_process(shares, pid);
	struct share_thread *thread = process ? get_thread(shares, process, tid) : NULL;
	struct share_pool *pool;

	if (!thread)
		return -ENOMEM;
	pool = &shares->pool[thread->pool];
	pool->cpu_ns += cpu_ns;
	pool->covered_ns = pool->weight_ns;
	thread->cpu_ns += cpu_ns;
	thread->timed = true;
	if (!last)
		return 0;
	end_thread(shares, process, thread);
	process->threads--;
	memmove(thread, thread + 1,
		(size_t)(process->thread + process->threads - thread) * sizeof(*thread));
	return 0;
}

bool shares_thread_cpu(
	const struct shares *shares, uint32_t pid, uint32_t tid, uint64_t *ret_cpu_ns)
{
	size_t index = place_of(shares, pid), at;
	const struct share_process *process;

	if (index >= shares->processes || shares->process[index].pid != pid)
		return false;
	process = &shares->process[index];
	at = place_of_thread(process, tid);
	if (at >= process->threads || process->thread[at].tid != tid || !process->thread[at].timed)
		return false;
	*ret_cpu_ns = process->thread[at].cpu_ns;
	return true;
}
