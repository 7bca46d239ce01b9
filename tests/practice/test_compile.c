/* SPDX-License-Identifier: MIT */
/* What a submission gets to hear of nvcc's end. The compiler is a stand-in, a script that does what
 * FAKE_NVCC says, to which the test's compile.c is compiled. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../cmocka_main.h"
#include "compile.h"
#include "files.h"
#include "text.h"

TEST(test_ends)
{
    static const struct {
        const char *script, *said;
    } ends[] = {
        {"echo 'x.cu(3): error: no'; exit 2", "x.cu(3): error: no\n"},
        {"echo 'x.cu(3): error: no'; echo '  puts(out of memory)'; exit 2",
         "x.cu(3): error: no\n  puts(out of memory)\n"},
        {"echo \"nvcc error   : 'cicc' died due to signal 24 (CPU time limit exceeded)\"; exit 255",
         "nvcc took more than 10 seconds of CPU time\n"},
        {"echo 'gcc: fatal error: CPU time limit exceeded signal terminated program cc1plus'; exit "
         "1",
         "nvcc took more than 10 seconds of CPU time\n"},
        {"echo 'LLVM ERROR: out of memory'; exit 1", "nvcc took more than 4 GiB of memory\n"},
        {"echo 'cc1plus: out of memory allocating 65536 bytes'; exit 1",
         "nvcc took more than 4 GiB of memory\n"},
        {"echo \"nvcc error   : 'cicc' died due to signal 25\"; exit 255",
         "nvcc wrote more than 64 MiB\n"},
        {"echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\"; exit 255",
         "nvcc was killed: it may be that the machine had no memory left\n"},
    };
    char *scratch = scratch_make();

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        struct verdict verdict;

        setenv("FAKE_NVCC", ends[i].script, 1);
        assert_null(compile_ptx("", "/class/ann/x.cu", 75, TRUST_OWN, scratch, &verdict));
        assert_string_equal(verdict.text, ends[i].said);
        assert_int_equal(verdict.kind, VERDICT_COMPILE);
    }
    scratch_remove(scratch);
    free(scratch);
}

/* A message of nvcc's that mentions memory is none of its end. */
TEST(test_success)
{
    char *scratch = scratch_make();
    char *file = text_format(".file 1 \"%s/submission.cu\"", scratch);
    struct verdict verdict;
    char *ptx;

    setenv("FILE_LINE", file, 1);
    setenv("FAKE_NVCC", "echo 'warning: out of memory'; echo \"$FILE_LINE\" >submission.ptx", 1);
    ptx = compile_ptx("", "/class/a \"b\"/x (1).cu", 75, TRUST_OWN, scratch, &verdict);
    assert_non_null(ptx);
    assert_string_equal(ptx, ".file 1 \"/class/a 'b'/x (1).cu\"\n");
    free(ptx);
    free(file);
    scratch_remove(scratch);
    free(scratch);
}

TEST_MAIN()
