/* Chapter: what the articles say of the machine, as experiments.
 *
 * A program here makes one claim and tries it in several ways, its variants. Here is what all
 * share: the input, the comparison with the CPU's answer, the options and the table with a row for
 * each variant. The kernels, their launches and the list of variants are in the program.
 */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HARDWARE_N = 1 << 20,
    HARDWARE_MODELLED_N = 1 << 14, /* where times are modelled: every variant is emulated */
    HARDWARE_BELOW = 1000, /* input numbers are smaller */
    HARDWARE_COUNTERS = 2,
};

struct variant;

/* One variant at work. */
struct trial {
    const struct variant *variant;
    const struct device *device;
    struct run *run;
    int n;
    const int *host; /* the input on the host: `inputs` numbers below HARDWARE_BELOW ... */
    const int *in; /* ... and on the device */
    int inputs;
    int *out; /* on the device: `outputs` results */
    int outputs;
    double work; /* what one launch does, in the experiment's unit: the variant says it */
    double figure; /* what the variant found out besides; NaN: nothing */
    char text[64]; /* the same where it is no number */
    struct verdict verdict; /* of a program without an answer of the CPU: the variant says it */
};

/* The device side of a variant: say the launch in trial->run, repeat it with TIMED, say the
 * work. */
typedef void variant_function(struct trial *trial);

/* One way to do it: a row of the table. */
struct variant {
    const char *name; /* a word, for --variant */
    const char *what; /* the row's title */
    variant_function *gpu;
    int value; /* the program's own: a stride, a width, threads, ... */
    int other; /* another */
    const char *source; /* the figure of the article; NULL: it has none */
};

/* A counter that explains the times: a sum of what the emulator's profile has under `over`, by that
 * under `under`; NULL: as it is. */
struct hardware_counter {
    const char *name, *over, *under;
};

struct experiment {
    const struct variant *variants;
    int variant_count;
    struct option_size size; /* of zeros: the usual one */
    bool no_size; /* there is no --n */
    bool fills_device; /* without --n there are as many threads as the device holds */
    const char *unit; /* of the rate: so many 10^9 a second of trial->work; NULL: it has none */
    bool over_bus; /* what moves does not move in the device's memory: no share of its peak */
    const char *figure; /* what trial->figure is; NULL: there is none */
    bool ulps; /* it is the largest error, in units of the last place of the right answer */
    bool listing; /* no table but a line for each variant, as deviceQuery prints them */
    struct hardware_counter counters[HARDWARE_COUNTERS]; /* without a name: fewer */

    /* So many numbers go in for each of the n, and so many more; without either, n. And so many
     * come out; NULL: n. */
    int inputs_each, inputs_more;
    int (*outputs)(const struct trial *trial);

    /* The CPU's answer, of trial->outputs numbers. Of floats each with the error that is allowed;
     * on the device they are where the whole numbers would be. With both, the second is for the
     * variants whose `other` is not 0; with none, the variants say their verdicts. */
    void (*cpu)(const struct trial *trial, int *out);
    void (*cpu_float)(const struct trial *trial, double *out, double *tolerance);
};

/* main() of a program, STEP: options, device, and for each variant input, launch, comparison and
 * its row or JSON object. Returns the exit code. */
int hardware_main(int argc, char **argv, struct step step, const struct experiment *experiment);

/* How often to go round a loop that is to run `rounds` times on a GPU: an emulator takes longer. */
static inline int hardware_rounds(const struct trial *trial, int rounds)
{
    return trial->device->modelled ? rounds / 2 : rounds;
}

/* The first two fields of an experiment. */
#define HARDWARE_VARIANTS(array) \
    .variants = array, .variant_count = (int)(sizeof(array) / sizeof((array)[0]))

/* The clocks that a run took: those of the block that took longest, of `blocks` at `d_clocks` on
 * the device, also into trial->run->cycles. NaN if they cannot all have run at once: each counts
 * from its own start. Of a model, whose blocks do not slow each other's clocks, the modelled
 * time's. */
double hardware_clocks(const struct trial *trial, const long long *d_clocks, unsigned blocks);

/* A grid that has a thread for each of trial->n, in blocks of `threads`: into trial->run. */
static inline void hardware_grid(struct trial *trial, unsigned threads)
{
    trial->run->blocks = ((unsigned)trial->n + threads - 1) / threads;
    trial->run->threads = threads;
}

/* A copy of so many bytes between memories that `context` knows. */
typedef void hardware_copy(void *context, size_t bytes);

/* The least size, in KB and a power of two, at which `copy` has half the rate that it has with
 * `bytes`, by CUDA events. */
double hardware_half_size(const struct trial *trial, hardware_copy *copy, void *context,
                          size_t bytes);

/* What the runtime says of the device: an attribute, a cudaDeviceAttr, and all its properties. */
int hardware_attribute(const struct trial *trial, int which);
struct cudaDeviceProp hardware_properties(const struct trial *trial);

#ifdef __cplusplus
}
#endif

#endif
