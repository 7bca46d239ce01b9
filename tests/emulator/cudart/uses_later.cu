/* Uses functions that no toolkit of today has. */
extern "C" {
void cudaGraphLater(void);
void cudaGraphMuchLater(void);
void cudaMemPoolLater(void);
}

int main()
{
    cudaGraphLater();
    cudaGraphMuchLater();
    cudaMemPoolLater();
    return 0;
}
