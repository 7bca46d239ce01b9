/* SPDX-License-Identifier: MIT */
/* A program whose fat binaries lie as nvcc places them for AArch64: each 256-byte aligned, with
 * zeros between two. */

__asm__(".pushsection .nv_fatbin, \"a\"\n"
        ".balign 256\n.incbin \"" FATBIN "\"\n"
        ".balign 256\n.incbin \"" FATBIN "\"\n"
        ".balign 256\n"
        ".popsection\n");

int main(void)
{
    return 0;
}
