// Starts processes until none can be started, each of which does the same, in a session of its own.
#include <stdio.h>
#include <unistd.h>

int main()
{
    for (;;) {
        const pid_t child = fork();

        if (child < 0)
            break;
        setsid();
    }
    printf("no more processes\n");
    fflush(stdout);
    pause();
}
