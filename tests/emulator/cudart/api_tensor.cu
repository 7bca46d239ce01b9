/* Tensor maps and copies of boxes (compute capability 9.0). */
#include "expect.h"

#include <cstdint>
#include <cstring>
#include <cuda.h>

enum { MAX_BYTES = 16384, MAX_TENSOR = 1 << 15, RANKS = 5, OLD = 0xEE };

static decltype(&cuTensorMapEncodeTiled) encode;

/* A tensor, and a box of it at `at`; dimension 0 first. */
struct copy {
    CUtensorMapDataType type;
    int element, rank;
    int size[RANKS], box[RANKS], at[RANKS];
    int span; /* of the swizzle; 0: none */
    int step[RANKS]; /* from one element of the box to the next; 0: 1 */
};

static int bytes_of(const struct copy *copy)
{
    int bytes = copy->element;

    for (int k = 0; k < copy->rank; k++)
        bytes *= copy->box[k];
    return bytes;
}

static int step_of(const struct copy *copy, int k)
{
    return copy->step[k] ? copy->step[k] : 1;
}

/* A row of the tensor takes whole 16 bytes, and 16 more that belong to nobody. */
static int row_bytes(const struct copy *copy)
{
    return (copy->size[0] * copy->element + 31) / 16 * 16;
}

static CUresult make_map(const struct copy *copy, void *tensor, CUtensorMap *map)
{
    cuuint64_t size[RANKS], stride[RANKS];
    cuuint32_t box[RANKS], step[RANKS];
    const CUtensorMapSwizzle swizzle = copy->span == 32    ? CU_TENSOR_MAP_SWIZZLE_32B
                                       : copy->span == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
                                       : copy->span == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                                           : CU_TENSOR_MAP_SWIZZLE_NONE;

    stride[0] = row_bytes(copy);
    for (int k = 0; k < RANKS; k++) {
        size[k] = copy->size[k];
        step[k] = step_of(copy, k);
        box[k] = copy->box[k] * step[k];
        if (k > 0)
            stride[k] = stride[k - 1] * size[k];
    }
    return encode(map, copy->type, copy->rank, tensor, size, stride, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

__device__ static unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

#define COPY(rank, coordinates)                                                                 \
    asm volatile("cp.async.bulk.tensor." rank                                                   \
                 ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " coordinates \
                 "], [%2];" ::"r"(shared_address(to)),                                          \
                 "l"(&map), "r"(shared_address(&full)), "r"(copy.at[0]), "r"(copy.at[1]),       \
                 "r"(copy.at[2]), "r"(copy.at[3]), "r"(copy.at[4])                              \
                 : "memory")

/* Fetch the box and show what lies where in shared memory. */
__global__ void show(const __grid_constant__ CUtensorMap map, const struct copy copy, int bytes,
                     unsigned char *out)
{
    __shared__ __align__(1024) unsigned char to[MAX_BYTES];
    __shared__ uint64_t full;

    if (threadIdx.x == 0) {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
            "fence.mbarrier_init.release.cluster;\n\t"
            "fence.proxy.async.shared::cta;\n\t"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
            "r"(bytes)
            : "memory");
        switch (copy.rank) {
        case 1:
            COPY("1d", "{%3}");
            break;
        case 2:
            COPY("2d", "{%3, %4}");
            break;
        case 3:
            COPY("3d.tile", "{%3, %4, %5}");
            break;
        case 4:
            COPY("4d", "{%3, %4, %5, %6}");
            break;
        default:
            COPY("5d", "{%3, %4, %5, %6, %7}");
        }
    }
    __syncthreads();
    asm volatile("{\n\t.reg .pred done;\n"
                 "again:\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t"
                 "@!done bra again;\n\t}" ::"r"(shared_address(&full))
                 : "memory");
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        out[i] = to[i];
}

#define PUT(operation, rank, kind, coordinates)                                                \
    asm volatile("cp." operation "async.bulk.tensor." rank ".global.shared::cta" kind          \
                 ".bulk_group [%0, " coordinates "], [%1];" ::"l"(&map),                       \
                 "r"(shared_address(from)), "r"(copy.at[0]), "r"(copy.at[1]), "r"(copy.at[2]), \
                 "r"(copy.at[3]), "r"(copy.at[4])                                              \
                 : "memory")

#define WAIT_FOR_PUT() \
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory")

/* Put the box back where it was; integers twice, the second time as what is added. */
__global__ void put(const __grid_constant__ CUtensorMap map, const struct copy copy, int bytes,
                    const unsigned char *box)
{
    __shared__ __align__(1024) unsigned char from[MAX_BYTES];

    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        from[i] = box[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    switch (copy.rank) {
    case 1:
        PUT("", "1d", "", "{%2}");
        break;
    case 2:
        PUT("", "2d", ".tile", "{%2, %3}");
        if (copy.type != CU_TENSOR_MAP_DATA_TYPE_UINT32)
            break;
        WAIT_FOR_PUT();
        PUT("reduce.", "2d", ".add", "{%2, %3}");
        break;
    case 3:
        PUT("", "3d", "", "{%2, %3, %4}");
        break;
    case 4:
        PUT("", "4d", "", "{%2, %3, %4, %5}");
        break;
    default:
        PUT("", "5d", "", "{%2, %3, %4, %5, %6}");
    }
    WAIT_FOR_PUT();
}

/* Byte `i` of an element: never 0, which is what lies outside. */
static unsigned char value(int64_t element, int i)
{
    return (unsigned char)(1 + (element * 31 + i * 7) % 251);
}

/* Where byte `at` of a box comes to lie: in a span of 32, 64 or 128 bytes the 16-byte chunks change
 * places with each row of 128 bytes. */
static int place(const struct copy *copy, int at)
{
    const int row = at / 128, chunk = at / 16;

    return copy->span ? (chunk ^ (row % (copy->span / 16))) * 16 + at % 16 : at;
}

/* The tensor's bytes, and the box as it should come. */
static void make_tensor(const struct copy *copy, unsigned char *tensor)
{
    int rows = 1;

    for (int k = 1; k < copy->rank; k++)
        rows *= copy->size[k];
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < row_bytes(copy); i++)
            tensor[(size_t)row * row_bytes(copy) + i] =
                i < copy->size[0] * copy->element
                    ? value((int64_t)row * copy->size[0] + i / copy->element, i % copy->element)
                    : 255;
}

static void make_box(const struct copy *copy, unsigned char *box)
{
    for (int i = 0; i < bytes_of(copy); i++) {
        int64_t index = 0, scale = 1;
        int rest = i / copy->element;
        bool inside = true;

        for (int k = 0; k < copy->rank; k++) {
            const int at = copy->at[k] + rest % copy->box[k] * step_of(copy, k);

            rest /= copy->box[k];
            inside = inside && at >= 0 && at < copy->size[k];
            index += scale * at;
            scale *= copy->size[k];
        }
        box[place(copy, i)] = inside ? value(index, i % copy->element) : 0;
    }
}

/* The tensor as it should be after the box came back into bytes of OLD. The engine stores 16 bytes
 * or nothing: behind the end of a row what the box has there, zeros. */
static void make_returned(const struct copy *copy, const unsigned char *tensor,
                          unsigned char *returned)
{
    memset(returned, OLD, MAX_TENSOR);
    for (int i = 0; i < bytes_of(copy); i += copy->element) {
        int64_t at = 0, rows = 1;
        int rest = i / copy->element;
        bool inside = true, behind = false;

        for (int k = 0; k < copy->rank; k++) {
            const int index = copy->at[k] + rest % copy->box[k] * step_of(copy, k);

            rest /= copy->box[k];
            if (k == 0)
                behind = index >= copy->size[0];
            inside = inside && index >= 0 &&
                     (k == 0 ? index * copy->element / 16 * 16 < copy->size[0] * copy->element
                             : index < copy->size[k]);
            at += k == 0 ? index * copy->element : index * rows * row_bytes(copy);
            rows *= k == 0 ? 1 : copy->size[k];
        }
        if (!inside)
            continue;
        if (behind) {
            memset(returned + at, 0, copy->element);
            continue;
        }
        memcpy(returned + at, tensor + at, copy->element);
        if (copy->type == CU_TENSOR_MAP_DATA_TYPE_UINT32) {
            uint32_t sum;
            memcpy(&sum, tensor + at, sizeof(sum));
            sum *= 2;
            memcpy(returned + at, &sum, sizeof(sum));
        }
    }
}

static void try_return(const struct copy *copy, const unsigned char *tensor,
                       const unsigned char *box, unsigned char *back, int line)
{
    static unsigned char expected[MAX_TENSOR], result[MAX_TENSOR];
    CUtensorMap map;

    make_returned(copy, tensor, expected);
    EXPECT_SUCCESS(cudaMemset(back, OLD, MAX_TENSOR));
    EXPECT(make_map(copy, back, &map) == CUDA_SUCCESS);
    put<<<1, 64>>>(map, *copy, bytes_of(copy), box);
    EXPECT_SUCCESS(cudaMemcpy(result, back, MAX_TENSOR, cudaMemcpyDeviceToHost));
    expect(memcmp(result, expected, MAX_TENSOR) == 0, "the way back of this line", line);
}

/* Others can be fetched, and cannot be stored. */
static bool begins_inside(const struct copy *copy)
{
    for (int k = 0; k < copy->rank; k++)
        if (copy->at[k] < 0)
            return false;
    return true;
}

static void try_copy(const struct copy *copy, int line)
{
    static unsigned char tensor[MAX_TENSOR], expected[MAX_BYTES], result[MAX_BYTES];
    unsigned char *in, *out;
    CUtensorMap map;
    const int bytes = bytes_of(copy);

    make_tensor(copy, tensor);
    make_box(copy, expected);
    EXPECT_SUCCESS(cudaMalloc(&in, sizeof(tensor)));
    EXPECT_SUCCESS(cudaMalloc(&out, MAX_BYTES));
    EXPECT_SUCCESS(cudaMemcpy(in, tensor, sizeof(tensor), cudaMemcpyHostToDevice));
    EXPECT(make_map(copy, in, &map) == CUDA_SUCCESS);
    show<<<1, 64>>>(map, *copy, bytes, out);
    EXPECT_SUCCESS(cudaMemcpy(result, out, bytes, cudaMemcpyDeviceToHost));
    expect(memcmp(result, expected, bytes) == 0, "the box of this line", line);
    if (begins_inside(copy))
        try_return(copy, tensor, out, in, line);
    EXPECT_SUCCESS(cudaFree(in));
    EXPECT_SUCCESS(cudaFree(out));
}

#define TRY(...)                               \
    do {                                       \
        const struct copy copy_ = __VA_ARGS__; \
        try_copy(&copy_, __LINE__);            \
    } while (0)

static void copies(void)
{
    const CUtensorMapDataType f32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;

    /* Inside, at each edge, across two of them, and outside altogether. */
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {4, 3}, 0});
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {-4, 3}, 0});
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {52, 3}, 0});
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {4, -2}, 0});
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {4, 35}, 0});
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {-4, 39}, 0});
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {64, 0}, 0});
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {0, -8}, 0});
    TRY({f32, 4, 2, {3, 2}, {16, 8}, {-4, -1}, 0}); /* the box is the larger one */
    /* Swizzled. */
    TRY({f32, 4, 2, {61, 40}, {8, 32}, {4, 3}, 32});
    TRY({f32, 4, 2, {61, 40}, {16, 32}, {4, 3}, 64});
    TRY({f32, 4, 2, {61, 40}, {32, 32}, {4, 3}, 128});
    TRY({f32, 4, 2, {61, 40}, {16, 32}, {-4, 20}, 64});
    TRY({f32, 4, 2, {61, 40}, {32, 32}, {44, 20}, 128});
    /* Other elements. */
    TRY({CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 2, {61, 40}, {16, 8}, {-16, 36}, 0});
    TRY({CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 2, {61, 40}, {32, 8}, {40, 3}, 64});
    TRY({CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, 2, {61, 40}, {16, 8}, {50, 3}, 128});
    TRY({CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 2, {61, 40}, {32, 32}, {44, 20}, 128});
    TRY({CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 2, {61, 40}, {16, 8}, {-4, -2}, 0});
    /* Every other row, every third plane. */
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {4, 3}, 64, {1, 2}});
    TRY({f32, 4, 2, {61, 40}, {16, 8}, {-4, -3}, 0, {1, 8}});
    TRY({f32, 4, 3, {20, 7, 5}, {8, 4, 3}, {16, 1, -1}, 0, {1, 2, 3}});
    /* Other ranks. */
    TRY({f32, 4, 1, {100}, {64}, {52}, 0});
    TRY({f32, 4, 3, {20, 7, 5}, {8, 4, 3}, {16, 5, 3}, 0});
    TRY({f32, 4, 4, {20, 7, 5, 3}, {8, 4, 3, 2}, {-4, 5, 1, 2}, 32});
    TRY({f32, 4, 5, {20, 4, 3, 2, 3}, {8, 2, 2, 2, 2}, {-4, 1, 2, -1, 1}, 0});
}

/* What it takes for no map. */
static void refusals(void)
{
    const struct copy right = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, {64, 40}, {16, 8}, {0, 0}, 0};
    struct copy wrong;
    CUtensorMap map;
    char *memory;
    cuuint64_t size[] = {64, 40}, stride[] = {256};
    cuuint32_t box[] = {16, 8}, step[] = {1, 1};
    const auto try_stride = [&]() {
        return encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, memory, size, stride, box, step,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };

    EXPECT_SUCCESS(cudaMalloc(&memory, 1 << 16));
    EXPECT(make_map(&right, memory, &map) == CUDA_SUCCESS);
    EXPECT(make_map(&right, memory + 4, &map) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(make_map(&right, memory + 16, &map) == CUDA_SUCCESS);
    wrong = right, wrong.rank = 0;
    EXPECT(make_map(&wrong, memory, &map) == CUDA_ERROR_INVALID_VALUE);
    wrong = right, wrong.rank = 6;
    EXPECT(make_map(&wrong, memory, &map) == CUDA_ERROR_INVALID_VALUE);
    wrong = right, wrong.size[1] = 0;
    EXPECT(make_map(&wrong, memory, &map) == CUDA_ERROR_INVALID_VALUE);
    wrong = right, wrong.box[1] = 0;
    EXPECT(make_map(&wrong, memory, &map) == CUDA_ERROR_INVALID_VALUE);
    wrong = right, wrong.box[1] = 257;
    EXPECT(make_map(&wrong, memory, &map) == CUDA_ERROR_INVALID_VALUE);
    wrong = right, wrong.box[0] = 6; /* 24 bytes */
    EXPECT(make_map(&wrong, memory, &map) == CUDA_ERROR_INVALID_VALUE);
    wrong = right, wrong.span = 32; /* of rows of 64 bytes */
    EXPECT(make_map(&wrong, memory, &map) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(try_stride() == CUDA_SUCCESS);
    stride[0] = 260;
    EXPECT(try_stride() == CUDA_ERROR_INVALID_VALUE);
    stride[0] = 256, step[0] = 0;
    EXPECT(try_stride() == CUDA_ERROR_INVALID_VALUE);
    EXPECT_SUCCESS(cudaFree(memory));
}

/* A box that does not begin on a multiple of 16 bytes. After it nothing runs in this process. */
static void crooked(void)
{
    const struct copy copy = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, {61, 40}, {16, 8}, {3, 3}, 0};
    unsigned char *in, *out;
    CUtensorMap map;

    EXPECT_SUCCESS(cudaMalloc(&in, 1 << 16));
    EXPECT_SUCCESS(cudaMalloc(&out, MAX_BYTES));
    EXPECT(make_map(&copy, in, &map) == CUDA_SUCCESS);
    show<<<1, 64>>>(map, copy, bytes_of(&copy), out);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
}

/* Nor can a box be stored that begins before the tensor. */
static void before(void)
{
    const struct copy copy = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, {61, 40}, {16, 8}, {4, -2}, 0};
    unsigned char *in, *out;
    CUtensorMap map;

    EXPECT_SUCCESS(cudaMalloc(&in, 1 << 16));
    EXPECT_SUCCESS(cudaMalloc(&out, MAX_BYTES));
    EXPECT_SUCCESS(cudaMemset(out, 0, MAX_BYTES));
    EXPECT(make_map(&copy, in, &map) == CUDA_SUCCESS);
    put<<<1, 64>>>(map, copy, bytes_of(&copy), out);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
}

#if CUDART_VERSION < 12050 /* which lack the one that takes a version */
#define cudaGetDriverEntryPointByVersion(name, function, version, flags, found) \
    cudaGetDriverEntryPoint(name, function, flags, found)
#endif

int main(int argc, char **argv)
{
    cudaDriverEntryPointQueryResult found;
    void *other;

    EXPECT_SUCCESS(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode,
                                                    12000, cudaEnableDefault, &found));
    EXPECT(found == cudaDriverEntryPointSuccess);
    EXPECT_SUCCESS(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &other, 12000,
                                                    cudaEnableDefault, &found));
    EXPECT(found == cudaDriverEntryPointSymbolNotFound && !other);
    if (encode && argc > 1) {
        argv[1][0] == 'c' ? crooked() : before();
    } else if (encode) {
        copies();
        refusals();
    }
    return finish();
}
