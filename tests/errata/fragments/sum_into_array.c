/* SPDX-License-Identifier: MIT */
/* The article's CPU check adds into the array of partial sums. */
int cpu_check(const int *data, int n);

int cpu_check(const int *data, int n)
{
#ifdef REPAIRED
    int sum = 0;
#else
    int sum[256];
#endif

    for (int i = 0; i < n; i++)
        sum += data[i] * data[i];
    return sum;
}
