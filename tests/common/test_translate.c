/* SPDX-License-Identifier: MIT */
/* translate.c: what is said to people in Chinese, and to whom. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "translate.h"

static const struct {
    const char *english, *chinese;
} messages[] = {
#define M(english, chinese) {english, chinese},
#include "messages.def"
#undef M
};

enum { MESSAGES = sizeof(messages) / sizeof(messages[0]) };

static void expect(const char *english, const char *wanted)
{
    char *chinese = translate(LANGUAGE_CHINESE, english),
         *same = translate(LANGUAGE_ENGLISH, english);

    assert_string_equal(chinese, wanted);
    assert_string_equal(same, english);
    free(chinese);
    free(same);
}

TEST(test_messages)
{
    expect("", "");
    expect("  interrupted\n", "  已中断\n");
    expect("no step 'x, y: z'; there are: a b", "没有步骤 'x, y: z'；有这些：a b");
    expect("different warps: no barrier of the block orders them; 2 times",
           "不同的 warp：block 内没有屏障保证它们的先后；共 2 次");
    expect("a.cu(23): error: expected a \";\"", "a.cu(23): error: expected a \";\"");
    expect("cannot read my file: No such file or directory",
           "无法读取 my file：没有这个文件或目录");
    expect("3 of 34 passed", "34 题中通过了 3 题");
    expect("unheard of", "unheard of");
    expect("x.cu(3): error: this, and that", "x.cu(3): error: this, and that");
    expect("my.cu, puzzle 1: ", "my.cu，谜题 1：");
}

/* What is put in stays, a name that is a word as well, unless it is said to be translated. */
TEST(test_nested)
{
    expect("race: 4 bytes of shared memory at 0x80, byte 128 of __shared__ memory, kernel race",
           "竞争：共享内存 4 字节，地址 0x80，__shared__ memory 的第 128 字节，kernel race");
    expect("memory in kernel load, load at a/b.cu:2, block (0,0,0), thread (5,0,0): out-of-bounds "
           "load "
           "of 4 bytes at 0x7f; 0 bytes past the end of a 1024-byte allocation; 8 times (the first "
           "of 2 "
           "reports); every run: failed",
           "kernel load 中：内存，a/b.cu:2 处读，block (0,0,0)，线程 (5,0,0)：越界读 4 字节，地址 "
           "0x7f；"
           "紧接在一块 1024 字节的内存末尾之后；共 8 次（共 2 "
           "条报告，这是第一条）；每次运行：失败");
    expect("checked, 2 reports: memory 1, race 1, sync 0, init 0",
           "检查完毕，2 条报告：内存 1，竞争 1，同步 0，未初始化 0");
}

/* A text as long as anybody may send it costs no more than a moment. */
TEST(test_long)
{
    enum { LENGTH = 100000 };
    char *text = malloc(LENGTH + 1);

    memset(text, ',', LENGTH);
    text[LENGTH] = '\0';
    expect(text, text);
    for (size_t i = 1; i < 1000; i += 2)
        text[i] = ' ';
    text[1000] = '\0';
    expect(text, text);
    /* Two ways to take it apart at each joint, and none of the parts is known. */
    for (size_t i = 0; i < 1000 - 6; i += 6)
        memcpy(text + i, "a, b: ", 6);
    expect(text, text);
    free(text);
}

/* The parameters of a text in such brackets, a bit each. */
static unsigned parameters(const char *text, char open, char close)
{
    unsigned found = 0;

    for (; *text; text++)
        if (*text == open && text[1] >= '1' && text[1] <= '9' && text[2] == close)
            found |= 1u << (text[1] - '0');
    return found;
}

/* Chinese has the parameters of the English, which are counted from 1. */
TEST(test_parameters)
{
    for (size_t i = 0; i < MESSAGES; i++) {
        const unsigned english = parameters(messages[i].english, '{', '}');
        const unsigned plain = parameters(messages[i].chinese, '{', '}');
        const unsigned nested = parameters(messages[i].chinese, '<', '>');

        if ((plain | nested) != english || plain & nested)
            fail_msg("'%s' and '%s' are about other things", messages[i].english,
                     messages[i].chinese);
        if ((english / 2 & (english / 2 + 1)) != 0)
            fail_msg("'%s' skips a parameter", messages[i].english);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(messages[i].english, messages[k].english))
                fail_msg("'%s' is there twice", messages[i].english);
    }
}

/* The language in a process of its own with these variables; NULL: not set. */
static enum language language_with(const char *locale, const char *language)
{
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        unsetenv("LC_ALL");
        unsetenv("LC_MESSAGES");
        unsetenv("LANG");
        unsetenv("LANGUAGE");
        if (locale)
            setenv("LANG", locale, 1);
        if (language)
            setenv("LANGUAGE", language, 1);
        _exit((int)language_here());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return (enum language)WEXITSTATUS(status);
}

TEST(test_language)
{
    assert_int_equal(language_with(NULL, NULL), LANGUAGE_ENGLISH);
    assert_int_equal(language_with("C", "zh"), LANGUAGE_ENGLISH);
    assert_int_equal(language_with("zh_CN.UTF-8", NULL), LANGUAGE_CHINESE);
    assert_int_equal(language_with("zh_CN.utf8", NULL), LANGUAGE_CHINESE);
    assert_int_equal(language_with("zh_CN.GBK", NULL), LANGUAGE_ENGLISH);
    assert_int_equal(language_with("zh_CN.UTF-8", "en"), LANGUAGE_ENGLISH);
    assert_int_equal(language_with("C.UTF-8", "zh_CN:en"), LANGUAGE_CHINESE);
    assert_int_equal(language_with("de_DE.UTF-8", ""), LANGUAGE_ENGLISH);
}

TEST_MAIN()
