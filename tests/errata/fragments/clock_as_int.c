/* SPDX-License-Identifier: MIT */
/* The article prints a clock_t as an int. */
#include <stdio.h>
#include <time.h>

void print_cycles(clock_t cycles);

void print_cycles(clock_t cycles)
{
#ifdef REPAIRED
    printf("time: %lld\n", (long long)cycles);
#else
    printf("time: %d\n", cycles);
#endif
}
