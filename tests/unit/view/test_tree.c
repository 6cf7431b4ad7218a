/* SPDX-License-Identifier: MIT */
/* Expected figures are summed up by hand from the table in stacks_fixture.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/stacks_fixture.h"
#include "view/report/tree_report.h"

static void plant(struct tree *tree, const struct profile *profile,
	const struct report_options *options, enum tree_folding folding)
{
	char *problem = NULL;

	assert_int_equal(tree_init(tree, profile, options, folding, &problem), 0);
	assert_null(problem);
}

/* The node at the end of a path of names, separated by spaces; TREE_NONE: there is none. */
static uint32_t find(const struct tree *tree, uint32_t from, const char *path)
{
	char names[256], *save = NULL;
	uint32_t node = from;

	(void)snprintf(names, sizeof(names), "%s", path);
	for (char *name = strtok_r(names, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		for (node = tree->node[node].child; node != TREE_NONE;
			node = tree->node[node].next) {
			if (tree->node[node].place != TREE_NONE &&
				!strcmp(tree->places.place[tree->node[node].place].function, name))
				break;
		}
		if (node == TREE_NONE)
			return TREE_NONE;
	}
	return node;
}

static void assert_node(
	const struct tree *tree, uint32_t from, const char *path, int64_t self, int64_t total)
{
	uint32_t node = find(tree, from, path);

	if (node == TREE_NONE)
		fail_msg("there is no %s", path);
	if (tree_self(tree, node)[VALUE_SAMPLES] != self ||
		tree_total(tree, node)[VALUE_SAMPLES] != total)
		fail_msg("%s: self %ld, total %ld", path,
			(long)tree_self(tree, node)[VALUE_SAMPLES],
			(long)tree_total(tree, node)[VALUE_SAMPLES]);
}

static void test_tree__sums_up_calls_with_recursion_folded(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options)};
	struct tree tree;

	(void)state;
	plant(&tree, profile, &options, TREE_FOLDED);
	assert_node(&tree, TREE_ROOT, "", 4, 144);
	assert_int_equal(tree_total(&tree, TREE_ROOT)[VALUE_CPU_NS], 146 * FIXTURE_MS);
	assert_node(&tree, TREE_ROOT, "main", 0, 113);
	assert_node(&tree, TREE_ROOT, "main run", 0, 88);
	assert_node(&tree, TREE_ROOT, "main run parse", 8, 48);
	assert_node(&tree, TREE_ROOT, "main run parse lex", 40, 40);
	/* eval and apply call each other, but count a sample once; eval calls add. */
	assert_node(&tree, TREE_ROOT, "main run eval", 0, 40);
	assert_node(&tree, TREE_ROOT, "main run eval apply", 10, 40);
	assert_node(&tree, TREE_ROOT, "main run eval add", 30, 30);
	assert_int_equal(find(&tree, TREE_ROOT, "main run eval apply eval"), TREE_NONE);
	assert_int_equal(find(&tree, TREE_ROOT, "main run eval apply add"), TREE_NONE);
	assert_node(&tree, TREE_ROOT, "main fib", 25, 25);
	assert_int_equal(find(&tree, TREE_ROOT, "main fib fib"), TREE_NONE);
	assert_node(&tree, TREE_ROOT, "start_thread work", 0, 27);
	assert_node(&tree, TREE_ROOT, "start_thread work eval", 15, 15);
	assert_node(&tree, TREE_ROOT, "start_thread work eval apply", 0, 15);
	assert_node(&tree, TREE_ROOT, "start_thread work read", 12, 12);
	assert_node(&tree, TREE_ROOT, "[unsampled]", 0, 0);
	assert_int_equal(tree.node[find(&tree, TREE_ROOT, "main fib")].nesting, 3);
	assert_int_equal(tree.node[find(&tree, TREE_ROOT, "main run eval")].nesting, 3);
	assert_int_equal(tree.node[find(&tree, TREE_ROOT, "main run eval apply")].nesting, 2);
	assert_int_equal(tree.node[find(&tree, TREE_ROOT, "main run parse")].nesting, 1);
	assert_int_equal(tree.deepest, 8);
	tree_release(&tree);
	profile_free(profile);
}

static void test_tree__puts_the_hottest_first(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options)};
	static const char *const order[] = {"main", "run", "parse", "lex", "eval", "apply", "add",
		"fib", "start_thread", "work", "eval", "apply", "read", "[unsampled]"};
	uint32_t at = TREE_ROOT;
	struct tree tree;

	(void)state;
	plant(&tree, profile, &options, TREE_FOLDED);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		at = tree_walk(&tree, TREE_ROOT, at);
		assert_int_not_equal(at, TREE_NONE);
		assert_string_equal(tree.places.place[tree.node[at].place].function, order[i]);
	}
	assert_int_equal(tree_walk(&tree, TREE_ROOT, at), TREE_NONE);
	tree_release(&tree);
	profile_free(profile);
}

static void test_tree__bottom_up_begins_with_the_leaves(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options), .bottom_up = true};
	int64_t self = 0;
	struct tree tree;

	(void)state;
	plant(&tree, profile, &options, TREE_FOLDED);
	assert_node(&tree, TREE_ROOT, "lex", 40, 40);
	assert_node(&tree, TREE_ROOT, "lex parse run main", 0, 40);
	assert_node(&tree, TREE_ROOT, "add eval", 0, 30);
	assert_node(&tree, TREE_ROOT, "add eval apply", 0, 30);
	assert_node(&tree, TREE_ROOT, "add eval run main", 0, 30);
	assert_node(&tree, TREE_ROOT, "fib", 25, 25);
	assert_node(&tree, TREE_ROOT, "fib main", 0, 25);
	assert_node(&tree, TREE_ROOT, "eval", 15, 15);
	assert_node(&tree, TREE_ROOT, "eval work start_thread", 0, 15);
	assert_node(&tree, TREE_ROOT, "apply eval run main", 0, 10);
	assert_node(&tree, TREE_ROOT, "parse", 8, 8);
	assert_int_equal(find(&tree, TREE_ROOT, "main"), TREE_NONE);
	for (size_t i = 0; i < tree.n; i++)
		self += tree_self(&tree, i)[VALUE_SAMPLES];
	assert_int_equal(self, 144);
	tree_release(&tree);
	profile_free(profile);
}

static void test_tree__has_roots_of_processes_and_threads(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options), .split = REPORT_SPLIT_PROCESS};
	struct tree tree;
	uint32_t root;
	char *name;

	(void)state;
	plant(&tree, profile, &options, TREE_FOLDED);
	root = tree.node[TREE_ROOT].child;
	assert_int_equal(tree.node[root].place, TREE_NONE);
	name = tree_task_name(profile, &options, &tree.node[root]);
	assert_string_equal(name, "app 200");
	free(name);
	/* Samples without a stack are of the process itself. */
	assert_node(&tree, root, "", 4, 136);
	assert_node(&tree, root, "main", 0, 105);
	assert_node(&tree, tree.node[root].next, "main run parse", 8, 8);
	assert_int_equal(tree.node[tree.node[root].next].next, TREE_NONE);
	tree_release(&tree);
	options.split = REPORT_SPLIT_THREAD;
	plant(&tree, profile, &options, TREE_FOLDED);
	root = tree.node[TREE_ROOT].child;
	assert_node(&tree, root, "", 4, 109);
	root = tree.node[root].next;
	assert_node(&tree, root, "start_thread work eval", 15, 15);
	name = tree_task_name(profile, &options, &tree.node[root]);
	assert_string_equal(name, "worker 201");
	free(name);
	assert_node(&tree, tree.node[root].next, "start_thread work read", 12, 12);
	tree_release(&tree);
	profile_free(profile);
}

static void test_tree__shortened_callees_sum_up(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options)};
	struct tree tree;

	(void)state;
	plant(&tree, profile, &options, TREE_SHORTENED);
	assert_node(&tree, TREE_ROOT, "main run eval apply", 10, 10);
	assert_node(&tree, TREE_ROOT, "main run eval add", 30, 30);
	for (uint32_t at = TREE_ROOT; at != TREE_NONE; at = tree_walk(&tree, TREE_ROOT, at)) {
		int64_t sum = tree_self_weight(&tree, at);

		for (uint32_t i = tree.node[at].child; i != TREE_NONE; i = tree.node[i].next)
			sum += tree_total_weight(&tree, i);
		assert_int_equal(sum, tree_total_weight(&tree, at));
	}
	tree_release(&tree);
	profile_free(profile);
}

static void test_tree__whole_stacks_stay_as_they_are(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options)};
	struct tree tree;

	(void)state;
	plant(&tree, profile, &options, TREE_WHOLE);
	assert_node(&tree, TREE_ROOT, "main run eval apply eval apply eval add", 30, 30);
	assert_node(&tree, TREE_ROOT, "main run eval apply", 10, 40);
	assert_node(&tree, TREE_ROOT, "main fib", 5, 25);
	assert_node(&tree, TREE_ROOT, "main fib fib fib", 20, 20);
	tree_release(&tree);
	profile_free(profile);
}

static void test_tree__options_choose_samples(void **state)
{
	static const struct {
		struct report_options options;
		int64_t chosen, main_total;
	} cases[] = {
		{{.focus = "^add$"}, 30, 30},
		{{.thread = "^worker$"}, 27, -1},
		{{.object = "libc"}, 12, -1},
		{{.focus = "lex", .no_inline = true}, 0, -1},
	};
	struct profile *profile = fixture_stacks();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct report_options options = cases[i].options;
		struct tree tree;
		uint32_t node;

		options.size = sizeof(options);
		plant(&tree, profile, &options, TREE_FOLDED);
		assert_true(tree.sums.filtered);
		assert_int_equal(tree.sums.all[VALUE_SAMPLES], 144);
		assert_int_equal(tree.sums.chosen[VALUE_SAMPLES], cases[i].chosen);
		node = find(&tree, TREE_ROOT, "main");
		assert_int_equal(node == TREE_NONE ? -1 : tree_total(&tree, node)[VALUE_SAMPLES],
			cases[i].main_total);
		tree_release(&tree);
	}
	profile_free(profile);
}

static void test_tree__a_choice_never_lacks_a_caller(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options), .limit = 4};
	struct tree_choice choice;
	struct tree tree;

	(void)state;
	plant(&tree, profile, &options, TREE_FOLDED);
	assert_int_equal(tree_choice_init(&choice, &tree, &options), 0);
	assert_int_equal(choice.n, 4); /* main 113, run 88, parse 48, and one with 40 */
	assert_int_equal(choice.left_out, 10);
	assert_int_equal(choice.most_left_out, 40 * FIXTURE_MS);
	assert_false(choice.kept[find(&tree, TREE_ROOT, "main fib")]);
	for (size_t i = 1; i < tree.n; i++) {
		if (choice.kept[i] && tree.node[i].parent != TREE_ROOT)
			assert_true(choice.kept[tree.node[i].parent]);
	}
	tree_choice_release(&choice);
	options.limit = 0;
	options.min_percent = 20; /* 20 % of 146 are 29.2. */
	assert_int_equal(tree_choice_init(&choice, &tree, &options), 0);
	assert_int_equal(choice.n, 7);
	tree_choice_release(&choice);
	tree_release(&tree);
	profile_free(profile);
}

/* 5,000 frames become one node, in linear time. */
static void test_tree__deep_recursion_is_one_call(void **state)
{
	struct profile *profile = fixture_deep(5000);
	struct report_options options = {.size = sizeof(options)};
	struct tree tree;

	(void)state;
	plant(&tree, profile, &options, TREE_FOLDED);
	assert_int_equal(tree.n, 3);
	assert_node(&tree, TREE_ROOT, "main descend", 1, 1);
	assert_int_equal(tree.node[find(&tree, TREE_ROOT, "main descend")].nesting, 5000);
	assert_int_equal(tree.deepest, 5001);
	tree_release(&tree);
	profile_free(profile);
}

static void test_tree__of_an_empty_profile_is_its_root(void **state)
{
	struct report_options options = {.size = sizeof(options), .split = REPORT_SPLIT_THREAD};
	struct tree_choice choice;
	struct profile *profile;
	struct tree tree;

	(void)state;
	assert_int_equal(profile_new(&profile), 0);
	plant(&tree, profile, &options, TREE_FOLDED);
	assert_int_equal(tree.n, 1);
	assert_int_equal(tree_walk(&tree, TREE_ROOT, TREE_ROOT), TREE_NONE);
	assert_int_equal(tree_choice_init(&choice, &tree, &options), 0);
	assert_int_equal(choice.n, 0);
	tree_choice_release(&choice);
	tree_release(&tree);
	profile_free(profile);
}

static void test_tree__refuses_a_broken_pattern(void **state)
{
	struct profile *profile = fixture_stacks();
	struct report_options options = {.size = sizeof(options), .focus = "(open"};
	char *problem = NULL;
	struct tree tree;

	(void)state;
	assert_int_equal(tree_init(&tree, profile, &options, TREE_FOLDED, &problem), -EINVAL);
	assert_non_null(strstr(problem, "focus '(open'"));
	free(problem);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree__sums_up_calls_with_recursion_folded),
		cmocka_unit_test(test_tree__puts_the_hottest_first),
		cmocka_unit_test(test_tree__bottom_up_begins_with_the_leaves),
		cmocka_unit_test(test_tree__has_roots_of_processes_and_threads),
		cmocka_unit_test(test_tree__shortened_callees_sum_up),
		cmocka_unit_test(test_tree__whole_stacks_stay_as_they_are),
		cmocka_unit_test(test_tree__options_choose_samples),
		cmocka_unit_test(test_tree__a_choice_never_lacks_a_caller),
		cmocka_unit_test(test_tree__deep_recursion_is_one_call),
		cmocka_unit_test(test_tree__of_an_empty_profile_is_its_root),
		cmocka_unit_test(test_tree__refuses_a_broken_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
