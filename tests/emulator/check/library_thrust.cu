/* Thrust's sort_by_key, scan, reduce_by_key and unique, with a struct that has padding: correct,
 * so --check=all is silent about them. */
#include <cstdio>
#include <cstring>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

constexpr int COUNT = 5000;

struct padded {
    char kind;
    int value;
};

int main()
{
    thrust::host_vector<int> host(COUNT);
    thrust::host_vector<padded> items(COUNT);
    for (int i = 0; i < COUNT; i++) {
        host[i] = i * 7919 % 1000;
        items[i].kind = i;
        items[i].value = host[i];
    }
    thrust::device_vector<int> a = host, b(COUNT), c(COUNT), d(COUNT);
    thrust::device_vector<padded> p = items;
    thrust::sort_by_key(a.begin(), a.end(), p.begin());
    thrust::inclusive_scan(a.begin(), a.end(), b.begin());
    printf("%d %d\n", (int)a[COUNT / 2], (int)b[COUNT - 1]);
    auto ends = thrust::reduce_by_key(a.begin(), a.end(), b.begin(), c.begin(), d.begin());
    printf("%d\n", (int)(ends.first - c.begin()));
    printf("%d\n", (int)(thrust::unique(a.begin(), a.end()) - a.begin()));
    printf("%d\n", ((padded)p[COUNT / 2]).value);
    return 0;
}
