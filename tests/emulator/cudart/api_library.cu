/* Code that a program loads while it runs. */
#include "expect.h"

static const char doubled[] = R"(
.version 6.4
.target sm_75
.address_size 64
.visible .entry doubled(.param .u64 out, .param .u32 number)
{
    .reg .u32 %r<3>;
    .reg .u64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [number];
    add.u32 %r2, %r1, %r1;
    st.global.u32 [%rd2], %r2;
    ret;
}
)";

static void launches(cudaKernel_t kernel)
{
    int *out, number = 21, result = 0;
    void *arguments[] = {&out, &number};

    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(int)));
    EXPECT_SUCCESS(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), arguments, 0, NULL));
    EXPECT_SUCCESS(cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(result == 42);
    EXPECT_SUCCESS(cudaFree(out));
}

int main()
{
    cudaLibrary_t library, other;
    cudaKernel_t kernel, unknown;
    cudaFuncAttributes attributes;

    EXPECT_SUCCESS(cudaLibraryLoadData(&library, doubled, NULL, NULL, 0, NULL, NULL, 0));
    EXPECT_SUCCESS(cudaLibraryGetKernel(&kernel, library, "doubled"));
    EXPECT_SUCCESS(cudaFuncGetAttributes(&attributes, (const void *)kernel));
    EXPECT(attributes.maxThreadsPerBlock == 1024);
    launches(kernel);
    EXPECT_ERROR(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&unknown, library, "tripled"));
    EXPECT_SUCCESS(cudaLibraryLoadData(&other, doubled, NULL, NULL, 0, NULL, NULL, 0));
    EXPECT_SUCCESS(cudaLibraryUnload(library));
    EXPECT_SUCCESS(cudaLibraryGetKernel(&kernel, other, "doubled"));
    launches(kernel);
    EXPECT_SUCCESS(cudaLibraryUnload(other));
    return finish();
}
