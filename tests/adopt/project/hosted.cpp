// A program whose kernels are in a library. With an argument it copies too much.
int last_of(int count);

int main(int argc, char **)
{
    return last_of(argc > 1 ? 64 : 32) != 31;
}
