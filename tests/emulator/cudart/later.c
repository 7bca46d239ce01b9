/* SPDX-License-Identifier: MIT */
/* Functions of a runtime to come. */
void cudaGraphLater(void);
void cudaGraphMuchLater(void);
void cudaMemPoolLater(void);

void cudaGraphLater(void)
{
}

void cudaGraphMuchLater(void)
{
}

void cudaMemPoolLater(void)
{
}
