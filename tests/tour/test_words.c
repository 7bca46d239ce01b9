/* SPDX-License-Identifier: MIT */
/* What the tour says in English and in Chinese: phrases, and what chapters and steps are called. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "manifest.h"
#include "results.h"
#include "text.h"
#include "titles.h"
#include "words.h"

/* The parameters of a phrase, a bit each. */
static unsigned parameters(const char *text)
{
    unsigned found = 0;

    for (; *text; text++)
        if (text[0] == '{' && text[1] >= '1' && text[1] <= '9' && text[2] == '}')
            found |= 1u << (text[1] - '0');
    return found;
}

/* Has the text a character outside ASCII? */
static bool is_chinese(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80)
            return true;
    return false;
}

/* Figures and units are written alike. */
static bool needs_no_chinese(const char *text)
{
    return !strcmp(text, "GFLOP/s") || !strcmp(text, " 1/{1}") || !strcmp(text, "n");
}

TEST(test_phrases)
{
    for (int i = 0; i < PHRASE_COUNT; i++) {
        const char *english = phrase_text(LANGUAGE_ENGLISH, (enum phrase)i);
        const char *chinese = phrase_text(LANGUAGE_CHINESE, (enum phrase)i);

        if (!*english || parameters(english) != parameters(chinese))
            fail_msg("'%s' and '%s' are about other things", english, chinese);
        if (!is_chinese(chinese) && !needs_no_chinese(chinese))
            fail_msg("'%s' has no Chinese: '%s'", english, chinese);
        if ((parameters(english) / 2 & (parameters(english) / 2 + 1)) != 0)
            fail_msg("'%s' skips a parameter", english);
    }
}

/* The name of one of something stands before that of several, and is the same in Chinese. */
TEST(test_one_before_several)
{
    static const enum phrase several[] = {
        SAY_INSTRUCTIONS,  SAY_TRANSACTIONS, SAY_REQUESTS,     SAY_DIVERGENT,
        SAY_BARRIERS,      SAY_ATOMICS,      SAY_SHARED,       SAY_CONFLICTS,
        SAY_TEXTURES,      SAY_CONSTANTS,    SAY_LAUNCHES,     SAY_BLOCKS,
        SAY_BLOCK_THREADS, SAY_THREADS,      SAY_ACTIVE_LANES, SAY_SECTORS_LOAD};

    for (size_t i = 0; i < sizeof(several) / sizeof(several[0]); i++) {
        const char *name = phrase_text(LANGUAGE_ENGLISH, several[i]);
        const char *one = phrase_text(LANGUAGE_ENGLISH, several[i] - 1);

        assert_true(strlen(one) < strlen(name) && !strncmp(one, name, 5));
        assert_string_equal(phrase_text(LANGUAGE_CHINESE, several[i] - 1),
                            phrase_text(LANGUAGE_CHINESE, several[i]));
    }
}

static void expect_cell(enum language language, const char *cell, const char *wanted)
{
    char *words = text_in(language, cell);

    assert_string_equal(words, wanted);
    free(words);
}

/* A word that a table shows is the same everywhere it stands. */
TEST(test_words)
{
    static const char *const limits[] = {"issue",  "latency",  "load/store",   "memory",
                                         "launch", "barriers", "shared memory"};

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        assert_true(is_chinese(word_for_limit(LANGUAGE_CHINESE, limits[i])));
    for (int i = 0; i < OUTCOME_COUNT; i++)
        assert_true(is_chinese(text_in(LANGUAGE_CHINESE, outcome_name((enum outcome)i))));
    assert_string_equal(text_in(LANGUAGE_CHINESE, "bank conflicts"), "bank 冲突");
    assert_string_equal(text_in(LANGUAGE_ENGLISH, "bank conflicts"), "bank conflicts");
    assert_string_equal(text_in(LANGUAGE_CHINESE, "launch"), "启动次数");
    assert_string_equal(word_for_limit(LANGUAGE_CHINESE, "launch"), "启动开销");
    assert_string_equal(text_in(LANGUAGE_CHINESE, "wrong"), "有意出错");
    expect_cell(LANGUAGE_CHINESE, "cached", "有缓存");
    expect_cell(LANGUAGE_ENGLISH, "cached", "cached");
    assert_string_equal(text_in(LANGUAGE_CHINESE, "no such word"), "no such word");
}

/* The phrases of variants are the last of the table, and all of them are found. */
TEST(test_variants)
{
    static const char *const names[] = {
#define X(name, english, chinese) #name,
#include "words.def"
#undef X
    };

    for (int i = 0; i < PHRASE_COUNT; i++) {
        const char *english = phrase_text(LANGUAGE_ENGLISH, (enum phrase)i);
        const char *chinese = phrase_text(LANGUAGE_CHINESE, (enum phrase)i);

        if ((i >= SAY_VARIANT_WRONG) != !strncmp(names[i], "VARIANT_", 8))
            fail_msg("%s: the block of variants is the last", names[i]);
        if (i > SAY_VARIANT_WRONG && !parameters(english))
            expect_cell(LANGUAGE_CHINESE, english, chinese);
    }
}

/* A phrase with parameters takes numbers, and nothing else. */
TEST(test_numbers)
{
    expect_cell(LANGUAGE_CHINESE, "16384 bytes", "16384 字节");
    expect_cell(LANGUAGE_ENGLISH, "16384 bytes", "16384 bytes");
    expect_cell(LANGUAGE_CHINESE, "3 blocks, 1536 threads", "3 个 block，1536 个线程");
    expect_cell(LANGUAGE_CHINESE, "some bytes", "some bytes");
    expect_cell(LANGUAGE_CHINESE, "16384 bytes or so", "16384 bytes or so");
    expect_cell(LANGUAGE_CHINESE, "150K cycles, 40.5 GB/s", "150K 个周期，40.5 GB/s");
    expect_cell(LANGUAGE_CHINESE, "1 s, 1.7 GFLOPS, error 2.0e-6", "1 s，1.7 GFLOPS，误差 2.0e-6");
}

/* What the articles say of steps is said in Chinese too. */
TEST(test_articles)
{
    struct manifest manifest;
    int figures = 0;

    assert_true(manifest_read(&manifest, BUILD));
    for (int i = 0; i < manifest.step_count; i++) {
        char *words = text_in(LANGUAGE_CHINESE, manifest.steps[i].article);

        if (*manifest.steps[i].article && !is_chinese(words))
            fail_msg("%s: no Chinese for '%s'", manifest.steps[i].name, words);
        figures += *manifest.steps[i].article != '\0';
        free(words);
    }
    assert_true(figures > 30);
}

static void expect_said(enum language language, const char *wanted)
{
    char *text = say(language, SAY_AT_THE_PRICE, "bank", "bank {1} %s");

    assert_string_equal(text, wanted);
    free(text);
}

/* Parameters are text; Latin letters keep off Chinese characters. */
TEST(test_say)
{
    expect_said(LANGUAGE_ENGLISH, "bank, at the price of bank {1} %s");
    expect_said(LANGUAGE_CHINESE, "bank，代价是 bank {1} %s");
}

static json_t *result_of(const struct step *step)
{
    return json_pack("{s:s, s:s, s:s}", "chapter", step->chapter, "step", step->name, "title",
                     step->title);
}

static char *chinese_title(const struct manifest *manifest, int index)
{
    json_t *result = result_of(&manifest->steps[index]);
    char *title = title_of_step(manifest, CHECKOUT, result, LANGUAGE_CHINESE);

    json_decref(result);
    return title;
}

static bool is_same_chapter(const struct step *a, const struct step *b)
{
    return !strcmp(a->chapter, b->chapter);
}

/* Every step has a title in Chinese, and no two of a chapter the same. */
TEST(test_titles)
{
    struct manifest manifest;
    char *titles[256];

    assert_true(manifest_read(&manifest, BUILD));
    assert_true(manifest.step_count < 256);
    for (int i = 0; i < manifest.step_count; i++) {
        const struct step *step = &manifest.steps[i];

        titles[i] = chinese_title(&manifest, i);
        if (!is_chinese(titles[i]) && strcmp(titles[i], "shuffle") != 0)
            fail_msg("%s/%s has no title in Chinese: '%s'", step->chapter, step->name, titles[i]);
        for (int k = 0; k < i; k++)
            if (is_same_chapter(step, &manifest.steps[k]) && !strcmp(titles[k], titles[i]))
                fail_msg("%s/%s is called as %s is", step->chapter, step->name,
                         manifest.steps[k].name);
    }
    for (int i = 0; i < manifest.chapter_count; i++) {
        char *title =
            title_of_chapter(&manifest, CHECKOUT, manifest.chapters[i].name, LANGUAGE_CHINESE);

        if (!is_chinese(title) && strcmp(title, "SGEMM") != 0 && strcmp(title, "FFT") != 0)
            fail_msg("%s has no title in Chinese: '%s'", manifest.chapters[i].name, title);
        free(title);
    }
    for (int i = 0; i < manifest.step_count; i++)
        free(titles[i]);
}

/* Without a page, or a section, the title is the English one. */
TEST(test_untitled)
{
    struct manifest manifest;
    char *title;

    assert_true(manifest_read(&manifest, BUILD));
    for (int i = 0; i < manifest.step_count; i++) {
        json_t *result = result_of(&manifest.steps[i]);

        title = title_of_step(&manifest, "/nowhere", result, LANGUAGE_CHINESE);
        assert_string_equal(title, manifest.steps[i].chinese ? manifest.steps[i].chinese
                                                             : manifest.steps[i].title);
        free(title);
        json_decref(result);
    }
    title = title_of_chapter(&manifest, "/nowhere", "sumsq", LANGUAGE_CHINESE);
    assert_string_equal(title, manifest_title(&manifest, "sumsq"));
    free(title);
}

TEST_MAIN()
