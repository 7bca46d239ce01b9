/* h15: the same table, read from every kind of memory.
 *
 * Claim:  registers are fastest, then shared memory, and constant memory if all threads read one
 *         address. Texture memory has a cache. Local memory is off the chip, like global memory.
 * Today:  global and local memory have caches too, and a table of 256 bytes stays in them. Constant
 *         memory still takes a pass for every address of a warp.
 * Pinned: the outer loop stays rolled, its body is unrolled.
 * See:    docs/hardware.md#h15
 */
#include "reference.cuh"

enum { THREADS = 256, ROUNDS = 64, COUNT = 32, TABLE = 2 * COUNT };
enum place { REGISTERS, SHARED, CONSTANT, GLOBAL, LOCAL, TEXTURE };

__constant__ int constant_table[TABLE];

/* Each round reads COUNT numbers and begins one further in the table than the round before. If MANY
 * is 1, so does each lane. Registers have no addresses: they are read from the first one on. */
template <int PLACE, int MANY>
__global__ void look_up(const int *table, cudaTextureObject_t texture, int n, int *out)
{
    __shared__ int shared[TABLE];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int own[TABLE], sum = 0;

    if (PLACE == SHARED && threadIdx.x < TABLE)
        shared[threadIdx.x] = table[threadIdx.x];
    if (PLACE == REGISTERS || PLACE == LOCAL)
#pragma unroll
        for (int k = 0; k < TABLE; k++)
            own[k] = table[k];
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        const int first = PLACE == REGISTERS ? 0 : (round + MANY * threadIdx.x) % COUNT;
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            sum = sum * 3 + (PLACE == SHARED     ? shared[first + k]
                             : PLACE == CONSTANT ? constant_table[first + k]
                             : PLACE == GLOBAL   ? table[first + k]
                             : PLACE == TEXTURE  ? tex1Dfetch<int>(texture, first + k)
                                                 : own[first + k]);
    }
    if (i < n)
        out[i] = sum;
}

/* A texture over the table where it lies. */
static cudaTextureObject_t texture_of(const struct trial *t)
{
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc reads = {};
    cudaTextureObject_t texture;

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {(void *)t->in, cudaCreateChannelDesc<int>(), TABLE * sizeof(int)};
    CHECK(cudaCreateTextureObject(&texture, &resource, &reads, NULL));
    return texture;
}

template <int PLACE, int MANY> static void launch(struct trial *t)
{
    const cudaTextureObject_t texture = PLACE == TEXTURE ? texture_of(t) : 0;

    CHECK(cudaMemcpyToSymbol(constant_table, t->host, sizeof(constant_table)));
    hardware_grid(t, THREADS);
    t->work = (double)t->run->blocks * THREADS * ROUNDS * COUNT;
    TIMED(t->run)
        look_up<PLACE, MANY><<<t->run->blocks, THREADS>>>(t->in, texture, t->n, t->out);
    if (PLACE == TEXTURE)
        CHECK(cudaDestroyTextureObject(texture));
}

static const struct variant variants[] = {
    {"registers", "registers", launch<REGISTERS, 0>, REGISTERS, 0, "fastest"},
    {"shared_one", "shared memory, one address per warp", launch<SHARED, 0>, SHARED, 0, "fast"},
    {"shared_many", "shared memory, 32 addresses", launch<SHARED, 1>, SHARED, 1, "fast"},
    {"constant_one", "constant memory, one address", launch<CONSTANT, 0>, CONSTANT, 0,
     "low latency"},
    {"constant_many", "constant memory, 32 addresses", launch<CONSTANT, 1>, CONSTANT, 1},
    {"global_one", "global memory, one address", launch<GLOBAL, 0>, GLOBAL, 0, "slow"},
    {"global_many", "global memory, 32 addresses", launch<GLOBAL, 1>, GLOBAL, 1, "slow"},
    {"local", "local memory", launch<LOCAL, 0>, LOCAL, 0, "slow"},
    {"texture", "texture, 32 addresses", launch<TEXTURE, 1>, TEXTURE, 1, "cached"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 20, .modelled = 10752, .min = 1, .max = 1 << 28},
    .unit = "Gread/s",
    .counters = {{"passes per constant load", "constant_passes", "constant_loads"},
                 {"sectors per load", "global_load_sectors", "global_loads"}},
    .inputs_more = TABLE,
    .cpu = reference_table<REGISTERS, ROUNDS, COUNT>,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}
