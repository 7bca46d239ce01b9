/* SPDX-License-Identifier: MIT */
/* Numbers on the device and statuses, for the tests of libraries. */
#ifndef DEVICE_H
#define DEVICE_H

#include <vector>

#include "../cudart/expect.h"

static inline void expect_status(int status, int expected, const char *call, int line)
{
    if (status == expected)
        return;
    failures++;
    std::printf("line %d: %s gave %d, not %d\n", line, call, status, expected);
}

/* A library's function returns this status. */
#define EXPECT_STATUS(status, call) expect_status((call), (status), #call, __LINE__)

/* A copy on the device, for as long as this lives. */
template <typename T> struct Device {
    T *data;
    size_t count;
    explicit Device(const std::vector<T> &host) : data(NULL), count(host.size())
    {
        EXPECT_SUCCESS(cudaMalloc(&data, count * sizeof(T)));
        EXPECT_SUCCESS(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyDefault));
    }
    ~Device()
    {
        cudaFree(data);
    }
    std::vector<T> host() const
    {
        std::vector<T> copy(count);
        EXPECT_SUCCESS(cudaMemcpy(copy.data(), data, count * sizeof(T), cudaMemcpyDefault));
        return copy;
    }
};

#endif
