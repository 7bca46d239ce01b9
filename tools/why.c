/* How it works: each quantity below has a rough price, in issue slots of an SM. The change of a
 * quantity, times its price, divided by all that the more expensive step costs, is its weight: from
 * 0, of no account, to 1. What the limit of a step is made of weighs more. The sentence names the
 * two changes that weigh most and go the way the time went, then the one that goes the other way,
 * if it weighs anything, then the limits. The prices rank, no more: no figure comes from them. */
#include "why.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ladder.h"
#include "results.h"
#include "text.h"

enum quantity {
    THREADS,
    INSTRUCTIONS,
    TRAFFIC,
    TRANSACTIONS,
    REQUESTS,
    DIVERGENT,
    BARRIERS,
    ATOMICS,
    LOCAL,
    SHARED,
    CONFLICTS,
    TEXTURES,
    CONSTANTS,
    LAUNCHES,
    OCCUPANCY,
    QUANTITY_COUNT
};

struct description {
    const char *keys[3]; /* counters: their sum */
    double price;
    const char *limits; /* the limits that are made of it, between bars */
    const char *name; /* after "half the", "22 % more" */
    bool mass; /* "less traffic", not "fewer" */
    bool more_is_better;
};

/* 32 bytes of traffic are some clocks of bandwidth, a divergent branch is both its sides, a
 * barrier a drained pipeline; what a launch costs is known in seconds. */
static const struct description descriptions[QUANTITY_COUNT] = {
    [THREADS] = {.limits = "|latency|", .more_is_better = true},
    [INSTRUCTIONS] = {{"warp_instructions"}, 1, "|issue|", "instructions"},
    [TRAFFIC] = {{"global_bytes_moved"},
                 3.0 / 32,
                 "|memory|load/store|",
                 "traffic with global memory",
                 .mass = true},
    [TRANSACTIONS] = {{"global_transactions"}, 1, "|memory|load/store|", "memory transactions"},
    [REQUESTS] = {{"global_loads", "global_stores"},
                  0.5,
                  "|load/store|latency|",
                  "requests to global memory"},
    [DIVERGENT] = {{"divergent_branches"}, 8, "|issue|", "divergent branches"},
    [BARRIERS] = {{"barriers"}, 4, "|barriers|latency|", "barriers"},
    [ATOMICS] = {{"global_atomics"}, 8, "|memory|load/store|", "global atomic requests"},
    [LOCAL] =
        {{"local_sectors"}, 3, "|memory|load/store|", "traffic with local memory", .mass = true},
    [SHARED] = {{"shared_loads", "shared_stores", "shared_atomics"},
                1,
                "|shared memory|load/store|",
                "shared requests"},
    [CONFLICTS] = {{"shared_bank_conflicts"}, 1, "|shared memory|load/store|", "bank conflicts"},
    [TEXTURES] = {{"texture_sectors"}, 2, "|memory|load/store|", "texture sectors"},
    [CONSTANTS] = {{"constant_passes"}, 1, "|load/store|", "constant passes"},
    [LAUNCHES] = {{"launches"}, 0, "|launch|", "launches"},
    [OCCUPANCY] = {.limits = "|latency|", .more_is_better = true},
};

static const double launch_seconds = 3e-6;
static const double least_change = 0.05; /* of a time: less is as good as none */
static const double least_weight = 0.02; /* of a change worth a word */
static const double least_alone = 0.002; /* where no change weighs that much */
static const double least_second = 0.25; /* of a second change, in parts of the first */

/* --- One step --------------------------------------------------------------------------------- */

struct side {
    const json_t *result;
    double values[QUANTITY_COUNT]; /* NaN: not counted */
    double cost, time;
    const char *limit; /* or "" */
    bool wrong;
};

static double size_at(const json_t *value, const char *key)
{
    const json_t *sizes = json_object_get(value, key), *size;
    double product = 1;
    size_t i;

    if (json_array_size(sizes) == 0)
        return NAN;
    json_array_foreach(sizes, i, size)
        product *= json_number_value(size);
    return product;
}

/* Blocks or threads of a block, of the main kernel or, on a GPU, as the step says. */
static double shape_of(const json_t *result, const char *key)
{
    const json_t *kernel = result_main_kernel(result);

    return size_at(kernel ? kernel : json_object_get(result, "report"), key);
}

static double cost_of(const struct side *side, int quantity)
{
    const double value = side->values[quantity];

    return isnan(value) ? 0 : value * descriptions[quantity].price;
}

/* Where memory moves whole lines, its transactions are those and say nothing new. */
static bool moves_lines(const json_t *result)
{
    return result_counter(result, "global_transactions") == result_counter(result, "global_lines");
}

static struct side side_of(const json_t *result)
{
    struct side side = {.result = result, .time = result_time(result)};

    for (int i = 0; i < QUANTITY_COUNT; i++)
        side.values[i] = *descriptions[i].keys ? result_sum(result, descriptions[i].keys) : NAN;
    side.values[THREADS] = shape_of(result, "grid") * shape_of(result, "block");
    side.values[OCCUPANCY] = result_occupancy(result);
    if (moves_lines(result))
        side.values[TRANSACTIONS] = NAN;
    for (int i = 0; i < QUANTITY_COUNT; i++)
        side.cost += cost_of(&side, i);
    side.limit = result_bound(result);
    side.wrong = result_outcome(result) == OUTCOME_WRONG;
    return side;
}

static bool is_counted(const struct side *side)
{
    return side->values[INSTRUCTIONS] > 0;
}

/* --- Two steps -------------------------------------------------------------------------------- */

struct pair {
    struct side from, to;
    double speed_up; /* NaN where times do not compare */
};

static bool limited_by(const struct side *side, int quantity)
{
    return *side->limit && strstr(descriptions[quantity].limits, side->limit);
}

/* From 0 to 1: a step that fills more of the GPU hides more latency, if it waits for that. */
static double weight_of_filling(const struct pair *pair, int quantity)
{
    const double a = pair->from.values[quantity], b = pair->to.values[quantity];
    const bool waits = limited_by(b > a ? &pair->from : &pair->to, quantity);
    const double change = 1 - fmin(a, b) / fmax(a, b);

    if (waits)
        return quantity == THREADS ? change : change / 2;
    return *pair->from.limit ? 0 : change; /* on a GPU nobody knows the limit */
}

static double weight_of(const struct pair *pair, int quantity)
{
    const double a = pair->from.values[quantity], b = pair->to.values[quantity];
    const double higher = fmax(pair->from.cost, pair->to.cost);
    double weight;

    if (isnan(a) || isnan(b) || a == b)
        return 0;
    if (quantity == THREADS || quantity == OCCUPANCY)
        return weight_of_filling(pair, quantity);
    if (quantity == LAUNCHES)
        return fmin(1, fabs(b - a) * launch_seconds / fmax(pair->from.time, pair->to.time));
    weight = fabs(b - a) * descriptions[quantity].price / higher;
    if (limited_by(b < a ? &pair->from : &pair->to, quantity))
        weight *= 3;
    return fmin(1, weight);
}

static bool improves(const struct pair *pair, int quantity)
{
    const bool more = pair->to.values[quantity] > pair->from.values[quantity];

    return more == descriptions[quantity].more_is_better;
}

/* The changes of one direction that weigh `least`, the weightiest first, at most two. */
static int rank(const struct pair *pair, bool better, double least, int chosen[2])
{
    int count = 0;

    for (int n = 0; n < 2; n++) {
        int best = -1;

        for (int i = 0; i < QUANTITY_COUNT; i++) {
            const bool said = n > 0 && (i == chosen[0] || i + chosen[0] == TRAFFIC + TRANSACTIONS);

            if (!said && improves(pair, i) == better && weight_of(pair, i) >= least &&
                (best < 0 || weight_of(pair, i) > weight_of(pair, best)))
                best = i;
        }
        if (best < 0 ||
            (n > 0 && weight_of(pair, best) < least_second * weight_of(pair, chosen[0])))
            break;
        chosen[count++] = best;
    }
    return count;
}

/* --- Words ------------------------------------------------------------------------------------ */

static bool is_near(double value, double wanted)
{
    return fabs(value / wanted - 1) < 0.03;
}

/* Three digits, and no zeros behind the point. To be freed. */
static char *short_number(double value)
{
    char *text = value >= 1000 ? text_count(round(value)) : text_number(value);
    char *point = strchr(text, '.');

    if (point && strspn(point + 1, "0") == strlen(point + 1))
        *point = '\0';
    return text;
}

/* "an eighth of": 1 / `times` of something. To be freed. */
static char *fraction(double times)
{
    static const char *const words[] = {"half",         "a third of", "a quarter of",
                                        "a fifth of",   "a sixth of", "a seventh of",
                                        "an eighth of", "a ninth of", "a tenth of"};
    const int nearest = (int)round(times);

    if (nearest >= 2 && nearest <= 10)
        return text_format("%s%s", is_near(times, nearest) ? "" : "about ", words[nearest - 2]);
    return is_near(times, 16) ? copy_text("a sixteenth of") : text_format("1/%d of", nearest);
}

static char *multiple(double times)
{
    static const char *const words[] = {"twice", "three times", "four times"};
    char *number, *text;

    for (int i = 0; i < 3; i++)
        if (is_near(times, i + 2))
            return copy_text(words[i]);
    number = short_number(times);
    text = text_format("%s times", number);
    free(number);
    return text;
}

static char *instead(double a, double b, const char *name);

/* "half the shared requests", "22 % more instructions", "9 bank conflicts where there were none".
 * To be freed. */
static char *amount(double a, double b, const char *name, bool mass)
{
    const double times = b > a ? b / a : a / b;
    char *word, *text;

    if (b == 0)
        return text_format("no %s any more", name);
    if (a == 0) {
        word = text_count(b);
        text = mass ? text_format("%s where there was none", name)
                    : text_format("%s %s where there were none", word, name);
    } else if (times > (b > a ? 10.5 : 99.5) && !mass) {
        return instead(a, b, name);
    } else if (times < 1.94 || (times < 2.9 && b < a && !is_near(times, 2))) {
        word = text_format("%.0f %%", fmax(1, fabs(100 * (b / a - 1))));
        text = text_format("%s %s %s", word, b > a ? "more" : mass ? "less" : "fewer", name);
    } else {
        word = b < a ? fraction(times) : multiple(times);
        text = text_format("%s the %s", word, name);
    }
    free(word);
    return text;
}

static char *instead(double a, double b, const char *name)
{
    char *old = text_count(round(a)), *now = text_count(round(b));
    char *text = text_format("%s %s instead of %s", now, name, old);

    free(old);
    free(now);
    return text;
}

/* "32 blocks instead of 1", or "only 1 block instead of 32". */
static char *words_for_threads(const struct pair *pair)
{
    const json_t *from = pair->from.result, *to = pair->to.result;
    const double blocks = shape_of(to, "grid"), threads = shape_of(to, "block");
    char *text, *longer;

    if (threads == shape_of(from, "block"))
        text = instead(shape_of(from, "grid"), blocks, blocks == 1 ? "block" : "blocks");
    else if (blocks == shape_of(from, "grid") && blocks > 1)
        text = instead(shape_of(from, "block"), threads, "threads per block");
    else
        text = instead(pair->from.values[THREADS], pair->to.values[THREADS], "threads");
    if (pair->to.values[THREADS] > pair->from.values[THREADS])
        return text;
    longer = text_format("only %s", text);
    free(text);
    return longer;
}

static char *words_for_occupancy(const struct pair *pair)
{
    char *old = ladder_percent(pair->from.values[OCCUPANCY]);
    char *now = ladder_percent(pair->to.values[OCCUPANCY]);
    char *text = text_format("an occupancy of %s instead of %s", now, old);

    free(old);
    free(now);
    return text;
}

/* Do lanes that work account for most of the change of instructions? By `least` times at least. */
static bool lanes_explain(const struct pair *pair, double least)
{
    const double lanes = result_ratio(pair->to.result, &result_ratios[RATIO_LANES]) /
                         result_ratio(pair->from.result, &result_ratios[RATIO_LANES]);
    const double fewer = pair->from.values[INSTRUCTIONS] / pair->to.values[INSTRUCTIONS];

    return fabs(log(lanes)) > log(least) && log(lanes) / log(fewer) > 0.5;
}

/* Does the time fall by far more than the instructions, where issuing them is the limit? */
static bool are_cheaper(const struct pair *pair)
{
    return limited_by(&pair->from, INSTRUCTIONS) && limited_by(&pair->to, INSTRUCTIONS) &&
           pair->speed_up > 1.5 * pair->from.values[INSTRUCTIONS] / pair->to.values[INSTRUCTIONS];
}

static char *words_for_instructions(const struct pair *pair, char *plain, bool first)
{
    char *old, *now, *text;

    if (are_cheaper(pair)) {
        text = text_format("%s, and cheaper ones", plain);
        free(plain);
        return text;
    }
    if (!lanes_explain(pair, first ? 1.2 : 2))
        return plain;
    old = short_number(result_ratio(pair->from.result, &result_ratios[RATIO_LANES]));
    now = short_number(result_ratio(pair->to.result, &result_ratios[RATIO_LANES]));
    text = text_format("%s active lanes instead of %s, so %s", now, old, plain);
    free(old);
    free(now);
    free(plain);
    return text;
}

/* Do loads touch more or fewer sectors each, and is that the change? */
static bool loads_explain(const struct pair *pair)
{
    const double sectors = result_ratio(pair->from.result, &result_ratios[RATIO_SECTORS_LOAD]) /
                           result_ratio(pair->to.result, &result_ratios[RATIO_SECTORS_LOAD]);
    const double less = pair->from.values[TRAFFIC] / pair->to.values[TRAFFIC];

    return fabs(log(sectors)) > log(1.2) && log(sectors) / log(less) > 0.7 &&
           log(sectors) / log(less) < 1.4;
}

static char *words_for_traffic(const struct pair *pair, char *plain)
{
    const double asked = result_counter(pair->to.result, "global_bytes_asked") /
                         result_counter(pair->from.result, "global_bytes_asked");
    const double times = pair->from.values[TRAFFIC] / pair->to.values[TRAFFIC];
    char *old, *now, *word, *text;

    if (!loads_explain(pair))
        return plain;
    old = short_number(result_ratio(pair->from.result, &result_ratios[RATIO_SECTORS_LOAD]));
    now = short_number(result_ratio(pair->to.result, &result_ratios[RATIO_SECTORS_LOAD]));
    word = times > 1 ? fraction(times) : multiple(1 / times);
    text = is_near(asked, 1)
               ? text_format("%s sectors per load instead of %s, the same data in %s the traffic",
                             now, old, word)
               : text_format("%s sectors per load instead of %s, so %s", now, old, plain);
    free(word);
    free(old);
    free(now);
    free(plain);
    return text;
}

/* What changed, as a noun; `first`: the reason goes with it. To be freed. */
static char *words_for(const struct pair *pair, int quantity, bool first)
{
    const struct description *it = &descriptions[quantity];
    char *plain;

    if (quantity == THREADS)
        return words_for_threads(pair);
    if (quantity == OCCUPANCY)
        return words_for_occupancy(pair);
    if (quantity == LAUNCHES)
        return instead(pair->from.values[LAUNCHES], pair->to.values[LAUNCHES],
                       pair->to.values[LAUNCHES] == 1 ? "launch" : "launches");
    plain = amount(pair->from.values[quantity], pair->to.values[quantity], it->name, it->mass);
    if (quantity == INSTRUCTIONS)
        return words_for_instructions(pair, plain, first);
    return quantity == TRAFFIC ? words_for_traffic(pair, plain) : plain;
}

/* "this and that"; NULL for none. To be freed. */
static char *list_of(const struct pair *pair, const int *chosen, int count)
{
    char *first, *second, *text;

    if (count == 0)
        return NULL;
    first = words_for(pair, chosen[0], true);
    if (count == 1)
        return first;
    second = words_for(pair, chosen[1], false);
    text = text_format("%s%s and %s", first, strchr(first, ',') ? "," : "", second);
    free(first);
    free(second);
    return text;
}

static const char *limit_name(const char *limit)
{
    static const struct {
        const char *limit, *name;
    } names[] = {{"issue", "instruction issue"},
                 {"load/store", "the load/store units"},
                 {"memory", "memory bandwidth"},
                 {"launch", "the launch itself"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(names[i].limit, limit))
            return names[i].name;
    return limit;
}

/* "bound by latency before, by memory bandwidth now", or ""; `changed`: counters have. To be
 * freed. */
static char *limits_of(const struct pair *pair, bool changed)
{
    const char *a = pair->from.limit, *b = pair->to.limit;
    const bool even = changed && fabs(pair->speed_up - 1) < least_change;

    if (!*a || !*b)
        return copy_text("");
    if (!strcmp(a, b) && even)
        return text_format(": %s is the limit, before and now", limit_name(a));
    if (!strcmp(a, b))
        return text_format("; still bound by %s", limit_name(a));
    return text_format("; bound by %s before, by %s now", limit_name(a), limit_name(b));
}

/* How the time changed, to begin the sentence. To be freed. */
static char *verdict_of(double speed_up)
{
    char *number, *text;

    if (fabs(speed_up - 1) < 0.005)
        return copy_text("As fast as before");
    if (fabs(speed_up - 1) < least_change)
        return copy_text(speed_up > 1 ? "Hardly faster" : "Hardly slower");
    if (speed_up < 1 && speed_up > 0.55)
        return text_format("%.0f %% slower", 100 * (1 / speed_up - 1));
    number = text_number(speed_up > 1 ? speed_up : 1 / speed_up);
    text = text_format("%s times as %s", number, speed_up > 1 ? "fast" : "slow");
    free(number);
    return text;
}

/* --- The sentence ----------------------------------------------------------------------------- */

bool why_comparable(const json_t *from, const json_t *to)
{
    return result_modelled(from) == result_modelled(to) &&
           result_number(from, "report.n") == result_number(to, "report.n");
}

static bool begins_with(const char *text, const char *start)
{
    return *start && !strncmp(text, start, strlen(start));
}

/* `text` as a sentence; names of steps stay as they are. */
static char *full_stop(char *text, const json_t *from, const json_t *to)
{
    char *sentence = text_format("%s.", text);

    if (!begins_with(text, result_text(from, "step")) &&
        !begins_with(text, result_text(to, "step")))
        sentence[0] = (char)toupper((unsigned char)sentence[0]);
    free(text);
    return sentence;
}

/* Why one of the two cannot be compared, or NULL. To be freed. */
static char *say_missing(const json_t *result)
{
    const enum outcome outcome = result_outcome(result);
    const char *step = result_text(result, "step"), *why = result_text(result, "why");

    switch (outcome) {
    case OUTCOME_MATCH:
    case OUTCOME_WRONG:
        return NULL;
    case OUTCOME_SKIPPED:
    case OUTCOME_REFUSED:
        return text_format("%s did not run here, so there is nothing to compare: %s", step, why);
    case OUTCOME_MISMATCH:
        return text_format("%s gives a wrong result, so its time counts for nothing: %s", step,
                           why);
    default:
        return text_format("%s did not get to its end, so there is nothing to compare: %s", step,
                           why);
    }
}

/* "with n = 2 048 instead of 16". To be freed. */
static char *sizes_of(const json_t *from, const json_t *to)
{
    char *old = text_count(result_number(from, "report.n"));
    char *now = text_count(result_number(to, "report.n"));
    char *text = text_format("with n = %s instead of %s", now, old);

    free(old);
    free(now);
    return text;
}

/* Errors make the reference of one problem another: that of the element that is furthest off. */
static bool same_kernel(const json_t *from, const json_t *to)
{
    return !strcmp(result_text(result_main_kernel(from), "name"),
                   result_text(result_main_kernel(to), "name"));
}

/* Are these two problems, or two sizes of one, that no counter compares? To be freed, or NULL. */
static char *say_unlike(const json_t *from, const json_t *to)
{
    const double n = result_number(from, "report.n"), m = result_number(to, "report.n");
    const double bytes = result_number(from, "report.bytes");
    const char *a = result_text(from, "report.reference"), *b = result_text(to, "report.reference");
    const bool right = result_outcome(from) == OUTCOME_MATCH && result_outcome(to) == OUTCOME_MATCH;
    char *sizes, *text;

    if (strcmp(result_text(from, "chapter"), result_text(to, "chapter")) != 0)
        return text_format(
            "%s and %s solve different problems: neither times nor counts can be compared",
            result_text(from, "step"), result_text(to, "step"));
    if (isnan(n) || isnan(m))
        return text_format("%s computes nothing: there is nothing to compare",
                           result_text(isnan(n) ? from : to, "step"));
    if (n == m && right && *a && *b && strcmp(a, b) != 0 && !same_kernel(from, to))
        return text_format(
            "%s and %s compute different things: neither times nor counts can be compared",
            result_text(from, "step"), result_text(to, "step"));
    if (n == m || bytes == result_number(to, "report.bytes"))
        return NULL;
    sizes = sizes_of(from, to);
    text = text_format("%s, neither times nor counts can be compared", sizes);
    free(sizes);
    return text;
}

/* Of a GPU, which does not count: what its steps said of themselves. To be freed. */
static char *say_measured(const struct pair *pair)
{
    const json_t *from = pair->from.result, *to = pair->to.result;
    const bool shaped = weight_of(pair, THREADS) > least_weight;
    char *verdict, *shape, *text;

    if (isnan(pair->speed_up))
        return copy_text("nothing was timed or counted");
    verdict = verdict_of(pair->speed_up);
    shape = shaped ? words_for_threads(pair) : copy_text("");
    text = text_format("%s%s%s", verdict, shaped ? ", with " : "", shape);
    free(verdict);
    free(shape);
    if (!isnan(result_number(from, "report.share")) && !isnan(result_number(to, "report.share"))) {
        char *old = ladder_percent(result_number(from, "report.share"));
        char *now = ladder_percent(result_number(to, "report.share"));
        char *longer = text_format("%s; %s of the peak before, %s now", text, old, now);

        free(old);
        free(now);
        free(text);
        text = longer;
    }
    if (!result_modelled(to)) {
        char *longer = text_format("%s (--on emulator counts why)", text);

        free(text);
        text = longer;
    }
    return text;
}

/* What joins counts to the verdict, where there is one: `usual`, unless the times are even. */
static const char *behind(const struct pair *pair, const char *usual)
{
    if (isnan(pair->speed_up))
        return "";
    return fabs(pair->speed_up - 1) < least_change ? ", with " : usual;
}

/* To be freed. */
static char *say_why(const struct pair *pair)
{
    const bool timed = !isnan(pair->speed_up);
    const bool even = timed && fabs(pair->speed_up - 1) < least_change;
    const bool faster = !timed || pair->speed_up >= 1;
    int with[2], against[2];
    int with_count = rank(pair, faster, least_weight, with);
    int against_count = rank(pair, !faster, least_weight, against);
    char *verdict = timed ? verdict_of(pair->speed_up) : copy_text("");
    char *gain, *price, *limits, *text;

    if (with_count == 0 && against_count == 0)
        with_count = rank(pair, faster, least_alone, with);
    if (with_count > 0 && against_count > 1)
        against_count = 1;
    limits = limits_of(pair, with_count + against_count > 0);
    gain = list_of(pair, with, with_count);
    price = list_of(pair, against, against_count);
    if (gain && price)
        text = text_format("%s%s%s%s %s%s", verdict, behind(pair, ": "), gain,
                           faster ? ", at the price of" : ", in spite of", price, limits);
    else if (gain)
        text = text_format("%s%s%s%s", verdict, behind(pair, ": "), gain, limits);
    else if (price)
        text = text_format("%s%s%s%s", verdict, behind(pair, ", in spite of "), price, limits);
    else
        text = text_format("%s%sno counter that matters has changed%s", verdict,
                           !timed ? ""
                           : even ? ": "
                                  : ", though ",
                           limits);
    free(verdict);
    free(gain);
    free(price);
    free(limits);
    return text;
}

/* `text` with what has to be said of one that is wrong, or whose problem has another size. */
static char *qualify(const struct pair *pair, char *text)
{
    const json_t *from = pair->from.result, *to = pair->to.result;
    const json_t *wrong = pair->to.wrong ? to : pair->from.wrong ? from : NULL;
    char *sizes, *longer;

    if (wrong) {
        longer = text_format(
            "%s gives a wrong result, on purpose, so only the counts can be compared: %s",
            result_text(wrong, "step"), text);
    } else if (result_number(from, "report.n") != result_number(to, "report.n")) {
        sizes = sizes_of(from, to);
        longer = text_format("%s, on as many bytes: %s", sizes, text);
        free(sizes);
    } else {
        return text;
    }
    free(text);
    return longer;
}

static struct pair pair_of(const json_t *from, const json_t *to)
{
    struct pair pair = {side_of(from), side_of(to), NAN};

    if (why_comparable(from, to))
        pair.speed_up = pair.from.time / pair.to.time;
    return pair;
}

char *why_sentence(const json_t *from, const json_t *to)
{
    const struct pair pair = pair_of(from, to);
    char *text = say_missing(from);

    text = text ? text : say_missing(to);
    if (!text && !strcmp(result_text(from, "step"), result_text(to, "step")) &&
        !strcmp(result_text(from, "chapter"), result_text(to, "chapter")))
        text = copy_text("the same step twice: there is nothing to tell apart");
    text = text ? text : say_unlike(from, to);
    if (text)
        return full_stop(text, from, to);
    if (!is_counted(&pair.from) || !is_counted(&pair.to))
        text = say_measured(&pair);
    else
        text = say_why(&pair);
    return full_stop(qualify(&pair, text), from, to);
}

/* The figure behind the words that a change gets. */
static struct why_figure figure_of(const struct pair *pair, int quantity)
{
    const char *const *keys = descriptions[quantity].keys;
    const struct ratio *ratio = NULL;
    const char *name = descriptions[quantity].name;

    if (quantity == INSTRUCTIONS && lanes_explain(pair, 1.2))
        ratio = &result_ratios[RATIO_LANES];
    if (quantity == TRAFFIC && loads_explain(pair))
        ratio = &result_ratios[RATIO_SECTORS_LOAD];
    if (ratio)
        return (struct why_figure){ratio->name, result_ratio(pair->from.result, ratio),
                                   result_ratio(pair->to.result, ratio)};
    if (keys[0] && !keys[1])
        name = counter_name(keys[0]);
    if (quantity == THREADS || quantity == OCCUPANCY)
        name = quantity == THREADS ? "threads" : "occupancy";
    return (struct why_figure){name, pair->from.values[quantity], pair->to.values[quantity]};
}

int why_figures(const json_t *from, const json_t *to, struct why_figure figures[2])
{
    const struct pair pair = pair_of(from, to);
    const bool faster = isnan(pair.speed_up) || pair.speed_up >= 1;
    int chosen[2], other[2], count, more;

    if (!is_counted(&pair.from) || !is_counted(&pair.to) || !why_comparable(from, to))
        return 0;
    count = rank(&pair, faster, least_weight, chosen);
    more = count < 2 ? rank(&pair, !faster, least_weight, other) : 0;
    for (int i = 0; i < more && count < 2; i++)
        chosen[count++] = other[i];
    for (int i = 0; i < count; i++)
        figures[i] = figure_of(&pair, chosen[i]);
    return count;
}
