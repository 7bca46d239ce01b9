# A machine to learn on, or to test on without a GPU: CUDA's compiler, and emu in /usr/local.
#
#   docker build -t cuda-step-by-step .
#   docker run --rm -v "$PWD:/work" cuda-step-by-step sh -c \
#       'nvcc -cudart shared -gencode arch=compute_75,code=compute_75 -o mine mine.cu && emu ./mine'
FROM debian:12
WORKDIR /opt/cuda-step-by-step
COPY . .
RUN apt-get -qq update \
    && ./tour sumsq --on emulator \
    && cmake --install build/default --prefix /usr/local \
    && rm -rf build /var/lib/apt/lists/*
ENV CUDA_HOME=/opt/cuda-step-by-step/.toolkit/cuda-13.0
ENV PATH=$CUDA_HOME/bin:$PATH
WORKDIR /work
