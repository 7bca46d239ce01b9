/* SPDX-License-Identifier: MIT */
/* A library that needs another. */
int asks_driver(void);
int asks_for_others(void);

int asks_for_others(void)
{
    return asks_driver();
}
