/* SPDX-License-Identifier: MIT */
/* How it works: each quantity below has a rough price, in issue slots of an SM. The change of a
 * quantity, times its price, divided by all that the more expensive step costs, is its weight: from
 * 0, of no account, to 1. What the limit of a step is made of weighs more. The sentence names the
 * two changes that weigh most and go the way the time went, then the one that goes the other way,
 * if it weighs anything, then the limits. The prices rank, no more: no figure comes from them. */
#include "why.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "ladder_cells.h"
#include "results.h"
#include "text.h"
#include "words.h"

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
    enum phrase name; /* after "half the", "22 % more" */
    bool mass; /* "less traffic", not "fewer" */
    bool more_is_better;
};

/* 32 bytes of traffic are some clocks of bandwidth, a divergent branch is both its sides, a
 * barrier a drained pipeline; what a launch costs is known in seconds. */
static const struct description descriptions[QUANTITY_COUNT] = {
    [THREADS] = {.limits = "|latency|", .more_is_better = true},
    [INSTRUCTIONS] = {{"warp_instructions"}, 1, "|issue|", SAY_INSTRUCTIONS},
    [TRAFFIC] =
        {{"global_bytes_moved"}, 3.0 / 32, "|memory|load/store|", SAY_TRAFFIC, .mass = true},
    [TRANSACTIONS] = {{"global_transactions"}, 1, "|memory|load/store|", SAY_TRANSACTIONS},
    [REQUESTS] = {{"global_loads", "global_stores"}, 0.5, "|load/store|latency|", SAY_REQUESTS},
    [DIVERGENT] = {{"divergent_branches"}, 8, "|issue|", SAY_DIVERGENT},
    [BARRIERS] = {{"barriers"}, 4, "|barriers|latency|", SAY_BARRIERS},
    [ATOMICS] = {{"global_atomics"}, 8, "|memory|load/store|", SAY_ATOMICS},
    [LOCAL] = {{"local_sectors"}, 3, "|memory|load/store|", SAY_LOCAL, .mass = true},
    [SHARED] = {{"shared_loads", "shared_stores", "shared_atomics"},
                1,
                "|shared memory|load/store|",
                SAY_SHARED},
    [CONFLICTS] = {{"shared_bank_conflicts"}, 1, "|shared memory|load/store|", SAY_CONFLICTS},
    [TEXTURES] = {{"texture_sectors"}, 2, "|memory|load/store|", SAY_TEXTURES},
    [CONSTANTS] = {{"constant_passes"}, 1, "|load/store|", SAY_CONSTANTS},
    [LAUNCHES] = {{"launches"}, 0, "|launch|", SAY_LAUNCHES},
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
};

/* Blocks or threads of a block, of the main kernel or, on a GPU, as the step says. */
static double shape_of(const json_t *result, const char *key)
{
    const json_t *kernel = result_main_kernel(result), *size;
    const json_t *sizes = json_object_get(kernel ? kernel : json_object_get(result, "report"), key);
    double product = json_array_size(sizes) > 0 ? 1 : (double)NAN;
    size_t i;

    json_array_foreach(sizes, i, size)
        product *= json_number_value(size);
    return product;
}

static struct side side_of(const json_t *result)
{
    struct side side = {.result = result, .time = result_time(result)};

    for (int i = 0; i < QUANTITY_COUNT; i++)
        side.values[i] = *descriptions[i].keys ? result_sum(result, descriptions[i].keys) : NAN;
    side.values[THREADS] = shape_of(result, "grid") * shape_of(result, "block");
    side.values[OCCUPANCY] = result_occupancy(result);
    if (result_moves_lines(result))
        side.values[TRANSACTIONS] = NAN;
    for (int i = 0; i < QUANTITY_COUNT; i++)
        side.cost += isnan(side.values[i]) ? 0 : side.values[i] * descriptions[i].price;
    side.limit = result_bound(result);
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
    enum language language;
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

/* Three digits, and no zeros behind the point. */
static char *short_number(double value)
{
    char *text = value >= 1000 ? text_count(round(value)) : text_number(value);
    char *point = strchr(text, '.');

    if (point && strspn(point + 1, "0") == strlen(point + 1))
        *point = '\0';
    return text;
}

/* "an eighth of": 1 / `times` of something. */
static char *fraction(double times, enum language language)
{
    const int nearest = (int)round(times);

    if (is_near(times, 16))
        return say(language, SAY_SIXTEENTH);
    if (nearest < 2 || nearest > 10)
        return say(language, SAY_ONE_OF, text_format("%d", nearest));
    char *word = say(language, SAY_HALF + (enum phrase)nearest - 2);
    return is_near(times, nearest) ? word : say(language, SAY_ABOUT, word);
}

static char *multiple(double times, enum language language)
{
    for (int i = 0; i < 3; i++)
        if (is_near(times, i + 2))
            return say(language, SAY_TWICE + (enum phrase)i);
    return say(language, SAY_N_TIMES, short_number(times));
}

/* "64 bank conflicts instead of 3 500", as `phrase` says it. In the table the name of one of them
 * stands before that of several. */
static char *instead(enum phrase phrase, const char *now, enum phrase name, const char *old,
                     enum language language)
{
    return say(language, phrase, now, phrase_text(language, strcmp(now, "1") ? name : name - 1),
               old);
}

static char *count_instead(double a, double b, enum phrase name, enum language language)
{
    return instead(b > a ? SAY_GREW : SAY_SHRANK, text_count(round(b)), name, text_count(round(a)),
                   language);
}

/* "22 % more instructions", "half the shared requests". */
static char *change(double a, double b, enum phrase phrase, bool mass, enum language language)
{
    const double times = b > a ? b / a : a / b;
    const char *name = phrase_text(language, phrase);

    if (times < 1.94 || (times < 2.9 && b < a && !is_near(times, 2)))
        return say(language,
                   b > a  ? SAY_PERCENT_MORE
                   : mass ? SAY_PERCENT_LESS
                          : SAY_PERCENT_FEWER,
                   text_format("%.0f", fmax(1, fabs(100 * (b / a - 1)))), name);
    return b < a ? say(language, SAY_REDUCED, fraction(times, language), name)
                 : say(language, SAY_MULTIPLIED, multiple(times, language), name);
}

/* Of a quantity, how it changed: as change() says, or "9 bank conflicts where there were none". */
static char *amount(const struct pair *pair, int quantity)
{
    const struct description *it = &descriptions[quantity];
    const double a = pair->from.values[quantity], b = pair->to.values[quantity];
    const enum language language = pair->language;

    if (b == 0)
        return say(language, SAY_NONE_LEFT, phrase_text(language, it->name));
    if (a == 0 && it->mass)
        return say(language, SAY_NEW_MASS, phrase_text(language, it->name));
    if (a == 0)
        return instead(SAY_NEW_COUNT, text_count(b), it->name, "0", language);
    if (it->mass || (b > a ? b / a <= 10.5 : a / b <= 99.5))
        return change(a, b, it->name, it->mass, language);
    return count_instead(a, b, it->name, language);
}

/* "32 blocks instead of 1", or "only 1 block instead of 32". */
static char *words_for_threads(const struct pair *pair)
{
    const json_t *from = pair->from.result, *to = pair->to.result;
    const double blocks = shape_of(to, "grid"), threads = shape_of(to, "block");
    double a = pair->from.values[THREADS], b = pair->to.values[THREADS];
    const bool more = b > a;
    enum phrase name = SAY_THREADS;

    if (threads == shape_of(from, "block")) {
        name = SAY_BLOCKS;
        a = shape_of(from, "grid"), b = blocks;
    } else if (blocks == shape_of(from, "grid") && blocks > 1) {
        name = SAY_BLOCK_THREADS;
        a = shape_of(from, "block"), b = threads;
    }
    return instead(more ? SAY_GREW : SAY_ONLY_SHRANK, text_count(round(b)), name,
                   text_count(round(a)), pair->language);
}

static char *words_for_occupancy(const struct pair *pair)
{
    const double a = pair->from.values[OCCUPANCY], b = pair->to.values[OCCUPANCY];

    return say(pair->language, b > a ? SAY_OCCUPANCY_GREW : SAY_OCCUPANCY_SHRANK, ladder_percent(b),
               ladder_percent(a));
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

/* How a ratio changed. */
static char *ratio_instead(enum phrase phrase, const struct pair *pair, int ratio, enum phrase name)
{
    const double a = result_ratio(pair->from.result, &result_ratios[ratio]);
    const double b = result_ratio(pair->to.result, &result_ratios[ratio]);

    return instead(phrase, short_number(b), name, short_number(a), pair->language);
}

static char *words_for_instructions(const struct pair *pair, char *plain, bool first)
{
    if (are_cheaper(pair))
        return say(pair->language, SAY_CHEAPER, plain);
    if (!lanes_explain(pair, first ? 1.2 : 2))
        return plain;
    return say(pair->language, SAY_SO,
               ratio_instead(SAY_LANES_BECAME, pair, RATIO_LANES, SAY_ACTIVE_LANES), plain);
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
    const enum phrase changed = times > 1 ? SAY_SHRANK : SAY_GREW;
    const bool same = is_near(asked, 1);
    char *sectors;

    if (!loads_explain(pair))
        return plain;
    sectors =
        ratio_instead(same ? changed : SAY_BECAME, pair, RATIO_SECTORS_LOAD, SAY_SECTORS_LOAD);
    if (!same)
        return say(pair->language, SAY_SO, sectors, plain);
    return times > 1
               ? say(pair->language, SAY_SAME_DATA_LESS, sectors, fraction(times, pair->language))
               : say(pair->language, SAY_SAME_DATA_MORE, sectors,
                     multiple(1 / times, pair->language));
}

/* What changed, as a noun; `first`: the reason goes with it. */
static char *words_for(const struct pair *pair, int quantity, bool first)
{
    char *plain;

    if (quantity == THREADS)
        return words_for_threads(pair);
    if (quantity == OCCUPANCY)
        return words_for_occupancy(pair);
    if (quantity == LAUNCHES)
        return count_instead(pair->from.values[LAUNCHES], pair->to.values[LAUNCHES], SAY_LAUNCHES,
                             pair->language);
    plain = amount(pair, quantity);
    if (quantity == INSTRUCTIONS)
        return words_for_instructions(pair, plain, first);
    return quantity == TRAFFIC ? words_for_traffic(pair, plain) : plain;
}

/* "this and that"; NULL for none. */
static char *list_of(const struct pair *pair, const int *chosen, int count)
{
    char *first = count > 0 ? words_for(pair, chosen[0], true) : NULL;

    if (count < 2)
        return first;
    return say(pair->language, strchr(first, ',') ? SAY_COMMA_AND : SAY_AND, first,
               words_for(pair, chosen[1], false));
}

static const char *limit_name(const char *limit, enum language language)
{
    static const struct {
        const char *limit;
        enum phrase name;
    } names[] = {{"issue", SAY_BY_ISSUE},
                 {"load/store", SAY_BY_LOAD_STORE},
                 {"memory", SAY_BY_MEMORY},
                 {"launch", SAY_BY_LAUNCH}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(names[i].limit, limit))
            return phrase_text(language, names[i].name);
    return word_for_limit(language, limit);
}

/* `text`, and behind it "bound by latency before, by memory bandwidth now" where
 * limits are known; `changed`: counters have. */
static char *add_limits(char *text, const struct pair *pair, bool changed)
{
    const char *a = pair->from.limit, *b = pair->to.limit;
    const bool even = changed && fabs(pair->speed_up - 1) < least_change;

    if (!*a || !*b)
        return text;
    a = limit_name(a, pair->language);
    b = limit_name(b, pair->language);
    if (strcmp(a, b) != 0)
        return say(pair->language, SAY_LIMIT_MOVED, text, a, b);
    return say(pair->language, even ? SAY_LIMIT_EVEN : SAY_LIMIT_SAME, text, a);
}

/* How the time changed, to begin the sentence. */
static char *verdict_of(double speed_up, enum language language)
{
    if (fabs(speed_up - 1) < 0.005)
        return say(language, SAY_AS_FAST);
    if (fabs(speed_up - 1) < least_change)
        return say(language, speed_up > 1 ? SAY_HARDLY_FASTER : SAY_HARDLY_SLOWER);
    if (speed_up < 1 && speed_up > 0.55)
        return say(language, SAY_PERCENT_SLOWER, text_format("%.0f", 100 * (1 / speed_up - 1)));
    return say(language, speed_up > 1 ? SAY_TIMES_FAST : SAY_TIMES_SLOW,
               text_number(speed_up > 1 ? speed_up : 1 / speed_up));
}

/* --- The sentence ----------------------------------------------------------------------------- */

bool why_comparable(const json_t *from, const json_t *to)
{
    return result_modelled(from) == result_modelled(to) && result_same_problem(from, to) &&
           result_number(from, "report.n") == result_number(to, "report.n");
}

static bool begins_with(const char *text, const char *start)
{
    return *start && !strncmp(text, start, strlen(start));
}

/* `text` as a sentence; names of steps stay as they are. */
static char *full_stop(char *text, const json_t *from, const json_t *to, enum language language)
{
    char *sentence = say(language, SAY_FULL_STOP, text);

    if (language == LANGUAGE_ENGLISH && !begins_with(text, result_text(from, "step")) &&
        !begins_with(text, result_text(to, "step")))
        sentence[0] = (char)toupper((unsigned char)sentence[0]);
    return sentence;
}

static bool did_not_run(const json_t *result)
{
    const enum outcome outcome = result_outcome(result);

    return outcome == OUTCOME_SKIPPED || outcome == OUTCOME_REFUSED;
}

/* Why one of the two cannot be compared, or NULL. */
static char *say_missing(const json_t *result, enum language language)
{
    const enum outcome outcome = result_outcome(result);
    const char *why = text_in(language, result_text(result, "why"));
    enum phrase phrase = SAY_DID_NOT_END;

    if (outcome_is_good(outcome) || outcome == OUTCOME_WRONG)
        return NULL;
    if (did_not_run(result))
        phrase = SAY_DID_NOT_RUN;
    else if (outcome == OUTCOME_FAILED) /* it ended, in its own way */
        phrase = SAY_ENDED_BADLY;
    else if (outcome == OUTCOME_MISMATCH)
        phrase = SAY_IS_WRONG;
    return say(language, phrase, result_text(result, "step"), why);
}

/* "with n = 2 048 instead of 16". */
static char *sizes_of(const json_t *from, const json_t *to, enum language language)
{
    return say(language, SAY_SIZES, text_count(result_number(to, "report.n")),
               text_count(result_number(from, "report.n")));
}

/* Errors make the reference of one problem another: that of the element that is furthest off. */
static bool same_kernel(const json_t *from, const json_t *to)
{
    return !strcmp(result_text(result_main_kernel(from), "name"),
                   result_text(result_main_kernel(to), "name"));
}

/* What to say where these are two problems, or two sizes of one, that no counter compares; else
 * NULL. */
static char *say_unlike(const json_t *from, const json_t *to, enum language language)
{
    const double n = result_number(from, "report.n"), m = result_number(to, "report.n");
    const double bytes = result_number(from, "report.bytes");
    const char *a = result_text(from, "report.reference"), *b = result_text(to, "report.reference");
    const char *old = result_text(from, "step"), *now = result_text(to, "step");
    const bool right = result_outcome(from) == OUTCOME_MATCH && result_outcome(to) == OUTCOME_MATCH;
    const bool same_chapter = !strcmp(result_text(from, "chapter"), result_text(to, "chapter"));

    if (same_chapter && !strcmp(old, now))
        return say(language, SAY_SAME_STEP);
    if (!same_chapter || !result_same_problem(from, to))
        return say(language, SAY_OTHER_PROBLEM, old, now);
    if (isnan(n) || isnan(m))
        return say(language, SAY_COMPUTES_NOTHING, isnan(n) ? old : now);
    if (n == m && right && *a && *b && strcmp(a, b) != 0 && !same_kernel(from, to))
        return say(language, SAY_OTHER_THING, old, now);
    if (n == m || bytes == result_number(to, "report.bytes"))
        return NULL;
    return say(language, SAY_INCOMPARABLE, sizes_of(from, to, language));
}

/* A phrase of `text` and one more; NULL for either gives the other. */
static char *join(enum language language, char *text, enum phrase phrase, char *more)
{
    if (!text || !more)
        return text ? text : more;
    return say(language, phrase, text, more);
}

/* Of a GPU, which does not count: what its steps said of themselves. */
static char *say_measured(const struct pair *pair)
{
    const json_t *from = pair->from.result, *to = pair->to.result;
    const double a = result_number(from, "report.share"), b = result_number(to, "report.share");
    const bool shaped = weight_of(pair, THREADS) > least_weight;
    char *text;

    if (isnan(pair->speed_up))
        return say(pair->language, SAY_NOTHING_KNOWN);
    text = join(pair->language, verdict_of(pair->speed_up, pair->language), SAY_WITH,
                shaped ? words_for_threads(pair) : NULL);
    if (!isnan(a) && !isnan(b))
        text = say(pair->language, SAY_SHARES, text, ladder_percent(a), ladder_percent(b));
    return result_modelled(to) ? text : say(pair->language, SAY_NOT_COUNTED, text);
}

static char *say_why(const struct pair *pair)
{
    const bool timed = !isnan(pair->speed_up);
    const bool even = timed && fabs(pair->speed_up - 1) < least_change;
    const bool faster = !timed || pair->speed_up >= 1;
    int with[2], against[2];
    int with_count = rank(pair, faster, least_weight, with);
    int against_count = rank(pair, !faster, least_weight, against);
    char *verdict = timed ? verdict_of(pair->speed_up, pair->language) : NULL;
    char *gain, *price, *text;
    enum phrase joint = SAY_BECAUSE;

    if (with_count == 0 && against_count == 0)
        with_count = rank(pair, faster, least_alone, with);
    if (with_count > 0 && against_count > 1)
        against_count = 1;
    gain = list_of(pair, with, with_count);
    price = list_of(pair, against, against_count);
    if (gain || price)
        joint = even ? SAY_WITH : gain ? SAY_BECAUSE : SAY_IN_SPITE;
    else if (!even)
        joint = SAY_THOUGH;
    text = join(pair->language, gain, faster ? SAY_AT_THE_PRICE : SAY_IN_SPITE, price);
    if (!text)
        text = say(pair->language, SAY_NOTHING_CHANGED);
    return add_limits(join(pair->language, verdict, joint, text), pair,
                      with_count + against_count > 0);
}

/* `text` with what has to be said of one that is wrong, or whose problem has another size. */
static char *qualify(const struct pair *pair, char *text)
{
    const json_t *from = pair->from.result, *to = pair->to.result;
    const json_t *wrong = result_outcome(to) == OUTCOME_WRONG     ? to
                          : result_outcome(from) == OUTCOME_WRONG ? from
                                                                  : NULL;

    if (wrong)
        return say(pair->language, SAY_WRONG_ON_PURPOSE, result_text(wrong, "step"), text);
    if (result_number(from, "report.n") == result_number(to, "report.n"))
        return text;
    return say(pair->language, SAY_AS_MANY_BYTES, sizes_of(from, to, pair->language), text);
}

static struct pair pair_of(const json_t *from, const json_t *to, enum language language)
{
    struct pair pair = {side_of(from), side_of(to), NAN, language};

    if (why_comparable(from, to))
        pair.speed_up = pair.from.time / pair.to.time;
    return pair;
}

char *why_sentence(const json_t *from, const json_t *to, enum language language)
{
    const struct pair pair = pair_of(from, to, language);
    char *text = say_missing(from, language), *other = say_missing(to, language);

    if (text && other && did_not_run(from) && did_not_run(to) &&
        !strcmp(result_text(from, "why"), result_text(to, "why")))
        text = say(language, SAY_NEITHER_RAN, result_text(from, "step"), result_text(to, "step"),
                   text_in(language, result_text(to, "why")));
    else if (text && other) /* each for a reason of its own */
        return text_format("%s%s%s", full_stop(text, from, to, language),
                           language == LANGUAGE_ENGLISH ? " " : "",
                           full_stop(other, from, to, language));
    else
        text = text ? text : other ? other : say_unlike(from, to, language);
    if (!text)
        text = qualify(&pair, is_counted(&pair.from) && is_counted(&pair.to) ? say_why(&pair)
                                                                             : say_measured(&pair));
    return full_stop(text, from, to, language);
}

/* The figure behind the words that a change gets. */
static struct why_figure figure_of(const struct pair *pair, int quantity)
{
    const char *const *keys = descriptions[quantity].keys;
    const struct ratio *ratio = NULL;
    const char *name = phrase_text(pair->language, descriptions[quantity].name);

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
    const struct pair pair = pair_of(from, to, LANGUAGE_ENGLISH);
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

/* Of what there was `a`: "12 % fewer", "16 times as many". */
static char *fewer_or_more(double a, double b, enum language language)
{
    if (fabs(b / a - 1) < 0.005)
        return say(language, SAY_AS_MANY);
    if (b >= 2 * a)
        return say(language, SAY_TIMES_AS_MANY, short_number(b / a));
    return say(language, b < a ? SAY_FEWER : SAY_MORE,
               text_format("%.0f", fmax(1, fabs(100 * (b / a - 1)))));
}

char *why_tenth(const json_t *from, const json_t *to, enum language language)
{
    const json_t *old = result_main_kernel(from), *now = result_main_kernel(to);
    const double a = result_number(old, "tenth.now"), wanted = result_number(old, "tenth.wanted");
    const double b = result_number(now, result_text(old, "tenth.counter"));
    const double part = (b - a) / (wanted - a); /* of what was needed */

    if (isnan(part) || !why_comparable(from, to))
        return NULL;
    return say(language,
               part >= 1       ? SAY_NEED_MET
               : part >= 0.005 ? SAY_NEED_SHORT
                               : SAY_NEED_MISSED,
               result_text(from, "step"), text_in(language, result_text(old, "tenth.needs")),
               result_text(to, "step"), fewer_or_more(a, b, language));
}
