/* SPDX-License-Identifier: MIT */
/* The article's tree doubles its offset with a space inside the operator. */
int next_offset(int offset);

int next_offset(int offset)
{
    /* clang-format off */
#ifdef REPAIRED
    offset += offset;
#else
    offset + = offset;
#endif
    /* clang-format on */
    return offset;
}
