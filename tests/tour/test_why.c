/* SPDX-License-Identifier: MIT */
/* The sentence that says why: for pairs as in chapters, and for pairs that do not compare. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "results.h"
#include "text.h"
#include "why.h"

#define REPORT(n, ms)                                                                   \
    "'outcome': 'match', 'report': {'n': '" n "', 'runs': 1, 'ms': {'median': " ms "}," \
    "'bytes': 4096, 'reference': '7', 'device': {'modelled': true}}"
#define MODEL "'modelled_ms': 1, 'launches': 1, 'bound_by': "
#define BLOCKS(grid, block) ", 'grid': [" grid ", 1, 1], 'block': [" block ", 1, 1]"

static json_t *read_json(const char *text)
{
    json_error_t error;
    char *copy = strdup(text);
    json_t *value;

    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    value = json_loads(copy, 0, &error);
    if (!value)
        fail_msg("%s: %s", error.text, copy);
    free(copy);
    return value;
}

/* A result of chapter/step: what `rest` says, and one kernel. */
static json_t *result_of(const char *chapter, const char *step, const char *rest,
                         const char *kernel)
{
    json_t *result = read_json(rest);

    json_object_set_new(result, "chapter", json_string(chapter));
    json_object_set_new(result, "step", json_string(step));
    json_object_set_new(result, "kernels", json_pack("[o]", read_json(kernel)));
    return result;
}

static void expect_sentence_in(enum language language, json_t *from, json_t *to, const char *wanted)
{
    char *sentence = why_sentence(from, to, language);

    assert_string_equal(sentence, wanted);
    free(sentence);
    json_decref(from);
    json_decref(to);
}

static void expect_sentence(json_t *from, json_t *to, const char *wanted)
{
    expect_sentence_in(LANGUAGE_ENGLISH, from, to, wanted);
}

/* Two steps of a chapter, with times and kernels. */
static void expect(const char *ms, const char *kernel, const char *ms2, const char *kernel2,
                   const char *wanted)
{
    char rest[512], rest2[512];

    snprintf(rest, sizeof(rest), "{" REPORT("64", "%s") "}", ms);
    snprintf(rest2, sizeof(rest2), "{" REPORT("64", "%s") "}", ms2);
    expect_sentence(result_of("c", "s1", rest, kernel), result_of("c", "s2", rest2, kernel2),
                    wanted);
}

TEST(test_coalescing)
{
    expect(
        "8",
        "{" MODEL "'load/store', 'warp_instructions': 1000, 'thread_instructions': 32000,"
        "'global_loads': 100, 'global_load_sectors': 3200, 'global_bytes_asked': "
        "12800,'global_bytes_moved': 102400}",
        "1",
        "{" MODEL "'latency', 'warp_instructions': 998, 'thread_instructions': 32000,"
        "'global_loads': 100, 'global_load_sectors': 400, 'global_bytes_asked': "
        "12801,'global_bytes_moved': 12800}",
        "8.00 times as fast: 4 sectors per load instead of 32, the same data in an eighth of the "
        "traffic; bound by the load/store units before, by latency now.");
}

/* Fewer requests that are as wide are less traffic, not better loads. */
TEST(test_traffic)
{
    expect("2",
           "{" MODEL "'memory', 'warp_instructions': 1000, 'global_loads': 100,"
           "'global_load_sectors': 3200, 'global_store_sectors': 800,'global_bytes_moved': 128000}",
           "1",
           "{" MODEL "'memory', 'warp_instructions': 1000, 'global_loads': 50,"
           "'global_load_sectors': 1600, 'global_store_sectors': 400, 'shared_loads': "
           "400,'global_bytes_moved': 64000}",
           "2.00 times as fast: half the traffic with global memory, at the price of 400 shared "
           "requests where there were none; still bound by memory bandwidth.");
}

TEST(test_lanes_and_threads)
{
    expect("64",
           "{" MODEL
           "'latency', 'warp_instructions': 3200, 'thread_instructions': 3200" BLOCKS("1", "1") "}",
           "1",
           "{" MODEL
           "'issue', 'warp_instructions': 100, 'thread_instructions': 3200" BLOCKS("1", "256") "}",
           "64.0 times as fast: 256 threads instead of 1 and 32 active lanes instead of 1, so 1/32 "
           "of the instructions; bound by latency before, by instruction issue now.");
    expect(
        "1", "{" MODEL "'issue', 'warp_instructions': 100" BLOCKS("1", "256") "}", "64",
        "{" MODEL "'latency', 'warp_instructions': 100" BLOCKS("1", "1") "}",
        "64.0 times as slow: only 1 thread instead of 256; bound by instruction issue before, by "
        "latency now.");
    expect("17", "{" MODEL "'latency', 'warp_instructions': 100" BLOCKS("1", "256") "}", "1",
           "{" MODEL "'memory', 'warp_instructions': 100" BLOCKS("32", "256") "}",
           "17.0 times as fast: 32 blocks instead of 1; bound by latency before, by memory "
           "bandwidth now.");
}

TEST(test_conflicts)
{
    expect("1.2",
           "{" MODEL "'shared memory', 'warp_instructions': 1000, 'shared_bank_conflicts': 700}",
           "1", "{" MODEL "'shared memory', 'warp_instructions': 900, 'shared_bank_conflicts': 0}",
           "1.20 times as fast: no bank conflicts any more; still bound by shared memory.");
}

/* What the limit is made of weighs more than what is merely more. */
TEST(test_the_limit_decides)
{
    static const char from[] = "{" MODEL "'%s', 'warp_instructions': 1000,"
                               "'shared_bank_conflicts': 120}";
    static const char to[] = "{" MODEL "'%s', 'warp_instructions': 800,"
                             "'shared_bank_conflicts': 0}";
    char kernel[256], kernel2[256];

    snprintf(kernel, sizeof(kernel), from, "shared memory");
    snprintf(kernel2, sizeof(kernel2), to, "shared memory");
    expect(
        "2", kernel, "1", kernel2,
        "2.00 times as fast: no bank conflicts any more and 20 % fewer instructions; still bound "
        "by shared memory.");
    snprintf(kernel, sizeof(kernel), from, "issue");
    snprintf(kernel2, sizeof(kernel2), to, "issue");
    expect("1.2", kernel, "1", kernel2,
           "1.20 times as fast: 20 % fewer instructions; still bound by instruction issue.");
}

TEST(test_slower)
{
    expect("1", "{" MODEL "'issue', 'warp_instructions': 1000, 'barriers': 100}", "1.25",
           "{" MODEL "'issue', 'warp_instructions': 1250, 'barriers': 60}",
           "25 % slower: 25 % more instructions, in spite of 40 % fewer barriers; still bound by "
           "instruction issue.");
    expect("1", "{" MODEL "'issue', 'warp_instructions': 1000}", "3",
           "{" MODEL "'issue', 'warp_instructions': 3000}",
           "3.00 times as slow: three times the instructions; still bound by instruction issue.");
    expect("10", "{" MODEL "'memory', 'warp_instructions': 1000, 'launches': 1}", "14",
           "{'modelled_ms': 1, 'bound_by': 'memory', 'warp_instructions': 1000, 'launches': 1001}",
           "40 % slower: 1 001 launches instead of 1; still bound by memory bandwidth.");
}

/* What costs nothing where something else is the limit. */
TEST(test_even)
{
    expect("1", "{" MODEL "'memory', 'warp_instructions': 1000}", "1",
           "{" MODEL "'memory', 'warp_instructions': 500}",
           "As fast as before, with half the instructions: memory bandwidth is the limit, before "
           "and now.");
    expect(
        "1", "{" MODEL "'memory', 'warp_instructions': 1000}", "0.98",
        "{" MODEL "'a limit of tomorrow', 'warp_instructions': 500}",
        "Hardly faster, with half the instructions; bound by memory bandwidth before, by a limit "
        "of tomorrow now.");
    expect(
        "1", "{" MODEL "'memory', 'warp_instructions': 1000}", "1",
        "{" MODEL "'memory', 'warp_instructions': 1000}",
        "As fast as before: no counter that matters has changed; still bound by memory bandwidth.");
}

/* Does the second step have what a tenth off the first one's time needed? */
TEST(test_tenth)
{
    static const struct {
        const char *wanted, *now, *sentence; /* of 1000 */
    } rows[] = {
        {"900", "500", "s2 has 50 % fewer: done."},
        {"900", "900", "s2 has 10 % fewer: done."},
        {"900", "980", "s2 has 2 % fewer: not enough."},
        {"900", "1000", "s2 has as many: not that."},
        {"900", "1500", "s2 has 50 % more: not that."},
        {"1100", "16000", "s2 has 16 times as many: done."},
        {"1100", "1050", "s2 has 5 % more: not enough."},
        {"1100", "500", "s2 has 50 % fewer: not that."},
    };
    char wanted[256];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *kernels[] = {
            text_format("{'modelled_ms': 1, 'tenth': {'needs': '10 %% fewer barriers (1 000 now)', "
                        "'counter': 'barriers', 'now': 1000, 'wanted': %s}}",
                        rows[i].wanted),
            text_format("{'modelled_ms': 1, 'barriers': %s}", rows[i].now)};
        json_t *from = result_of("c", "s1", "{" REPORT("64", "1") "}", kernels[0]);
        json_t *to = result_of("c", "s2", "{" REPORT("64", "1") "}", kernels[1]);

        snprintf(wanted, sizeof(wanted),
                 "To take 10 %% less time, s1 needed 10 %% fewer barriers (1 000 now). %s",
                 rows[i].sentence);
        assert_string_equal(why_tenth(from, to, LANGUAGE_ENGLISH), wanted);
        assert_null(why_tenth(to, from, LANGUAGE_ENGLISH));
        json_decref(from);
        json_decref(to);
    }
}

/* One of something is no plural. */
TEST(test_one)
{
    expect("1", "{" MODEL "'issue', 'warp_instructions': 1000, 'thread_instructions': 32000}", "32",
           "{" MODEL "'issue', 'warp_instructions': 32000, 'thread_instructions': 32000}",
           "32.0 times as slow: 1 active lane instead of 32, so 32 000 instructions instead "
           "of 1 000; still bound by instruction issue.");
    expect("2", "{" MODEL "'issue', 'warp_instructions': 1000, 'divergent_branches': 500}", "1",
           "{" MODEL "'issue', 'warp_instructions': 1000, 'divergent_branches': 1}",
           "2.00 times as fast: 1 divergent branch instead of 500; still bound by instruction "
           "issue.");
    expect("2", "{" MODEL "'issue', 'warp_instructions': 1000, 'barriers': 500}", "1",
           "{" MODEL "'issue', 'warp_instructions': 1000, 'barriers': 1}",
           "2.00 times as fast: 1 barrier instead of 500; still bound by instruction issue.");
    expect("2", "{" MODEL "'issue', 'warp_instructions': 100, 'global_loads': 500}", "1",
           "{" MODEL "'issue', 'warp_instructions': 100, 'global_loads': 1}",
           "2.00 times as fast: 1 request to global memory instead of 500; still bound by "
           "instruction issue.");
    expect("1", "{" MODEL "'latency', 'warp_instructions': 100" BLOCKS("8", "256") "}", "64",
           "{" MODEL "'latency', 'warp_instructions': 100" BLOCKS("8", "1") "}",
           "64.0 times as slow: only 1 thread per block instead of 256; still bound by latency.");
}

TEST(test_cheaper)
{
    expect("8", "{" MODEL "'issue', 'warp_instructions': 1000, 'divergent_branches': 1}", "1",
           "{" MODEL "'issue', 'warp_instructions': 600, 'divergent_branches': 400}",
           "8.00 times as fast: 40 % fewer instructions, and cheaper ones, at the price of 400 "
           "divergent branches instead of 1; still bound by instruction issue.");
}

#define STEP(chapter, step, rest) \
    result_of(chapter, step, "{" rest "}", "{'warp_instructions': 9, 'name': '" step "'}")

TEST(test_unlike)
{
    expect_sentence(
        STEP("c", "s1", REPORT("64", "1")), STEP("d", "s2", REPORT("64", "1")),
        "s1 and s2 solve different problems: neither times nor counts can be compared.");
    expect_sentence(STEP("c", "s1", REPORT("64", "1")), STEP("c", "s1", REPORT("64", "1")),
                    "The same step twice: there is nothing to tell apart.");
    expect_sentence(STEP("c", "s1", "'outcome': 'match', 'report': {'n': '64', 'bytes': 8}"),
                    STEP("c", "s2", "'outcome': 'match', 'report': {'n': '2048', 'bytes': 9}"),
                    "With n = 2 048 instead of 64, neither times nor counts can be compared.");
    expect_sentence(
        STEP("c", "s1", "'outcome': 'match', 'report': {'n': '64', 'bytes': 8}"),
        STEP("c", "s2", "'outcome': 'match', 'report': {'n': '32', 'bytes': 8}"),
        "With n = 32 instead of 64, on as many bytes: no counter that matters has changed.");
    expect_sentence(
        STEP("c", "s1", "'outcome': 'match', 'report': {'n': '64', 'reference': 'a'}"),
        STEP("c", "s2", "'outcome': 'match', 'report': {'n': '64', 'reference': 'b'}"),
        "s1 and s2 compute different things: neither times nor counts can be compared.");
    expect_sentence(STEP("c", "s0_looks", "'outcome': 'match', 'report': {}"),
                    STEP("c", "s1", REPORT("64", "1")),
                    "s0_looks computes nothing: there is nothing to compare.");
}

TEST(test_missing)
{
    expect_sentence(STEP("c", "s1", REPORT("64", "1")),
                    STEP("c", "s2", "'outcome': 'skipped', 'why': 'needs a newer GPU'"),
                    "s2 did not run here, so there is nothing to compare: needs a newer GPU.");
    expect_sentence(STEP("c", "s1", "'outcome': 'mismatch', 'why': 'result 1, reference 2'"),
                    STEP("c", "s2", REPORT("64", "1")),
                    "s1 gives a wrong result, so its time counts for nothing: result 1, reference "
                    "2.");
    expect_sentence(
        STEP("c", "s1", "'outcome': 'timeout', 'why': 'stopped after 1 s'"),
        STEP("c", "s2", REPORT("64", "1")),
        "s1 did not get to its end, so there is nothing to compare: stopped after 1 s.");
    expect_sentence(STEP("c", "s1", "'outcome': 'timeout', 'why': 'stopped after 1 s'"),
                    STEP("c", "s2", "'outcome': 'failed', 'why': 'exit status 3'"),
                    "s1 did not get to its end, so there is nothing to compare: stopped after 1 s. "
                    "s2 failed, so there is nothing to compare: exit status 3.");
    expect_sentence(
        STEP("c", "s1", "'outcome': 'skipped', 'why': 'needs a newer GPU'"),
        STEP("c", "s2", "'outcome': 'skipped', 'why': 'needs a newer GPU'"),
        "Neither s1 nor s2 ran here, so there is nothing to compare: needs a newer GPU.");
    expect_sentence(STEP("c", "s1", REPORT("64", "1")),
                    STEP("c", "s2", "'outcome': 'wrong', 'why': 'x', 'report': {'n': '64'}"),
                    "s2 gives a wrong result, on purpose, so only the counts can be compared: no "
                    "counter that matters has changed.");
}

/* A GPU counts nothing: its times, and the shapes. */
TEST(test_measured)
{
    static const char rest[] = "{'outcome': 'match', 'report': {'n': '64', 'ms': {'median': %s},"
                               "'share': %s, 'grid': [%d, 1, 1], 'block': [256, 1, 1],"
                               "'device': {'modelled': false}}, 'kernels': null}";
    char from[512], to[512];
    json_t *a, *b;

    snprintf(from, sizeof(from), rest, "8", "0.1", 1);
    snprintf(to, sizeof(to), rest, "1", "0.8", 32);
    a = read_json(from);
    b = read_json(to);
    json_object_set_new(b, "step", json_string("s2"));
    expect_sentence(a, b,
                    "8.00 times as fast, with 32 blocks instead of 1; 10.0 % of the peak before, "
                    "80.0 % now (--on emulator counts why).");
}

/* The same facts in Chinese. */
static void expect_chinese(const char *ms, const char *kernel, const char *ms2, const char *kernel2,
                           const char *wanted)
{
    char rest[512], rest2[512];

    snprintf(rest, sizeof(rest), "{" REPORT("64", "%s") "}", ms);
    snprintf(rest2, sizeof(rest2), "{" REPORT("64", "%s") "}", ms2);
    expect_sentence_in(LANGUAGE_CHINESE, result_of("c", "s1", rest, kernel),
                       result_of("c", "s2", rest2, kernel2), wanted);
}

TEST(test_chinese)
{
    expect_chinese(
        "8",
        "{" MODEL "'load/store', 'warp_instructions': 1000, 'global_loads': 100,"
        "'global_load_sectors': 3200, 'global_bytes_asked': 12800,"
        "'global_bytes_moved': 102400}",
        "1",
        "{" MODEL "'latency', 'warp_instructions': 998, 'global_loads': 100,"
        "'global_load_sectors': 400, 'global_bytes_asked': 12801,"
        "'global_bytes_moved': 12800}",
        "速度是之前的 8.00 倍：每次读取的扇区数从 32 减少到 4，同样的数据，传输量只有之前的"
        "八分之一；瓶颈从访存流水线变为延迟。");
    expect_chinese("1", "{" MODEL "'issue', 'warp_instructions': 1000, 'barriers': 100}", "1.25",
                   "{" MODEL "'issue', 'warp_instructions': 1250, 'barriers': 60}",
                   "慢了 25 %：指令数多了 25 %，尽管屏障少了 40 %；瓶颈仍是指令发射。");
    expect_chinese("1", "{" MODEL "'shared memory', 'warp_instructions': 1000}", "1",
                   "{" MODEL "'shared memory', 'warp_instructions': 500,"
                   "'shared_bank_conflicts': 700}",
                   "和之前一样快，指令数只有之前的一半，代价是 bank 冲突从 0 增加到 700：前后的瓶颈"
                   "都是共享内存。");
    expect_sentence_in(LANGUAGE_CHINESE, STEP("c", "s1", REPORT("64", "1")),
                       STEP("c", "s2", "'outcome': 'skipped', 'why': 'needs <luck>'"),
                       "s2 在这里没有运行，无法比较：needs <luck>。");
    expect_sentence_in(LANGUAGE_CHINESE,
                       STEP("c", "s1", "'outcome': 'match', 'report': {'n': '64', 'bytes': 8}"),
                       STEP("c", "s2", "'outcome': 'match', 'report': {'n': '2048', 'bytes': 9}"),
                       "n 从 64 变为 2 048，时间和计数都没有可比性。");
}

TEST_MAIN()
