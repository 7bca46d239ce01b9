/* What c7b teaches, for the steps after it: what a tile leaves for others is one word. */
#ifndef WORDS_CUH
#define WORDS_CUH

/* Which sum it is, and the sum. It is written and read whole. */
template <typename T> union word {
    struct {
        T sum;
        int what;
    } half;
    unsigned long long whole;
};

#endif
