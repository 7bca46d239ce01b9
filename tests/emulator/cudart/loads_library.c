/* SPDX-License-Identifier: MIT */
/* A program that needs such a library. */
int fake_library(void);

int main(void)
{
    return fake_library();
}
