// Looks for what is not its own: prints what it could read.
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main()
{
    const char *const paths[] = {"/etc/passwd", "/root", "/home", "/var/log", "/proc/1/environ"};
    int found = 0;

    for (const char *path : paths)
        if (open(path, O_RDONLY) >= 0) {
            printf("read %s\n", path);
            found++;
        }
    const int out = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in here = {};
    here.sin_family = AF_INET;
    here.sin_port = htons(8765);
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (out >= 0 && !connect(out, (sockaddr *)&here, sizeof(here)))
        printf("reached the server\n"), found++;
    printf("found %d\n", found);
    return found;
}
