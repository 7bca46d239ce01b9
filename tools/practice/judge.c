/* SPDX-License-Identifier: MIT */
/* Goals and predictions of a puzzle, and what was counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "text.h"

/* A number as people write it, and no more digits than it takes. */
static char *number(double value)
{
    if (isnan(value))
        return copy_text("nothing counted");
    return fabs(value - round(value)) < 1e-9 ? text_format("%.0f", value)
                                             : text_format("%.2f", value);
}

bool judge_goals(const struct run *run, char *const *goals, int count, const struct counts *counts,
                 char **text)
{
    bool met = true;

    for (int i = 0; i < count && goals[i]; i++) {
        char error[ERROR_SIZE];
        struct goal goal;

        if (!goal_read(goals[i], counts, &goal, error, sizeof(error)))
            run_broken(run, "goal '%s': %s", goals[i], error);
        char *more =
            text_format("%s%s %s: %s, goal %s %s\n", *text, goal.met ? "met   " : "missed",
                        goal.label, number(goal.counted), goal.relation, number(goal.wanted));
        *text = more;
        met = met && goal.met;
    }
    return met;
}

/* What stands behind "// prediction:" in a submission, in full-width signs or not; NULL where there
 * is no such line. */
static char *find_prediction(const char *source)
{
    static const char mark[] = "// prediction:";

    for (char **lines = text_lines(source); *lines; lines++) {
        text_narrow(*lines);
        char *line = *lines + strspn(*lines, " \t\r");
        if (!strncmp(line, mark, strlen(mark))) {
            line += strlen(mark);
            line += strspn(line, " \t");
            line[strcspn(line, " \t\r")] = '\0';
            return line;
        }
    }
    return NULL;
}

void judge_prediction(struct run *run, const struct counts *counts)
{
    char error[ERROR_SIZE], *end;
    char *said = find_prediction(run->grading->source);
    double counted;

    if (!goal_number(run->grading->entry->puzzle->prediction, counts, &counted, error,
                     sizeof(error)))
        run_broken(run, "prediction: %s", error);
    if (!said) {
        run->prediction = copy_text("not found: the file has no line '// prediction: NUMBER'");
        return;
    }
    if (!*said || !strcmp(said, "?")) {
        run->prediction =
            copy_text("not made yet: put a number in the place of the ? after '// prediction:'");
        return;
    }
    const double predicted = strtod(said, &end);
    if (*end) {
        run->prediction = text_format("'%s' is no number", said);
        return;
    }
    run->predicted = fabs(predicted - counted) <= 0.01;
    run->prediction =
        run->predicted
            ? text_format("right: %s", said)
            : text_format("you said %s, the counter disagrees; it tells its number when all else "
                          "is right",
                          said);
    run->counted = text_format("you said %s, the counter says %s%s", said, number(counted),
                               picture_text(&run->picture));
}
