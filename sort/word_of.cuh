/* An item as CUB sorts it. */
#ifndef WORD_OF_CUH
#define WORD_OF_CUH

#include <type_traits>

#include "sort.h"

/* An item as one word: of a pair the key is the upper half. */
template <typename T>
using word_of = std::conditional_t<sizeof(T) == 4, unsigned,
                                   std::conditional_t<sizeof(T) == 8, wide_key, unsigned __int128>>;

#endif
