// A gigabyte of output, and as much in a file.
#include <stdio.h>
#include <string.h>

int main()
{
    static char block[1 << 20];
    FILE *file = fopen("large", "w");

    memset(block, 'x', sizeof(block));
    block[sizeof(block) - 1] = '\n';
    for (int i = 0; i < 1024; i++)
        fwrite(block, sizeof(block), 1, stdout);
    for (int i = 0; file && i < 1024; i++)
        if (!fwrite(block, sizeof(block), 1, file))
            return 1;
    return 0;
}
