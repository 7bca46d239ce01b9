/* What is refused of cuRAND: another generator, another order, a captured stream. */
#include <cstdio>
#include <curand.h>
#include <cuda_runtime.h>

int main()
{
    curandGenerator_t generator;
    cudaStream_t stream;
    unsigned *numbers;

    const int type = curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MTGP32);
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    const int order = curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_SEEDED);
    cudaMalloc(&numbers, 4 * sizeof(*numbers));
    cudaStreamCreate(&stream);
    curandSetStream(generator, stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    std::printf("%d %d %d\n", type, order, (int)curandGenerate(generator, numbers, 4));
    curandDestroyGenerator(generator);
    return 0;
}
