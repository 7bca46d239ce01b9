/* SPDX-License-Identifier: MIT */
/* What the tour says in English and in Chinese, from one table: base/words.def. */
#ifndef WORDS_H
#define WORDS_H

#include "translate.h"

enum phrase {
#define X(name, english, chinese) SAY_##name,
#include "words.def"
#undef X
    PHRASE_COUNT
};

/* A phrase as it stands in the table. */
const char *phrase_text(enum language language, enum phrase phrase);

/* A phrase, with a `const char *` for each of {1}, {2} ... that the English one has, in order. */
char *say(enum language language, enum phrase phrase, ...);

/* A limit, as the emulator calls it, in `language`: its "launch" is no count. */
const char *word_for_limit(enum language language, const char *limit);

/* The phrase that says what the column of that English head means; -1: none does. */
int phrase_about(const char *header);

#endif
