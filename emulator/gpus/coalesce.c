/* SPDX-License-Identifier: MIT */
/* Sectors, transactions and bank conflicts of the addresses of a warp. */
#include "gpus/coalesce.h"

enum { HALF_WARP = WARP_SIZE / 2, SET_SLOTS = 64 };

/* A set of at most SET_SLOTS numbers: open addressing, emptied by one store. */
struct small_set {
    uint64_t used; /* a bit a slot */
    uint64_t keys[SET_SLOTS];
};

/* Add `key`; true if it was not there. */
static inline bool set_add(struct small_set *set, uint64_t key)
{
    /* Fibonacci hashing: the top bits of key / golden ratio. */
    unsigned slot = hash_spread(key) >> 58;

    for (;; slot = (slot + 1) % SET_SLOTS) {
        if (!(set->used >> slot & 1)) {
            set->used |= UINT64_C(1) << slot;
            set->keys[slot] = key;
            return true;
        }
        if (set->keys[slot] == key)
            return false;
    }
}

static inline int first_lane(uint32_t lanes)
{
    return __builtin_ctz(lanes);
}

static inline int last_lane(uint32_t lanes)
{
    return WARP_SIZE - 1 - __builtin_clz(lanes);
}

static inline int count_lanes(uint32_t lanes)
{
    return __builtin_popcount(lanes);
}

/* The set of `size` lanes from `lane` on. */
static inline uint32_t group_mask(int lane, int size)
{
    return ((UINT64_C(1) << size) - 1) << lane;
}

/* Is lane k's address start + k * stride, for every lane of the set? Without a branch inside, so
 * that the compiler makes vectors of it. */
static inline bool is_run(uint32_t lanes, const uint64_t *addresses, uint32_t stride)
{
    const uint32_t first = (uint32_t)first_lane(lanes);
    const uint64_t start = addresses[first] - (uint64_t)first * stride;
    uint64_t off = 0;

    for (uint32_t lane = 0; lane < WARP_SIZE; lane++) {
        const uint64_t wanted = -(uint64_t)(lanes >> lane & 1);
        off |= ((addresses[lane] - (uint64_t)lane * stride) ^ start) & wanted;
    }
    return off == 0;
}

/* Is the set one run of neighbouring lanes? */
static inline bool has_no_holes(uint32_t lanes)
{
    const uint32_t run = lanes >> first_lane(lanes);

    return (run & (run + 1)) == 0;
}

/* Different blocks of `size` bytes from the first byte at `begin` to the last before `end`. */
static inline uint32_t blocks_between(uint64_t begin, uint64_t end, uint64_t size)
{
    return (end - 1) / size - begin / size + 1;
}

/* Sectors and lines in any order of addresses. */
static void touch_scattered(uint32_t lanes, const uint64_t *addresses, uint32_t bytes,
                            struct traffic *traffic)
{
    struct small_set sectors = {.used = 0}, lines = {.used = 0};

    EACH_LANE(lane, lanes) {
        const uint64_t begin = addresses[lane];
        const uint64_t end = begin + bytes;

        for (uint64_t sector = begin / SECTOR_BYTES; sector * SECTOR_BYTES < end; sector++)
            if (set_add(&sectors, sector)) {
                traffic->sectors++;
                traffic->lines += set_add(&lines, sector * SECTOR_BYTES / LINE_BYTES);
            }
    }
}

/* The same as touch_rising for a whole warp, without a branch inside. */
static bool touch_rising_warp(const uint64_t *addresses, uint32_t bytes, struct traffic *traffic)
{
    uint64_t falls = 0, reach = addresses[0] % SECTOR_BYTES, sectors = 1, lines = 1;

    for (int lane = 1; lane < WARP_SIZE; lane++) {
        const uint64_t before = addresses[lane - 1], here = addresses[lane];
        const uint64_t within = here % SECTOR_BYTES;

        falls |= here / SECTOR_BYTES < before / SECTOR_BYTES;
        reach = within > reach ? within : reach;
        sectors += here / SECTOR_BYTES != before / SECTOR_BYTES;
        lines += here / LINE_BYTES != before / LINE_BYTES;
    }
    traffic->sectors = (uint32_t)sectors;
    traffic->lines = (uint32_t)lines;
    return !falls && reach + bytes <= SECTOR_BYTES;
}

/* Sectors and lines where addresses do not fall from lane to lane: what is new is seen at once.
 * Returns false where one falls, or reaches into a second sector. */
static bool touch_rising(uint32_t lanes, const uint64_t *addresses, uint32_t bytes,
                         struct traffic *traffic)
{
    uint64_t sector = addresses[first_lane(lanes)] / SECTOR_BYTES;
    uint32_t sectors = 1, lines = 1;

    if (lanes == UINT32_MAX)
        return touch_rising_warp(addresses, bytes, traffic);
    EACH_LANE(i, lanes) {
        const uint64_t address = addresses[i];
        const uint64_t next = address / SECTOR_BYTES;

        if (next < sector || (address + bytes - 1) / SECTOR_BYTES != next)
            return false;
        sectors += next != sector;
        lines += next / (LINE_BYTES / SECTOR_BYTES) != sector / (LINE_BYTES / SECTOR_BYTES);
        sector = next;
    }
    traffic->sectors = sectors;
    traffic->lines = lines;
    return true;
}

static void touch(uint32_t lanes, const uint64_t *addresses, uint32_t bytes,
                  struct traffic *traffic)
{
    const uint64_t begin = addresses[first_lane(lanes)];

    if (has_no_holes(lanes) && is_run(lanes, addresses, bytes)) {
        const uint64_t end = addresses[last_lane(lanes)] + bytes;
        traffic->sectors = blocks_between(begin, end, SECTOR_BYTES);
        traffic->lines = blocks_between(begin, end, LINE_BYTES);
    } else if (is_run(lanes, addresses, 0)) {
        traffic->sectors = blocks_between(begin, begin + bytes, SECTOR_BYTES);
        traffic->lines = blocks_between(begin, begin + bytes, LINE_BYTES);
    } else if (!touch_rising(lanes, addresses, bytes, traffic)) {
        *traffic = (struct traffic){0};
        touch_scattered(lanes, addresses, bytes, traffic);
    }
}

/* Does lane k of the half-warp want element k of one segment of 16 elements? */
static bool is_one_segment(uint32_t lanes, const uint64_t *addresses, uint32_t bytes)
{
    const int first = first_lane(lanes);
    const uint64_t start = addresses[first] - (uint64_t)first * bytes;
    uint64_t off = start % (HALF_WARP * (uint64_t)bytes);

    if (bytes != 4 && bytes != 8 && bytes != 16)
        return false;
    for (uint32_t lane = 0; lane < HALF_WARP; lane++) {
        const uint64_t wanted = -(uint64_t)(lanes >> lane & 1);
        off |= ((addresses[lane] - lane * (uint64_t)bytes) ^ start) & wanted;
    }
    return off == 0;
}

static struct half_warp_traffic coalesce_in_order(uint32_t lanes, const uint64_t *addresses,
                                                  uint32_t bytes)
{
    const uint32_t segment = HALF_WARP * bytes, count = (uint32_t)count_lanes(lanes);

    if (is_one_segment(lanes, addresses, bytes))
        return (struct half_warp_traffic){
            .shared = segment <= LINE_BYTES ? 1 : segment / LINE_BYTES,
            .moved = segment,
        };
    return (struct half_warp_traffic){
        .single = count,
        .moved = count * (bytes < SECTOR_BYTES ? SECTOR_BYTES : bytes),
    };
}

/* The smallest aligned part of the segment, of at least 32 bytes, that holds `begin` to `end`. */
static uint32_t shrink(uint64_t segment, uint32_t size, uint64_t begin, uint64_t end)
{
    for (; size > SECTOR_BYTES; size /= 2) {
        const uint64_t middle = segment + size / 2;

        if (begin < middle && end > middle)
            break;
        if (begin >= middle)
            segment = middle;
    }
    return size;
}

static struct half_warp_traffic coalesce_segments(uint32_t lanes, const uint64_t *addresses,
                                                  uint32_t bytes)
{
    const uint32_t size = bytes <= 2 ? bytes * SECTOR_BYTES : LINE_BYTES;
    struct half_warp_traffic traffic = {0};

    for (uint32_t left = lanes; left;) {
        const uint64_t segment = addresses[first_lane(left)] / size * size;
        uint64_t begin = segment + size, end = segment;
        uint32_t takers = 0;

        for (uint32_t rest = left; rest; rest &= rest - 1) {
            const uint64_t address = addresses[first_lane(rest)];

            if (address / size * size != segment)
                continue;
            takers |= rest & -rest;
            begin = address < begin ? address : begin;
            end = address + bytes > end ? address + bytes : end;
        }
        left &= ~takers;
        traffic.shared += (takers & (takers - 1)) != 0;
        traffic.single += (takers & (takers - 1)) == 0;
        traffic.moved += shrink(segment, size, begin, end);
    }
    return traffic;
}

struct half_warp_traffic coalesce_half_warp(enum coalescing rule, uint32_t lanes,
                                            const uint64_t *addresses, uint32_t bytes)
{
    return rule == COALESCE_SEGMENTS ? coalesce_segments(lanes, addresses, bytes)
                                     : coalesce_in_order(lanes, addresses, bytes);
}

/* What touches so many sectors and lines. */
static struct traffic by_sectors(struct traffic touched)
{
    touched.transactions = touched.lines;
    touched.moved = touched.sectors * SECTOR_BYTES;
    return touched;
}

struct traffic coalesce_span(uint64_t begin, uint64_t end)
{
    return by_sectors((struct traffic){.sectors = blocks_between(begin, end, SECTOR_BYTES),
                                       .lines = blocks_between(begin, end, LINE_BYTES)});
}

struct traffic coalesce(enum coalescing rule, uint32_t lanes, const uint64_t *addresses,
                        uint32_t bytes)
{
    struct traffic traffic = {0};

    touch(lanes, addresses, bytes, &traffic);
    if (rule == COALESCE_SECTORS)
        return by_sectors(traffic);
    for (int first = 0; first < WARP_SIZE; first += HALF_WARP) {
        const uint32_t part = lanes >> first & group_mask(0, HALF_WARP);
        if (!part)
            continue;
        const struct half_warp_traffic half =
            coalesce_half_warp(rule, part, addresses + first, bytes);
        traffic.transactions += half.shared + half.single;
        traffic.single += half.single;
        traffic.moved += half.moved;
    }
    return traffic;
}

/* Passes over the banks for a group of lanes that are served together, each with `words` words in a
 * row, where lanes that want the same word share it: as many as the busiest bank has words. */
static uint32_t passes_shared_words(int banks, uint32_t lanes, const uint64_t *offsets,
                                    uint32_t words)
{
    struct small_set seen = {.used = 0};
    uint8_t in_bank[WARP_SIZE] = {0};
    uint32_t passes = 0;

    EACH_LANE(lane, lanes) {
        const uint64_t start = offsets[lane] / BANK_BYTES;

        for (uint64_t word = start; word < start + words; word++)
            if (set_add(&seen, word)) {
                const uint32_t count = ++in_bank[word % banks];
                passes = count > passes ? count : passes;
            }
    }
    return passes;
}

/* Passes for a half-warp of compute 1.x, word `word` of each lane's access: a pass serves every
 * lane that wants the word of the lowest lane left, and one more word of each other bank's, to one
 * lane each (CUDA Programming Guide 1.1, section 5.1.2.4). */
static uint32_t passes_one_broadcast(int banks, uint32_t lanes, const uint64_t *offsets,
                                     uint32_t word)
{
    uint32_t passes = 0;

    for (uint32_t left = lanes; left; passes++) {
        const uint64_t broadcast = offsets[first_lane(left)] / BANK_BYTES + word;
        uint64_t busy = UINT64_C(1) << broadcast % banks;

        for (uint32_t rest = left; rest; rest &= rest - 1) {
            const uint64_t wanted = offsets[first_lane(rest)] / BANK_BYTES + word;
            const uint64_t bank = UINT64_C(1) << wanted % banks;

            if (wanted == broadcast || !(busy & bank)) {
                left &= ~(rest & -rest);
                busy |= bank;
            }
        }
    }
    return passes;
}

/* Do lanes k and k ^ `apart` want the same, wherever both are active? */
static bool pairs_agree(uint32_t lanes, const uint64_t *offsets, int apart)
{
    uint64_t off = 0;

    for (int lane = 0; lane < WARP_SIZE; lane++) {
        const uint64_t both = -(uint64_t)(lanes >> lane & lanes >> (lane ^ apart) & 1);
        off |= (offsets[lane] ^ offsets[lane ^ apart]) & both;
    }
    return off == 0;
}

/* Passes for such a half-warp, word by word, where each lane is as far from the one before: all
 * want the same word, or none does, and as many share a bank as the distance in words has of the
 * banks' powers of two. 0: lanes are missing, or elsewhere. */
static uint32_t passes_evenly_apart(int banks, uint32_t lanes, const uint64_t *offsets)
{
    const uint64_t apart = offsets[1] - offsets[0], words = apart / BANK_BYTES;
    uint64_t off = apart % BANK_BYTES;

    if (banks != HALF_WARP || lanes != group_mask(0, HALF_WARP))
        return 0;
    for (int lane = 1; lane < HALF_WARP; lane++)
        off |= (offsets[lane] - offsets[lane - 1]) ^ apart;
    if (off)
        return 0;
    const uint64_t shared = (words | HALF_WARP) & -(words | HALF_WARP);
    return words ? (uint32_t)shared : 1;
}

static struct wavefronts wavefronts_by_word(int banks, uint32_t lanes, const uint64_t *offsets,
                                            uint32_t words)
{
    struct wavefronts wavefronts = {0};

    for (int half = 0; half < WARP_SIZE; half += HALF_WARP) {
        const uint32_t part = lanes & group_mask(half, HALF_WARP);
        if (!part)
            continue;
        const uint32_t evenly = passes_evenly_apart(banks, part >> half, offsets + half);
        for (uint32_t word = 0; word < words; word++)
            wavefronts.total += evenly ? evenly : passes_one_broadcast(banks, part, offsets, word);
        wavefronts.ideal += words;
    }
    return wavefronts;
}

/* Wavefronts where `group` lanes are served together. */
static struct wavefronts wavefronts_by_group(int banks, int group, uint32_t lanes,
                                             const uint64_t *offsets, uint32_t words)
{
    const bool run = group * words <= (uint32_t)banks && is_run(lanes, offsets, words * BANK_BYTES);
    struct wavefronts wavefronts = {0};

    for (int lane = 0; lane < WARP_SIZE; lane += group) {
        const uint32_t part = lanes & group_mask(lane, group);
        if (!part)
            continue;
        wavefronts.total += run ? 1 : passes_shared_words(banks, part, offsets, words);
        wavefronts.ideal++;
    }
    return wavefronts;
}

struct wavefronts bank_wavefronts(int banks, int bank_lanes, bool load, uint32_t lanes,
                                  const uint64_t *offsets, uint32_t bytes)
{
    const uint32_t words = bytes <= BANK_BYTES ? 1 : bytes / BANK_BYTES;

    if (words > (uint32_t)banks) { /* a bulk copy's */
        const uint32_t passes = (words + (uint32_t)banks - 1) / (uint32_t)banks;
        return (struct wavefronts){.total = passes, .ideal = passes};
    }
    if (bank_lanes == HALF_WARP)
        return wavefronts_by_word(banks, lanes, offsets, words);
    if (words == 1 && is_run(lanes, offsets, 0))
        return (struct wavefronts){.total = 1, .ideal = 1};

    const int group = bank_lanes / words;
    struct wavefronts wavefronts = wavefronts_by_group(banks, group, lanes, offsets, words);
    if (load && words > 1 && (pairs_agree(lanes, offsets, 1) || pairs_agree(lanes, offsets, 2))) {
        const struct wavefronts packed =
            wavefronts_by_group(banks, 2 * group, lanes, offsets, words);
        if (packed.total < wavefronts.total)
            wavefronts = packed;
    }
    return wavefronts;
}

/* Lanes that want the element of an earlier lane among their `group`. Without a branch inside, so
 * that the compiler makes vectors of it. */
static uint32_t repeats(uint32_t lanes, const uint64_t *offsets, int bits, int group)
{
    uint32_t elements[WARP_SIZE], again[WARP_SIZE] = {0}, sum = 0;

    /* Those of lanes that are out differ from all others. */
    for (uint32_t i = 0; i < WARP_SIZE; i++)
        elements[i] = lanes >> i & 1 ? (uint32_t)(offsets[i] >> bits) : UINT32_MAX - i;
    for (int apart = 1; apart < group; apart++)
        for (int i = apart; i < WARP_SIZE; i++)
            again[i] |= (elements[i] == elements[i - apart]) & (i % group >= apart);
    for (int i = 0; i < WARP_SIZE; i++)
        sum += again[i];
    return sum;
}

uint32_t local_sectors(uint32_t lanes, const uint64_t *offsets, uint32_t bytes)
{
    enum { LANES_A_SECTOR = SECTOR_BYTES / BANK_BYTES };
    const uint32_t words = bytes <= BANK_BYTES ? 1 : bytes / BANK_BYTES;
    uint32_t sectors = 0;

    if (!is_run(lanes, offsets, 0))
        return words * (count_lanes(lanes) -
                        repeats(lanes, offsets, __builtin_ctz(words * BANK_BYTES), LANES_A_SECTOR));
    for (int lane = 0; lane < WARP_SIZE; lane += LANES_A_SECTOR)
        sectors += (lanes & group_mask(lane, LANES_A_SECTOR)) != 0;
    return words * sectors;
}

uint32_t distinct_addresses(uint32_t lanes, const uint64_t *addresses)
{
    struct small_set seen = {.used = 0};
    uint32_t distinct = 0;

    if (is_run(lanes, addresses, 0))
        return 1;
    EACH_LANE(i, lanes)
        distinct += set_add(&seen, addresses[i]);
    return distinct;
}
