// Takes memory in several processes, each below the limit of one.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main()
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            char *memory = (char *)malloc(1 << 30);

            if (memory)
                memset(memory, 1, 1 << 30);
            pause();
        }
    pause();
}
