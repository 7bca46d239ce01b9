/* SPDX-License-Identifier: MIT */
/* Counts bytes. */
enum { BINS = 16 };

/* Add to `bins`, in device memory, how many of n bytes there are of each value modulo BINS. */
void count_bytes(const unsigned char *data, int n, unsigned *bins);
