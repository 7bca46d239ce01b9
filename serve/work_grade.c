/* SPDX-License-Identifier: MIT */
/* A puzzle's verdict. */
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include "handed.h"
#include "sandbox.h"
#include "text.h"
#include "work.h"

void work_grade(struct work *work)
{
    const struct puzzle_entry *entry = puzzle_named(work_text(work, "puzzle"));
    char *name = entry ? text_format("%s.cu", entry->name) : NULL;
    struct grading grading = {
        .entry = entry,
        .source = work_text(work, "source"),
        .shown = name,
        .scratch = work->folder,
        .trust = TRUST_NONE,
    };

    if (!entry) {
        work_fail(work, "no such puzzle");
        return;
    }
    prctl(PR_SET_DUMPABLE, 1); /* or we could not name the users of a namespace within the cell */
    if (sandbox_works(work->folder, compile_toolkit))
        grading.trust = TRUST_SANDBOX;
    if (getrandom(&grading.seed, sizeof(grading.seed), 0) < 0)
        grading.seed = 1;
    work_phase("grading");
    const struct verdict verdict = grade(&grading);
    json_t *said =
        json_pack("{s:s, s:s, s:s, s:o}", "event", "verdict", "verdict", verdict_name(verdict.kind),
                  "words", text_in(work->language, verdict_words(verdict.kind)), "marks",
                  work_marks(work, verdict.text, name));
    json_object_set_new(said, "text", json_string(work_say(work, verdict.text)));
    json_object_set_new(said, "printed", json_string(work_say(work, verdict.printed)));
    if (*verdict.prediction)
        json_object_set_new(
            said, "prediction",
            json_string(work_say(work, text_format("prediction %s", verdict.prediction))));
    work_emit(said);
}
