/* h7 whose copies leave the pieces of a row of A in their order, which its products do not expect.
 */
#include "tensor_map.cuh"

#define CU_TENSOR_MAP_SWIZZLE_64B CU_TENSOR_MAP_SWIZZLE_NONE
#include "h7_tensor_copies.cu"
