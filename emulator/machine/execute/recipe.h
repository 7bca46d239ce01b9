/* SPDX-License-Identifier: MIT */
/* Recipes: what executors compute in a lane, as text. The macros that make an executor from an
 * expression of a, b and c keep the expression too, and compile/ prints it: a kernel that becomes
 * machine code computes with the very words that the interpreter was compiled from. */
#ifndef RECIPE_H
#define RECIPE_H

typedef void recipe_key(void);

/* How a lane of an operand is read: the view of its register, and the type it is taken as. */
struct recipe_source {
    const char *view, *type;
};

struct recipe {
    recipe_key *executor; /* an op_handler or a comparison, which it stands for */
    const char *d; /* the view of the result; "": a bit of a predicate */
    struct recipe_source sources[3]; /* a, b, c; NULLs: it has no such */
    const char *type, *twin; /* T and U in the text */
    const char *text;
};

#define SOURCE(view, type) \
    {                      \
#view, #type       \
    }
#define SOURCES_ONE(view, type) \
    {                           \
        SOURCE(view, type)      \
    }
#define SOURCES_TWO(view, type)                \
    {                                          \
        SOURCE(view, type), SOURCE(view, type) \
    }
#define SOURCES_THREE(view, type)                                  \
    {                                                              \
        SOURCE(view, type), SOURCE(view, type), SOURCE(view, type) \
    }
#define SOURCES_SHIFT(view, type)                      \
    {                                                  \
        SOURCE(view, type), SOURCE(lane_u32, uint32_t) \
    }
#define SOURCES_SELECT(view, type)              \
    {                                           \
        SOURCE(view, type), SOURCE(view, type), \
        {                                       \
            "", "int"                           \
        }                                       \
    }
#define SOURCES_MAD(view, type, wide_view, wide)                        \
    {                                                                   \
        SOURCE(view, type), SOURCE(view, type), SOURCE(wide_view, wide) \
    }

/* Recipes are found through a section of pointers to them (compile/recipes.c). `sources` is one of
 * the above, with its arguments. */
#define RECIPE(function, d_view, sources, type, twin, ...)                    \
    static const struct recipe recipe_##function = {                          \
        (recipe_key *)function, d_view, sources, #type, #twin, #__VA_ARGS__}; \
    static const struct recipe *const recipe_of_##function                    \
        __attribute__((used, section("recipes"))) = &recipe_##function;

#endif
