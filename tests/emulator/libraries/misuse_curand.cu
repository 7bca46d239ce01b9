/* What is refused of cuRAND: another order, other numbers of a generator that has given some, a
 * captured stream. */
#include <cstdio>
#include <curand.h>
#include <cuda_runtime.h>

int main()
{
    curandGenerator_t generator;
    cudaStream_t stream;
    unsigned *numbers;

    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    const int order = curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC);
    cudaMalloc(&numbers, 4 * sizeof(*numbers));
    curandGenerate(generator, numbers, 4);
    const int poisson = curandGeneratePoisson(generator, numbers, 4, 10);
    cudaStreamCreate(&stream);
    curandSetStream(generator, stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    std::printf("%d %d %d\n", order, poisson, (int)curandGenerate(generator, numbers, 4));
    curandDestroyGenerator(generator);
    return 0;
}
