/* SPDX-License-Identifier: MIT */
/* A program whose library has the kernels; it calls that only without an argument. */
int fill_on_device(void);

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? 0 : fill_on_device();
}
