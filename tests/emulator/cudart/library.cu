/* A program that emu runs, linked with a library whose library needs the driver.
 *
 * library              never calls it
 * library linked       calls it
 * library FILE         loads another that does
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

extern "C" int asks_for_others(void);

static int call(const char *how)
{
    if (!strcmp(how, "linked"))
        return asks_for_others();
    void *library = dlopen(how, RTLD_NOW);
    int (*asks)(void) = library ? (int (*)(void))dlsym(library, "asks_driver") : NULL;

    return asks ? asks() : 2;
}

int main(int argc, char **argv)
{
    int devices;

    if (cudaGetDeviceCount(&devices) != cudaSuccess)
        return 1;
    printf("%d device\n", devices);
    return argc > 1 ? call(argv[1]) : 0;
}
